package retrytest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/retrytest"
)

// t is the test that an example stands for.
var t testing.TB = &bench{}

// yes is the code under test: it wants the word yes.
func yes(model llms.Model) (string, error) {
	m, err := llmretry.New(model,
		llmretry.WithBackoff(llmretry.Constant(0)),
		llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.4)...),
		llmretry.WithParser(llmretry.ParserFunc[string](func(text string) (string, error) {
			if text != "yes" {
				return "", errors.New("want yes")
			}
			return text, nil
		})),
		llmretry.WithReask(func(_ context.Context, f llmretry.Failure) (string, error) { return f.ErrorMessage, nil }))
	if err != nil {
		return "", err
	}
	return m.Call(context.Background(), "Say yes.")
}

func ExampleNewScript() {
	script := retrytest.NewScript(t,
		retrytest.Fail(&llmretry.ProviderError{Category: llmretry.CategoryUnavailable, Status: 503}),
		retrytest.Reply("no"),
		retrytest.Reply("yes").Usage(20, 1))
	fmt.Println(yes(script))
	for _, r := range script.Requests() {
		fmt.Println(r)
	}
	// Output:
	// yes <nil>
	// with 1 message
	//   0 human: "Say yes."
	// temperature=0.4 with 1 message
	//   0 human: "Say yes."
	// temperature=0.4 with 3 messages
	//   0 human: "Say yes."
	//   1 ai: "no"
	//   2 human: "want yes"
}

func ExampleNewRecorder() {
	client := retrytest.NewScript(t, retrytest.Reply("no"), retrytest.Reply("yes")) // a real client, in your program

	var file bytes.Buffer // os.Create, in your test
	recorder, err := retrytest.NewRecorder(client, &file)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(yes(recorder))

	player, err := retrytest.NewPlayer(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(yes(player))
	fmt.Println(player.Done())
	// Output:
	// yes <nil>
	// yes <nil>
	// <nil>
}

func ExampleNewPlayer() {
	const file = `{"format":"retrytest recording 1"}
{"messages":[{"role":"human","parts":[{"text":"Say yes."}]}],"options":{"temperature":0.2},"response":{"choices":[{"content":"yes"}]}}`
	player, err := retrytest.NewPlayer(strings.NewReader(file))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = player.Call(context.Background(), "Say yes, please.", llms.WithTemperature(0.7))
	fmt.Println(err)
	// Output:
	// retrytest: the call is not exchange 0 of the recording:
	//   message 0 (human) differs at byte 7:
	//     recorded "Say yes."
	//     now      "Say yes, please."
	//   option temperature differs at byte 2:
	//     recorded 0.2
	//     now      0.7
}

func ExampleScrub() {
	var file bytes.Buffer
	recorder, err := retrytest.NewRecorder(retrytest.NewScript(t, retrytest.Reply("Hello Ada.")), &file,
		retrytest.Scrub(strings.NewReplacer("Ada", "NAME").Replace))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = recorder.Call(context.Background(), "I am Ada, my key is sk-proj-0123456789abcdefghij.")
	fmt.Println(err)
	fmt.Println(file.String())
	// Output:
	// <nil>
	// {"format":"retrytest recording 1"}
	// {"messages":[{"role":"human","parts":[{"text":"I am NAME, my key is REDACTED."}]}],"response":{"choices":[{"content":"Hello NAME.","stop_reason":"stop"}]}}
}

func ExampleAnyOrder() {
	const file = `{"format":"retrytest recording 1"}
{"messages":[{"role":"human","parts":[{"text":"one"}]}],"response":{"choices":[{"content":"1"}]}}
{"messages":[{"role":"human","parts":[{"text":"two"}]}],"response":{"choices":[{"content":"2"}]}}`
	player, err := retrytest.NewPlayer(strings.NewReader(file), retrytest.AnyOrder())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(player.Call(context.Background(), "two"))
	fmt.Println(player.Call(context.Background(), "one"))
	// Output:
	// 2 <nil>
	// 1 <nil>
}

func ExampleNewFaultModel() {
	const schema = `{"type":"object","required":["priority"],"properties":{"priority":{"enum":["low","high"]},"order":{"type":"integer"}}}`
	model, err := retrytest.NewFaultModel(retrytest.FaultConfig{
		Seed: 1,
		Find: retrytest.ByText(map[string]retrytest.Case{
			"The lamp came broken": {Schema: json.RawMessage(schema), Value: json.RawMessage(`{"priority":"high","order":4711}`)},
		}),
		Rates:   retrytest.Rates{OutsideEnum: 1},
		Effects: retrytest.Effects{Named: 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	messages := []llms.MessageContent{human("The lamp came broken.")}
	for _, correction := range []string{"", "That is wrong.", "/priority: want low or high."} {
		if correction != "" {
			messages = append(messages, human(correction))
		}
		r, err := model.GenerateContent(context.Background(), messages)
		if err != nil {
			fmt.Println(err)
			return
		}
		answer := r.Choices[0]
		fmt.Println(answer.Content, answer.GenerationInfo["Faults"])
		messages = append(messages, assistant(answer.Content))
	}
	// Output:
	// {"priority":"HIGH","order":4711} [{outside_enum /priority}]
	// {"priority":"HIGH","order":4711} [{outside_enum /priority}]
	// {"priority":"high","order":4711} []
}

func ExampleFaultConfig() {
	_ = retrytest.FaultConfig{
		Seed:    1,
		Find:    retrytest.ByText(nil), // your cases
		Rates:   retrytest.DefaultRates(),
		Effects: retrytest.DefaultEffects(),
		Latency: retrytest.Latency{Base: 200 * time.Millisecond, PerCompletionToken: 20 * time.Millisecond},
		Sleep:   true, // under testing/synctest it takes no time
	}
}

func ExampleValue() {
	value, err := retrytest.Value(json.RawMessage(`{"type":"object","required":["due"],"properties":{"due":{"type":"string","format":"date"}}}`), 1)
	fmt.Println(string(value), err)
	_, err = retrytest.Value(json.RawMessage(`{"type":"string","pattern":"^x+$"}`), 1)
	fmt.Println(err)
	// Output:
	// {"due":"2024-02-05"} <nil>
	// retrytest: no value can be made for "pattern" at "" of the schema
}
