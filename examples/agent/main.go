// Agent runs one of langchaingo's agents on a model that rambles and makes up results, and shows that the agent sees
// neither.
//
//	go run ./examples/agent
//
// The model is played in this process; langchaingo's own openai client talks to it.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms/openai"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/tools"

	"github.com/llmretry/langchaingo-llmretry/internal/loopback"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/compose"
	"github.com/llmretry/langchaingo-llmretry/reaskprompt"
)

const (
	question   = "What is 17 times 23, plus 4?"
	correction = "That was refused: {{range .Issues}}{{.Code}}, want {{.Want}}{{end}}. Give the next step only."
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer) error {
	server, err := loopback.Start(played)
	if err != nil {
		return err
	}
	defer server.Close()
	client, err := openai.New(openai.WithBaseURL(server.URL), openai.WithToken("none"), openai.WithModel("small-q4"), openai.WithHTTPClient(loopback.Client()))
	if err != nil {
		return err
	}

	kit := []tools.Tool{tools.Calculator{}}
	step, err := compose.OneShotStep(kit)
	if err != nil {
		return err
	}
	model, err := llmretry.New(client, llmretry.WithValidator(step), llmretry.WithReask(llmretry.Must(reaskprompt.Template(correction))))
	if err != nil {
		return err
	}
	executor := agents.NewExecutor(agents.NewOneShotAgent(model, kit), agents.WithReturnIntermediateSteps())

	ctx, reports := llmretry.CaptureReports(ctx)
	out, err := chains.Call(ctx, executor, map[string]any{"input": question})
	for i, r := range reports() {
		fmt.Fprintf(w, "iteration %d\n", i)
		for _, a := range r.Attempts {
			fmt.Fprintf(w, "  attempt %d %-8s %q\n", a.Index, verdict(a), a.Output)
		}
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "scratchpad")
	steps, _ := out["intermediateSteps"].([]schema.AgentStep)
	for _, s := range steps {
		fmt.Fprintf(w, "  %s(%s) = %s\n", s.Action.Tool, s.Action.ToolInput, s.Observation)
	}
	fmt.Fprintf(w, "answer\n  %v\n", out["output"])
	return nil
}

func verdict(a llmretry.Attempt) string {
	if a.Err != nil {
		return "refused"
	}
	return "accepted"
}
