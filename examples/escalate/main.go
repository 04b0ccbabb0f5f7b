// Escalate asks a small local model, then the same one warmer, then a bigger one of another provider, until one of them
// gives an answer that validates.
//
//	go run ./examples/escalate
//
// Both models are played in this process; langchaingo's own ollama and openai clients talk to them.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/llmretry/langchaingo-llmretry/internal/loopback"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/llmretry/langchaingo-llmretry/reaskprompt"
)

// Verdict is what we want to know. Its check is one that no schema can say.
type Verdict struct {
	Amounts []int `json:"amounts"`
	Total   int   `json:"total"`
}

// Validate is called by the parser.
func (v Verdict) Validate() error {
	sum := 0
	for _, a := range v.Amounts {
		sum += a
	}
	if sum != v.Total {
		return llmretry.Issues{{Path: "/total", Code: "check", Message: fmt.Sprintf("/total: the amounts add up to %d", sum)}}
	}
	return nil
}

// ladder is the decorator: the small model takes the first two attempts, the big one the others.
func ladder(small, big llms.Model) (*llmretry.Model, error) {
	return llmretry.New(small,
		llmretry.WithModelName("small-q4"),
		llmretry.WithMaxAttempts(4),
		llmretry.WithReask(llmretry.Must(reaskprompt.Template("{{issues .}}. Answer again."))),
		llmretry.WithPerAttemptOverride(
			llmretry.Set(llms.WithTemperature(0.7)),
			llmretry.Override{Model: big, Name: "big-70b", Options: []llms.CallOption{llms.WithMaxTokens(400)}},
		),
	)
}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "escalate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer) error {
	local, err := loopback.Start(weak)
	if err != nil {
		return err
	}
	defer local.Close()
	remote, err := loopback.Start(strong)
	if err != nil {
		return err
	}
	defer remote.Close()
	small, err := ollama.New(ollama.WithServerURL(local.URL), ollama.WithModel("small-q4"), ollama.WithHTTPClient(loopback.Client()))
	if err != nil {
		return err
	}
	big, err := openai.New(openai.WithBaseURL(remote.URL), openai.WithToken("none"), openai.WithModel("big-70b"), openai.WithHTTPClient(loopback.Client()))
	if err != nil {
		return err
	}
	model, err := ladder(small, big)
	if err != nil {
		return err
	}

	result, err := llmretry.Generate(ctx, model, llmretry.Must(outputparser.JSON[Verdict]()), []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeHuman, "Add the lamp for 4999, the bulb for 350 and the postage of 490. JSON with amounts and total."),
	}, llms.WithTemperature(0))
	for _, a := range result.Report.Attempts {
		fmt.Fprintf(w, "attempt %d  %-8s  temperature %v  %s\n", a.Index, a.Model, a.Sent()["temperature"], a.Output)
		if a.Err != nil {
			fmt.Fprintf(w, "           %v\n", a.Err)
		}
	}
	fmt.Fprintf(w, "\nrequests to the small model's server: %d, to the big one's: %d\n\n", len(local.Requests()), len(remote.Requests()))
	loopback.Print(w, remote.Requests())
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%+v\n", result.Value)
	return nil
}

// weak cannot add, and warmth does not help it.
func weak(r loopback.Request) loopback.Answer {
	if r.Temperature > 0 {
		return loopback.Says(`{"amounts": [4999, 350, 490], "total": 5900}`)
	}
	return loopback.Says(`{"amounts": [4999, 350, 490], "total": "5,839"}`)
}

// strong can.
func strong(loopback.Request) loopback.Answer {
	return loopback.Says(`{"amounts": [4999, 350, 490], "total": 5839}`)
}
