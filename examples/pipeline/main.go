// Pipeline runs three steps that share an error trail: what went wrong in one is told to the model in the next, as soon
// as something goes wrong there.
//
//	go run ./examples/pipeline
//
// The model is played in this process; langchaingo's own openai client talks to it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/llmretry/langchaingo-llmretry/internal/loopback"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

// Triage, Plan and Review are what the steps are to find out.
type (
	Triage struct {
		Priority string `json:"priority" jsonschema:"enum=low,enum=normal,enum=high"`
	}
	Plan struct {
		Priority string   `json:"priority" jsonschema:"enum=low,enum=normal,enum=high"`
		Steps    []string `json:"steps" jsonschema:"minItems=1"`
	}
	Review struct {
		Approved bool `json:"approved"`
	}
)

const mail = "The lamp of order 4711 came broken, again."

// pipeline is what the steps of one run share.
type pipeline struct {
	model   llms.Model
	trail   *llmretry.Trail // one per run
	outcome func(context.Context, llmretry.Outcome)
}

// step asks, and asks again with everything that went wrong so far, until the answer is a T. The decorator below looks
// after the provider: its retries are not the step's.
func step[T any](ctx context.Context, p pipeline, name, prompt string) (T, error) {
	ask := func(ctx context.Context, prompt string) (string, error) {
		return llms.GenerateFromSinglePrompt(ctx, p.model, prompt, llms.WithTemperature(0))
	}
	first, err := ask(ctx, prompt)
	if err != nil {
		var none T
		return none, err
	}
	return llmretry.SchemaRetry[T]{
		Prompt:   prompt,
		Validate: llmretry.Must(outputparser.JSON[T]()).Parse,
		AskAgain: ask,
		Compose:  llmretry.PreviousErrors("Earlier answers were refused:\n"),
		Trail:    p.trail,
		Step:     name,
		Outcome:  p.outcome,
	}.Run(ctx, first)
}

// run is the whole pipeline. Its last step never succeeds.
func (p pipeline) run(ctx context.Context, w io.Writer) error {
	triage, err := step[Triage](ctx, p, "triage", "Triage this mail: "+mail)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "triage: %+v\n", triage)
	plan, err := step[Plan](ctx, p, "plan", "Plan an answer to this mail: "+mail)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "plan:   %+v\n", plan)
	_, err = step[Review](ctx, p, "review", "Review the plan.")
	return err
}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "pipeline:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer) error {
	server, err := loopback.Start(played())
	if err != nil {
		return err
	}
	defer server.Close()
	client, err := openai.New(openai.WithBaseURL(server.URL), openai.WithToken("none"), openai.WithModel("small-q4"), openai.WithHTTPClient(loopback.Client()))
	if err != nil {
		return err
	}
	model, err := llmretry.New(client, llmretry.WithBackoff(llmretry.Constant(time.Millisecond)))
	if err != nil {
		return err
	}

	counter := map[llmretry.Outcome]int{}
	p := pipeline{model: model, trail: llmretry.NewTrail(0), outcome: func(_ context.Context, o llmretry.Outcome) { counter[o]++ }}
	err = p.run(ctx, w)

	var exhausted *llmretry.ExhaustedError
	if !errors.As(err, &exhausted) {
		return fmt.Errorf("the review was to fail: %w", err)
	}
	fmt.Fprintf(w, "review: %v\n\n", err)
	loopback.Print(w, server.Requests())
	stored, err := json.MarshalIndent(p.trail, "", "  ") // a pipeline can go on elsewhere
	fmt.Fprintf(w, "\ntrail %s\n\nerror has %d entries\n", stored, len(exhausted.Trail))
	for _, o := range []llmretry.Outcome{llmretry.OutcomeSuccess, llmretry.OutcomeRetry, llmretry.OutcomeExhausted} {
		fmt.Fprintf(w, "schema_retry_attempts_total{outcome=%q} %d\n", o, counter[o])
	}
	return err
}
