package llmretry_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/llmretry/langchaingo-llmretry/reaskprompt"
)

// The examples of docs/guide.md.

// Ticket is what they ask for.
type Ticket struct {
	Team     string `json:"team"`
	Priority int    `json:"priority"`
}

// Validate is called by outputparser's parsers.
func (t Ticket) Validate() error {
	if t.Priority < 1 || t.Priority > 4 {
		return llmretry.Issues{{Path: "/priority", Code: "check", Message: "/priority is 1, 2, 3 or 4"}}
	}
	return nil
}

var (
	messages = []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "The printer is on fire. JSON with team and priority.")}
	parser   = llmretry.Must(outputparser.JSON[Ticket]())
	reask    = llmretry.WithReask(llmretry.Must(reaskprompt.Template("That was refused:\n{{issues .}}\nSend the JSON object again.")))
	atOnce   = llmretry.WithBackoff(llmretry.Constant(0))
)

// sent prints what was different from attempt to attempt.
func sent(r *llmretry.Report) {
	for _, a := range r.Attempts {
		fmt.Println(a.Index, a.Reason, a.Category, a.Sent())
	}
}

// A decorator for production: the client can tell what failed, everything is bounded, and two attempts differ.
func Example_production() {
	client, err := openai.New(openai.WithToken("key"), openai.WithModel("small"),
		openai.WithHTTPClient(&http.Client{Transport: llmretry.NewTransport(nil)}))
	if err != nil {
		fmt.Println(err)
		return
	}
	correction, err := reaskprompt.Template("That was refused:\n{{issues .}}\nSend the JSON object again.")
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := llmretry.New(client,
		llmretry.WithModelName("small"),
		llmretry.WithMaxAttempts(3), // the first call counts; 3 is the default
		llmretry.WithReask(correction),
		llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.3, 0.6)...),
		llmretry.WithAttemptTimeout(20*time.Second),
		llmretry.WithTokenBudget(6000),
	)
	fmt.Println(model.Unwrap() == client, err)
	// Output: true <nil>
}

// A failure of the provider needs no other temperature, a wrong answer does.
func ExampleWithClassOverride() {
	model := llmretry.Must(llmretry.New(answers(errDown, "Facilities.", `{"team": "facilities", "priority": 1}`), reask, atOnce,
		llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.3, 0.6)...),
		llmretry.WithClassOverride(llmretry.ClassTransient, llmretry.Override{}),
	))
	result, err := llmretry.Generate(context.Background(), model, parser, messages, llms.WithTemperature(0))
	sent(result.Report)
	fmt.Println(result.Value, err)
	// Output:
	// 0  provider_unavailable map[temperature:0]
	// 1 transient structured_output_invalid map[temperature:0]
	// 2 reask  map[temperature:0.6]
	// {facilities 1} <nil>
}

// A model that repeats itself is not asked a third time.
func ExampleWithStagnation() {
	model := llmretry.Must(llmretry.New(answers(`{"team": "facilities"}`, `{"team": "facilities"}`), reask,
		llmretry.WithMaxAttempts(5),
		llmretry.WithStagnation(llmretry.Stagnation{Outputs: 2}),
	))
	result, err := llmretry.Generate(context.Background(), model, parser, messages)
	fmt.Println(len(result.Report.Attempts), errors.Is(err, llmretry.ErrStagnated))
	// Output: 2 true
}

// A request of your own has a deadline, and a ceiling over everything it asks of models.
func Example_budgets() {
	model := llmretry.Must(llmretry.New(answers("Facilities.", "Facilities!"), reask))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	ctx = llmretry.LimitModelCalls(ctx, 2)
	result, err := llmretry.Generate(ctx, model, parser, messages)
	fmt.Println(len(result.Report.Attempts), errors.Is(err, llmretry.ErrMaxModelCalls))
	// Output: 2 true
}

// What a caller does about a failed call.
func Example_failures() {
	model := llmretry.Must(llmretry.New(answers("Facilities.", `{"team": "facilities", "priority": 9}`), reask, llmretry.WithMaxAttempts(2)))
	result, err := llmretry.Generate(context.Background(), model, parser, messages)
	var refused *llmretry.StructuredOutputError
	switch {
	case err == nil:
		fmt.Println(result.Value)
	case llmretry.Category(err) == llmretry.CategoryCanceled:
		fmt.Println("the caller is gone")
	case errors.As(err, &refused):
		fmt.Println("no answer that fits:", llmretry.Category(err), refused.ErrorMessage)
	default:
		fmt.Println("the provider:", llmretry.Category(err))
	}
	// Output: no answer that fits: structured_output_invalid /priority is 1, 2, 3 or 4
}

