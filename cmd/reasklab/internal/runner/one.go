package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/cases"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/journal"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/provider"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/strategy"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// one runs a case under a strategy. An error means that it came to no record.
//
// There are two decorators. The inner one carries each request past the failures of the provider; the outer one is the
// strategy and counts answers. With a single one the strategies would be compared by how often the provider was busy.
func (r *Runner) one(ctx context.Context, c *cases.Case, s *strategy.Strategy) (journal.Record, error) {
	record := journal.Record{Case: c.ID, Strategy: s.Name}
	var t tally
	inner, err := r.carried(provider.Main, c, &t)
	if err != nil {
		return record, err
	}
	var bigger llms.Model
	if r.Set.NeedsBigger() {
		if bigger, err = r.carried(provider.Bigger, c, &t); err != nil {
			return record, err
		}
	}
	model, err := s.Decorate(inner, bigger)
	if err != nil {
		return record, err
	}
	model, err = model.With(llmretry.WithObserver(llmretry.Observer{
		Attempt: func(ctx context.Context, _ llmretry.AttemptStart) (context.Context, func(llmretry.Attempt)) {
			return ctx, func(a llmretry.Attempt) { record.Attempts = append(record.Attempts, attemptOf(a, c, t.take())) }
		},
	}))
	if err != nil {
		return record, err
	}
	result, err := llmretry.Generate(ctx, model, c.Parser(), c.Messages, r.Set.CallOptions()...)
	if err != nil {
		record.Error = err.Error()
		return record, r.verdict(ctx, &record, err)
	}
	record.Valid = true
	if matches, known := c.Matches(result.Value); known {
		record.Matches = &matches
	}
	record.Value, err = encode(result.Value)
	return record, err
}

// carried is a model of the provider for one run, with what goes around each of its requests.
func (r *Runner) carried(size provider.Size, c *cases.Case, t *tally) (llms.Model, error) {
	model, err := r.Provider.Model(size, c)
	if err != nil {
		return nil, err
	}
	m := &metered{Model: model, size: size, from: r.Provider, tally: t, ceiling: &r.ceiling}
	return r.gates[size].Carry(m, r.Carry.Attempts, r.Carry.MaxWait, llmretry.FullJitter(r.Carry.Backoff, r.Carry.MaxWait),
		llmretry.WithObserver(m.observer()),
		llmretry.WithClassifier(func(err error, s llmretry.State) bool {
			// Nothing at all is an answer too, if a bad one: what to do about it is the strategy's question.
			return llmretry.Category(err) != llmretry.CategoryEmptyResponse && llmretry.DefaultClassifier(err, s)
		}))
}

// StoppedError ends a run whose provider will answer no other case either: a wrong key, no such model, no money left.
type StoppedError struct {
	Category llmretry.ErrorCategory
	Err      error
}

func (e *StoppedError) Error() string { return fmt.Sprintf("the provider refuses: %v", e.Err) }

// Unwrap returns the provider's error.
func (e *StoppedError) Unwrap() error { return e.Err }

// verdict says what a failed call means: nil for a case that is over, an error for a run that is.
func (r *Runner) verdict(ctx context.Context, record *journal.Record, err error) error {
	for _, end := range []error{ErrCeiling, ErrUnknownUsage} {
		if errors.Is(err, end) {
			return end
		}
	}
	if ctx.Err() != nil {
		return ErrInterrupted
	}
	switch category := llmretry.Category(err); category {
	case llmretry.CategoryAuthentication, llmretry.CategoryInvalidModel, llmretry.CategoryQuotaExceeded:
		return &StoppedError{category, err}
	case llmretry.CategoryUnavailable, llmretry.CategoryRateLimit, llmretry.CategoryModelNotLoaded, llmretry.CategoryAttemptTimeout:
		record.Again = true
	}
	return nil
}

// attemptOf keeps of an attempt what the reports need.
func attemptOf(a llmretry.Attempt, c *cases.Case, t tally) journal.Attempt {
	kept := journal.Attempt{
		Reason: a.Reason, Bigger: a.Model == strategy.Bigger, Output: a.Output, Finish: a.FinishReason,
		In: t.in, Out: t.out, Requests: t.requests, Millis: float64(t.latency) / float64(time.Millisecond),
	}
	if temperature, ok := a.Sent()["temperature"].(float64); ok {
		kept.Temperature = &temperature
	}
	for _, m := range a.Messages[min(len(c.Messages), len(a.Messages)):] {
		kept.Appended = append(kept.Appended, journal.Message{Role: string(m.Role), Text: textOf(m)})
	}
	if a.Err == nil {
		return kept
	}
	kept.Class, kept.Error = string(a.Category), a.Err.Error()
	var refusal *llmretry.StructuredOutputError
	if errors.As(a.Err, &refusal) {
		kept.Output, kept.Error, kept.Issues = refusal.OutputContent, refusal.ErrorMessage, refusal.Issues
		kept.Class = classOf(refusal, a.Category)
	}
	return kept
}

// classOf names what was wrong with an answer: that it was cut, or the code of the first issue.
func classOf(refusal *llmretry.StructuredOutputError, category llmretry.ErrorCategory) string {
	switch {
	case category != llmretry.CategoryStructuredOutputInvalid:
		return string(category)
	case refusal.FinishReason == llmretry.FinishLength:
		return string(llmretry.ClassTruncated)
	case len(refusal.Issues) > 0 && refusal.Issues[0].Code != "":
		return refusal.Issues[0].Code
	}
	return string(category)
}

func textOf(m llms.MessageContent) (text string) {
	for _, part := range m.Parts {
		if t, ok := part.(llms.TextContent); ok {
			text += t.Text
		}
	}
	return text
}

func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
