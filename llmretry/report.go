package llmretry

import (
	"math"
	"time"

	"github.com/tmc/langchaingo/llms"
)

// RetryReason says why an attempt was made: it names the kind of the failure immediately before it. "" for attempt 0.
// (Semantics H1.)
type RetryReason string

const (
	ReasonTransient RetryReason = "transient" // the request was sent again, nothing appended
	ReasonReask     RetryReason = "reask"     // the prior output and a correction were appended
)

// Attempt is one model call of a [Report]. Messages, Options and Response are shared with the call: read-only.
type Attempt struct {
	Index        int
	Reason       RetryReason
	Model        string        // the name, as far as it is known: the options', the override's, WithModelName's
	Category     ErrorCategory // "" when the attempt was accepted
	Judged       bool          // a parser or validator decided; false for tool calls that pass, for an empty response
	Err          error
	FinishReason FinishReason // of the judged choice; "" without one
	Usage        Usage
	Latency      time.Duration         // of the model call, without the judging
	Wait         time.Duration         // scheduled after it; a call cancelled meanwhile waited less
	Output       string                // of the judged choice, verbatim
	Messages     []llms.MessageContent // as sent
	Options      []llms.CallOption     // as sent
	Dropped      []string              // options fields the safety net left out of this attempt
	Response     *llms.ContentResponse
	Nested       []*Report // of decorators below, in order of their end
	Warnings     []error   // of validators that accepted with Warn
}

// Report is the ledger of one call. It is complete and no longer written to once the call has returned.
// (Semantics G2.)
type Report struct {
	Attempts []Attempt // one per model call
	Choice   int       // index of the accepted choice in the last attempt's Response
	Err      error     // what the call returned
}

// newReport returns a report with room for one attempt, in one allocation: that is all most calls have to report.
func newReport() *Report {
	r := new(struct {
		Report
		first [1]Attempt
	})
	r.Choice, r.Attempts = -1, r.first[:0]
	return &r.Report
}

// next adds an attempt. A call that failed twice may go on failing: then there is room for more, never for more than
// there can be.
func (r *Report) next(maxAttempts int) *Attempt {
	n := len(r.Attempts)
	if n > 0 && n == cap(r.Attempts) {
		grown := make([]Attempt, n, max(n+1, min(maxAttempts, 4*n)))
		copy(grown, r.Attempts)
		r.Attempts = grown
	}
	r.Attempts = append(r.Attempts, Attempt{})
	return &r.Attempts[n]
}

// Usage sums the usage of all attempts, those of decorators below instead of the attempt that contains them. complete
// is false when a response came without its total: sum then misses something. An attempt that got no response counts
// as zero tokens. (Semantics F10, G1.)
func (r *Report) Usage() (sum Usage, complete bool) {
	complete = true
	r.addUsage(&sum, &complete)
	return sum, complete
}

func (r *Report) addUsage(sum *Usage, complete *bool) {
	for i := range r.Attempts {
		r.Attempts[i].addUsage(sum, complete)
	}
}

func (a *Attempt) addUsage(sum *Usage, complete *bool) {
	for _, n := range a.Nested {
		n.addUsage(sum, complete)
	}
	if len(a.Nested) > 0 || a.Response == nil {
		return
	}
	sum.Input = sum.Input.plus(a.Usage.Input)
	sum.Output = sum.Output.plus(a.Usage.Output)
	sum.Total = sum.Total.plus(a.Usage.Total)
	*complete = *complete && a.Usage.Total.Known
}

// plus adds what is known. Unlike a response's own total, a sum over attempts of which one is unknown is still worth
// showing; Report.Usage says that it is incomplete.
func (c Count) plus(d Count) Count {
	return Count{N: c.N + d.N, Known: c.Known || d.Known}
}

// LastRefused returns the last output that was refused, with what was wrong; nil when none was.
func (r *Report) LastRefused() *StructuredOutputError {
	for i := len(r.Attempts) - 1; i >= 0; i-- {
		if refusal, ok := r.Attempts[i].Err.(*StructuredOutputError); ok {
			return refusal
		}
	}
	return nil
}

// Best returns the refused output with the fewest issues, the latest of them; nil when none was refused. One whose
// parser gave no issues is worse than any that has some.
func (r *Report) Best() *StructuredOutputError {
	var best *StructuredOutputError
	for i := range r.Attempts {
		refusal, ok := r.Attempts[i].Err.(*StructuredOutputError)
		if ok && (best == nil || badness(refusal) <= badness(best)) {
			best = refusal
		}
	}
	return best
}

func badness(e *StructuredOutputError) int {
	if len(e.Issues) == 0 {
		return math.MaxInt
	}
	return len(e.Issues)
}

// unmoved reports whether there were corrections and none of them changed the output.
func (r *Report) unmoved() bool {
	corrections := 0
	var output string
	for i := range r.Attempts {
		refusal, ok := r.Attempts[i].Err.(*StructuredOutputError)
		switch {
		case !ok:
			continue
		case corrections > 0 && refusal.OutputContent != output:
			return false
		}
		output = refusal.OutputContent
		corrections++
	}
	return corrections > 1 && r.Attempts[len(r.Attempts)-1].Reason == ReasonReask
}
