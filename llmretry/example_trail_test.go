package llmretry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// priority reads what the examples ask for.
func priority(raw string) (int, error) {
	var v struct{ Priority *int }
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		return 0, errors.New("/Priority: want integer")
	}
	if v.Priority == nil {
		return 0, errors.New("/Priority: missing")
	}
	return *v.Priority, nil
}

// A text that is there already is decoded, and whoever wrote it is asked again with everything that was wrong. No model
// of langchaingo is needed.
func ExampleSchemaRetry() {
	answers := []string{`{"Prio": 1}`, `{"Priority": 1}`}
	plan := llmretry.SchemaRetry[int]{
		Prompt:   "Plan it.",
		Validate: priority,
		AskAgain: func(_ context.Context, prompt string) (string, error) {
			fmt.Printf("%q\n", prompt)
			answer := answers[0]
			answers = answers[1:]
			return answer, nil
		},
		Compose: llmretry.PreviousErrors(""),
	}
	v, err := plan.Run(context.Background(), `{"Priority": "high"}`)
	fmt.Println(v, err)
	// Output:
	// "Plan it.\n\nyou previously got these errors: /Priority: want integer"
	// "Plan it.\n\nyou previously got these errors: /Priority: want integer\n/Priority: missing"
	// 1 <nil>
}

// When the last validation fails the error has the whole trail, and the counter of outcomes its last count.
func ExampleExhaustedError() {
	plan := llmretry.SchemaRetry[int]{
		Step:        "plan",
		Validate:    priority,
		AskAgain:    func(context.Context, string) (string, error) { return `{}`, nil },
		Compose:     llmretry.PreviousErrors(""),
		MaxAttempts: 3,
		Outcome:     func(_ context.Context, o llmretry.Outcome) { fmt.Println(o) },
	}
	_, err := plan.Run(context.Background(), `{"Priority": "high"}`)
	fmt.Println(err)
	var exhausted *llmretry.ExhaustedError
	if errors.As(err, &exhausted) {
		for _, e := range exhausted.Trail {
			fmt.Println(e.Attempt, e.Raw, e.Count)
		}
	}
	// Output:
	// retry
	// retry
	// exhausted
	// llmretry: exhausted: step "plan": /Priority: missing
	// 0 {"Priority": "high"} 1
	// 1 {} 2
}

// The steps of a pipeline share a trail: the builder of a later step sees what went wrong in the earlier ones.
func ExampleWithTrail() {
	builder := func(_ context.Context, f llmretry.Failure) (string, error) {
		before := 0
		for _, e := range f.Earlier {
			before += e.Count
		}
		fmt.Printf("%s, %d before\n", f.ErrorMessage, before)
		return "Once more.", nil
	}
	model := llmretry.Must(llmretry.New(answers("blue", "red", `{"Colour": "red"}`, "green", `{"Colour": "green"}`),
		llmretry.WithParser(colour), llmretry.WithReask(builder)))
	trail := llmretry.NewTrail(0) // of this run
	for _, step := range []string{"walls", "doors"} {
		ctx := llmretry.NewContext(context.Background(), llmretry.WithTrail(trail, step))
		_, _ = model.GenerateContent(ctx, prompt)
	}
	for _, e := range trail.Entries() {
		fmt.Println(e.Step, e.Attempt, e.Raw)
	}
	// Output:
	// the answer is not JSON, 0 before
	// the answer is not JSON, 1 before
	// the answer is not JSON, 2 before
	// walls 0 blue
	// walls 1 red
	// doors 0 green
}

// A heading of your own goes there as it is.
func ExamplePreviousErrors() {
	compose := llmretry.PreviousErrors("Avoid these mistakes:\n")
	fmt.Println(compose("Plan it.", []llmretry.TrailEntry{{Error: "/Priority: missing"}, {Error: "/Owner: want string"}}))
	// Output:
	// Plan it.
	//
	// Avoid these mistakes:
	// /Priority: missing
	// /Owner: want string
}

// A pipeline that goes on in another process takes its trail with it.
func ExampleTrail() {
	stored := `{"limit": 2, "entries": [{"step": "plan", "attempt": 0, "error": "/Priority: missing", "raw": "{}", "count": 3}]}`
	trail := new(llmretry.Trail)
	if err := json.Unmarshal([]byte(stored), trail); err != nil {
		panic(err)
	}
	for _, e := range trail.Entries() {
		fmt.Printf("%s: %s, %d times\n", e.Step, e.Error, e.Count)
	}
	again, err := json.Marshal(trail)
	fmt.Println(string(again), err)
	// Output:
	// plan: /Priority: missing, 3 times
	// {"limit":2,"entries":[{"step":"plan","attempt":0,"error":"/Priority: missing","raw":"{}","count":3}]} <nil>
}
