package llmretry_test

import (
	"errors"
	"math"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// private is in every text of shownReport that is a content: a prompt, an output, what a parser or provider quotes.
const private = "swordfish-4711"

// shownReport is a call with everything a report can have: a refusal, a provider's error, a decorator below, a binary
// part, options that JSON has no word for. Its figures are fixed.
func shownReport() *llmretry.Report {
	image := llms.MessageContent{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{
		llms.TextContent{Text: "Who is this? " + private}, llms.BinaryContent{MIMEType: "image/png", Data: []byte(private)},
	}}
	system := llms.TextParts(llms.ChatMessageTypeSystem, "You know "+private)
	first := []llms.MessageContent{system, image}
	output := `{"age": "` + private + `"}`
	second := append(first[:2:2], llms.TextParts(llms.ChatMessageTypeAI, output), llms.TextParts(llms.ChatMessageTypeHuman, "No "+private))
	issues := llmretry.Issues{
		{Path: "/age", Code: "type", Want: "integer", Got: `"` + private + `"`, Message: "/age: want integer, got " + private},
		{Path: "/" + private, Code: "additional"},
	}
	tokens := func(in, out int) llmretry.Usage {
		return llmretry.Usage{
			Input: llmretry.Count{N: in, Known: true}, Output: llmretry.Count{N: out, Known: true}, Total: llmretry.Count{N: in + out, Known: true},
		}
	}
	refusal := &llmretry.StructuredOutputError{Failure: llmretry.Failure{
		OutputContent: output, ErrorMessage: issues.Error(), Issues: issues, Err: issues, Remaining: 2,
		FinishReason: llmretry.FinishStop, Usage: tokens(20, 9),
	}}
	down := &llmretry.ProviderError{
		Category: llmretry.CategoryRateLimit, Status: 429, RetryAfter: 2 * time.Second, Err: errors.New("you said " + private),
	}
	response := &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: output}}}
	below := &llmretry.Report{Choice: -1, Err: down, Attempts: []llmretry.Attempt{
		{Category: llmretry.CategoryRateLimit, Err: down, Latency: 250 * time.Millisecond, Messages: second},
	}}
	r := &llmretry.Report{Choice: -1, Attempts: []llmretry.Attempt{
		{
			Model: "small", Judged: true, Category: llmretry.CategoryStructuredOutputInvalid, Err: refusal, FinishReason: llmretry.FinishStop,
			Usage: tokens(20, 9), Latency: 1500 * time.Millisecond, Output: output, Messages: first, Response: response,
			Options: []llms.CallOption{llms.WithTemperature(0), llms.WithMetadata(map[string]any{"hook": func() {}, "user": private})},
		},
		{
			Index: 1, Reason: llmretry.ReasonReask, Model: "large", Category: llmretry.CategoryRateLimit, Err: down,
			Latency: 300 * time.Millisecond, Wait: 2 * time.Second, Messages: second, Dropped: []string{"seed"}, Nested: []*llmretry.Report{below},
			Options: []llms.CallOption{llms.WithTemperature(math.NaN())},
		},
		{
			Index: 2, Reason: llmretry.ReasonTransient, Judged: true, Category: llmretry.CategoryStructuredOutputInvalid, Err: refusal,
			FinishReason: llmretry.FinishLength, Latency: time.Second, Output: output, Messages: second, Response: response,
			Warnings: []error{errors.New("odd: " + private)},
		},
	}}
	r.Err = &llmretry.AttemptsError{Report: r, Err: refusal, Stop: llmretry.ErrMaxAttempts}
	return r
}

// shownErrors are the errors of this package, each with contents in it.
func shownErrors() map[string]error {
	r := shownReport()
	return map[string]error{
		"refused":  r.Attempts[0].Err,
		"provider": r.Attempts[1].Err,
		"attempts": r.Err,
		"builder":  &llmretry.AttemptsError{Report: r, Err: r.Attempts[0].Err, Stop: errors.New("builder: " + private)},
		"panic":    &llmretry.PanicError{Value: errors.New(private), Stack: []byte("goroutine 1 [running]:\nmain.main()\n")},
		"exhausted": &llmretry.ExhaustedError{Step: "triage", Err: r.Attempts[0].Err, Trail: []llmretry.TrailEntry{
			{Step: "triage", Error: private, Raw: strings.Repeat(private, 3), Count: 2},
		}},
		"empty": &llmretry.AttemptsError{},
	}
}
