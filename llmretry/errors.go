package llmretry

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The sentinels, for errors.Is. The last four are each ErrExhausted too.
var (
	ErrInvalidOption           = errors.New("llmretry: invalid option")
	ErrStructuredOutputInvalid = errors.New("llmretry: structured output invalid")
	ErrAttemptTimeout          = errors.New("llmretry: attempt timeout")
	ErrRetryAfter              = errors.New("llmretry: the provider asks for a longer wait than allowed")
	ErrToolCalls               = errors.New("llmretry: the model answered with tool calls instead of a value")

	ErrExhausted     = errors.New("llmretry: exhausted")
	ErrMaxAttempts   = fmt.Errorf("%w: no attempts left", ErrExhausted)
	ErrTokenBudget   = fmt.Errorf("%w: token budget spent", ErrExhausted)
	errUncounted     = fmt.Errorf("%w, as far as is known: a response did not report its usage", ErrTokenBudget)
	ErrMaxModelCalls = fmt.Errorf("%w: no model calls left in this context", ErrExhausted)
	ErrStagnated     = fmt.Errorf("%w: the same wrong answer again", ErrExhausted)
)

// errBlankCorrection is the Stop of a call whose builder had nothing to say. (Semantics E10.)
var errBlankCorrection = errors.New("llmretry: the reask builder returned blank text")

// errEmptyResponse is the attempt error of a response with nothing in it. (Semantics F8.)
var errEmptyResponse = errors.New("llmretry: empty response")

// StructuredOutputError carries the [Failure] of an output that was refused ([CategoryStructuredOutputInvalid]), cut
// ([CategoryTruncated]) or filtered ([CategoryContentFiltered]); [Category] tells which. Only the first matches
// [ErrStructuredOutputInvalid]. It unwraps to Failure.Err. Match it with errors.As and a *StructuredOutputError.
type StructuredOutputError struct{ Failure }

// Error is short and leaves the model's text out: it names the paths and codes of the issues or, when there are none,
// says what the parser said without the output that it may have quoted. The whole of it is in the Failure.
func (e *StructuredOutputError) Error() string {
	what := "structured output invalid"
	switch e.category {
	case CategoryTruncated:
		what = "output truncated"
	case CategoryContentFiltered:
		what = "content filtered"
	}
	why := e.ErrorMessage
	if len(e.Issues) > 0 {
		why = e.Issues.brief()
	} else {
		why = withoutOutput(why, e.OutputContent)
	}
	if why == "" {
		return what
	}
	return what + ": " + clip(why, maxErrorText)
}

// withoutOutput takes what the model said out of an error text that may quote it.
func withoutOutput(text, output string) string {
	output = strings.TrimSpace(output)
	if len(output) < minElided {
		return text
	}
	quoted := strconv.Quote(output) // as %q prints it
	return strings.NewReplacer(output, "[output]", quoted[1:len(quoted)-1], "[output]").Replace(text)
}

// minElided is the length from which an output is taken out of an error text. Shorter ones are words that the text may
// hold for reasons of its own.
const minElided = 8

// Unwrap returns the parser's or validator's error.
func (e *StructuredOutputError) Unwrap() error { return e.Err }

// Is matches ErrStructuredOutputInvalid for a refused output only.
func (e *StructuredOutputError) Is(target error) bool {
	return target == ErrStructuredOutputInvalid && e.ownCategory() == CategoryStructuredOutputInvalid
}

func (e *StructuredOutputError) ownCategory() ErrorCategory {
	if e.category == "" {
		return CategoryStructuredOutputInvalid
	}
	return e.category
}

// AttemptsError is the error of every failed call but one whose only attempt failed by itself: that call returns the
// attempt's own error. It unwraps to Err and Stop, so errors.Is and errors.As reach both. (Semantics A3, A5.)
type AttemptsError struct {
	Report *Report // all attempts
	Err    error   // the final attempt's error, or the last one known; nil if there was none
	Stop   error   // what ended the call: a budget's sentinel, the context's cause, the builder's error; nil = Err is final by itself

	fromBuilder bool // Stop is the builder's: a deadline in it is not the call's own
	unmoved     bool // every correction got the same output
}

// Error names the number of attempts, what stopped the call and the last error, without keys that a client may have put
// into a URL.
func (e *AttemptsError) Error() string {
	n := 0
	if e.Report != nil {
		n = len(e.Report.Attempts)
	}
	s := "llmretry: failed after " + plural(n, "attempt")
	if e.Stop != nil {
		s += " (" + clip(redact(e.Stop.Error()), maxErrorText) + ")"
	}
	if e.Err != nil {
		s += ": " + clip(redact(e.Err.Error()), maxProviderText)
	}
	if e.unmoved {
		s += " (no correction changed the output; a provider that reads only the first message needs WithFlattenedTranscript)"
	}
	return s
}

// Unwrap returns the final attempt's error and what stopped the call.
func (e *AttemptsError) Unwrap() []error {
	errs := make([]error, 0, 2)
	for _, err := range []error{e.Err, e.Stop} {
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// ProviderError annotates a model's error with what the decorator learned beyond its text: from a [Transport], from
// the attempt's deadline, from the caller's stream function.
type ProviderError struct {
	Category   ErrorCategory
	Status     int           // HTTP status; 0 = unknown
	RetryAfter time.Duration // what the server asked for; 0 = nothing, math.MaxInt64 = more than a Duration holds
	Err        error
}

// Error is the model's own text, without keys that a client may have put into a URL, and the category before it.
func (e *ProviderError) Error() string {
	s := string(e.Category)
	if e.Status != 0 {
		s += " (status " + strconv.Itoa(e.Status) + ")"
	}
	if e.RetryAfter > 0 {
		s += " (retry after " + e.RetryAfter.String() + ")"
	}
	if e.Err != nil {
		s += ": " + clip(redact(e.Err.Error()), maxProviderText)
	}
	return s
}

// Unwrap returns the annotated error.
func (e *ProviderError) Unwrap() error { return e.Err }

// PanicError is a recovered panic of the inner model, a validator or a stream function. It is final: a bug is not
// healed by asking again. (Semantics J2.)
type PanicError struct {
	Value any
	Stack []byte // of the panicking goroutine
}

// Error names the panic's value; the stack is in the field.
func (e *PanicError) Error() string {
	return clip(redact(fmt.Sprintf("llmretry: panic: %v", e.Value)), maxErrorText)
}

// Unwrap returns the panic's value when it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// contextStop is the Stop of a call that its context ended with a cause of the caller's own: it matches both the
// context's error and the cause, and reads as the cause.
type contextStop struct{ err, cause error }

func (e *contextStop) Error() string   { return e.err.Error() + ": " + e.cause.Error() }
func (e *contextStop) Unwrap() []error { return []error{e.err, e.cause} }

// stoppedBy returns what ended ctx: its error, together with a cause that differs from it.
func stoppedBy(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if err == nil || cause == nil || cause == err {
		return err
	}
	return &contextStop{err, cause}
}