// The report says what a call cost, and when that is not the whole of it.
func ExampleReport_Usage() {
	model := llmretry.Must(llmretry.New(answers("Facilities.", `{"team": "facilities", "priority": 1}`), reask))
	result, err := llmretry.Generate(context.Background(), model, parser, messages)
	if err != nil {
		fmt.Println(err)
		return
	}
	usage, complete := result.Report.Usage()
	fmt.Println(len(result.Report.Attempts), "attempts,", usage.Total, "tokens, complete:", complete)
	// Output: 2 attempts, 68 tokens, complete: true
}

// A long output that is replayed whole is paid for with every further attempt.
func ExampleWithTranscriptPolicy() {
	model := llmretry.Must(llmretry.New(answers("one", "two", `{"team": "facilities", "priority": 1}`), reask,
		llmretry.WithTranscriptPolicy(llmretry.TranscriptPolicy{KeepLast: 1, ClipEcho: 2000}),
	))
	result, _ := llmretry.Generate(context.Background(), model, parser, messages)
	for _, a := range result.Report.Attempts {
		fmt.Println(a.Index, len(a.Messages))
	}
	// Output:
	// 0 1
	// 1 3
	// 2 3
}

// With a parser, the stream function gets the accepted answer only.
func Example_stream() {
	model := llmretry.Must(llmretry.New(answers("Facilities.", `{"team": "facilities", "priority": 1}`), reask))
	result, err := llmretry.Generate(context.Background(), model, parser, messages,
		llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
			fmt.Printf("%s\n", chunk)
			return nil
		}))
	fmt.Println(result.Value, err)
	// Output:
	// {"team": "facilities", "priority": 1}
	// {facilities 1} <nil>
}

// The answer may come as a call of the parser's own tool; its arguments are then what is parsed.
func Example_ownTool() {
	inner := modelFunc(func(_ context.Context, _ []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
		return &llms.ContentResponse{Choices: []*llms.ContentChoice{{ToolCalls: []llms.ToolCall{
			callsTool("1", "ticket", `{"team": "facilities", "priority": 1}`),
		}}}}, nil
	})
	model := llmretry.Must(llmretry.New(inner, reask))
	ticket := llmretry.Must(outputparser.JSON[Ticket](outputparser.AsTool("ticket")))
	result, err := llmretry.Generate(context.Background(), model, ticket, messages,
		llms.WithTools([]llms.Tool{ticket.Tool("ticket", "Files the ticket.")}))
	fmt.Println(result.Value, err)
	// Output: {facilities 1} <nil>
}

// byHand is the loop that Example_handWrittenLoop replaces.
func byHand(ctx context.Context, llm llms.Model) (Ticket, error) {
	list := append([]llms.MessageContent(nil), messages...)
	var last error
	for attempt := range 3 {
		response, err := llm.GenerateContent(ctx, list, llms.WithTemperature(0.3*float64(attempt)))
		if err != nil {
			return Ticket{}, err
		}
		text := response.Choices[0].Content
		ticket, err := parser.Parse(text)
		if err == nil {
			return ticket, nil
		}
		last = err
		list = append(list,
			llms.TextParts(llms.ChatMessageTypeAI, text),
			llms.TextParts(llms.ChatMessageTypeHuman, "That was refused:\n"+err.Error()+"\nSend the JSON object again."))
	}
	return Ticket{}, last
}

// A hand-written loop and what takes its place ask for the same.
func Example_handWrittenLoop() {
	fmt.Println(byHand(context.Background(), answers("Facilities.", `{"team": "facilities", "priority": 1}`)))

	llm := answers("Facilities.", `{"team": "facilities", "priority": 1}`)
	model := llmretry.Must(llmretry.New(llm, reask, llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.3, 0.6)...)))
	result, err := llmretry.Generate(context.Background(), model, parser, messages, llms.WithTemperature(0))
	fmt.Println(result.Value, err)
	// Output:
	// {facilities 1} <nil>
	// {facilities 1} <nil>
}

// A text that is there already, and any function that asks again: no decorator.
func Example_textAlreadyThere() {
	llm := answers(`{"team": "facilities", "priority": 1}`)
	retry := llmretry.SchemaRetry[Ticket]{
		Prompt:   "The printer is on fire. JSON with team and priority.",
		Validate: parser.Parse,
		AskAgain: func(ctx context.Context, prompt string) (string, error) {
			return llms.GenerateFromSinglePrompt(ctx, llm, prompt)
		},
		Compose: llmretry.PreviousErrors("What was wrong before:\n"),
	}
	fmt.Println(retry.Run(context.Background(), `{"team": "facilities"}`))
	// Output: {facilities 1} <nil>
}
