package report

import (
	"errors"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/cases"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/journal"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/strategy"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Replay makes the report again that a record was taken from, as far as a journal keeps it, for those who can show
// reports.
func Replay(c *cases.Case, set *strategy.Set, r *journal.Record) *llmretry.Report {
	report := new(llmretry.Report)
	for i := range r.Attempts {
		report.Attempts = append(report.Attempts, attempt(i, c, set, &r.Attempts[i]))
	}
	if !r.Valid {
		report.Err, report.Choice = errors.New(r.Error), -1
	}
	return report
}

func attempt(i int, c *cases.Case, set *strategy.Set, kept *journal.Attempt) llmretry.Attempt {
	a := llmretry.Attempt{
		Index: i, Reason: kept.Reason, FinishReason: kept.Finish, Output: kept.Output,
		Usage:   llmretry.Usage{Input: kept.In, Output: kept.Out, Total: total(kept)},
		Latency: time.Duration(kept.Millis * float64(time.Millisecond)),
	}
	a.Messages = append(a.Messages, c.Messages...)
	for _, m := range kept.Appended {
		a.Messages = append(a.Messages, llms.TextParts(llms.ChatMessageType(m.Role), m.Text))
	}
	a.Options = set.CallOptions()
	if kept.Temperature != nil {
		a.Options = append(a.Options, llms.WithTemperature(*kept.Temperature))
	}
	if kept.Bigger {
		a.Model = strategy.Bigger
	}
	if kept.Output != "" || kept.Class == "" {
		a.Response = &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: kept.Output, StopReason: string(kept.Finish)}}}
	}
	switch {
	case kept.Class == "":
	case len(kept.Issues) > 0, kept.Class == string(llmretry.ClassTruncated), kept.Class == string(llmretry.CategoryStructuredOutputInvalid):
		a.Category = llmretry.CategoryStructuredOutputInvalid
		a.Err = &llmretry.StructuredOutputError{Failure: llmretry.Failure{
			OutputContent: kept.Output, ErrorMessage: kept.Error, Issues: kept.Issues, Attempt: i, FinishReason: kept.Finish, Usage: a.Usage,
			Response: a.Response, Schema: c.Schema, Err: errors.New(kept.Error),
		}}
	default:
		a.Category = llmretry.ErrorCategory(kept.Class)
		a.Err = &llmretry.ProviderError{Category: a.Category, Err: errors.New(kept.Error)}
	}
	return a
}

func total(a *journal.Attempt) llmretry.Count {
	return llmretry.Count{N: a.Tokens(), Known: a.In.Known && a.Out.Known}
}
