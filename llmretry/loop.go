package llmretry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"
)

// call is the state of one call. Everything the loop changes is here or in its locals: a Model holds nothing of a call.
type call struct {
	c       *config
	scope   *scope        // of the caller's context; may be nil
	start   time.Duration // on the clock
	watched bool          // somebody wants the report of a success too

	transcript transcript
	options    []llms.CallOption // the caller's, after WithCallOptions
	index      int               // of the current attempt
	why        RetryReason       // of the current attempt
	next       Override          // of the schedule, for the next attempt
	truncated  int               // outputs cut so far
	failures   map[FailureClass]int
	outputs    streak  // of refused outputs that are the same
	issues     streak  // of refusals with the same issues
	skipped    int     // entries of the schedule that stagnation jumped over
	dirty      bool    // chunks were delivered since the last reset
	tokens     int     // used by responses so far
	uncounted  bool    // a response did not report its total
	reserved   bool    // one model call is taken from the ceilings and not made yet
	last       error   // the last attempt's error that was not nil
	report     *Report // nil until an attempt is recorded
	delivered  bool    // the report is out
	outcome    outcome // of the current attempt
}

// run makes the call: attempt, and while it fails and may be retried, again. The numbers are the steps of semantics
// C7; each policy is a function of its own.
func (k *call) run(ctx context.Context) (*llms.ContentResponse, error) {
	if k.scope != nil && k.scope.ceiling != nil {
		defer k.giveBack() // of a call that panics too
	}
	if ctx.Err() != nil {
		return nil, k.fail(&k.outcome, stoppedBy(ctx))
	}
	if !k.reserve() {
		return nil, k.fail(&k.outcome, ErrMaxModelCalls)
	}
	for {
		o := k.attempt(ctx)
		if o.stopped != nil { // 1: cancelled, whatever the model made of it
			return nil, k.fail(o, o.stopped)
		}
		if o.err == nil {
			return o.response, nil
		}
		if ctx.Err() != nil { // an observer may have taken its time
			return nil, k.fail(o, stoppedBy(ctx))
		}
		why := k.classify(o) // 2: worth another attempt?
		if why == "" {
			return nil, k.fail(o, nil)
		}
		if stop := k.budget(o); stop != nil { // 3: is there one left?
			return nil, k.fail(o, stop)
		}
		wait, stop := k.wait(ctx, o, why) // 4: computed and admissible?
		if stop != nil {
			return nil, k.fail(o, stop)
		}
		correction, stop := k.correction(ctx, o, why) // 5: the caller's words
		if ctx.Err() != nil {                         // 6
			return nil, k.fail(o, stoppedBy(ctx))
		}
		if stop != nil {
			return nil, k.fail(o, &builderStop{stop})
		}
		k.announce(ctx, o, wait) // 7: hook and observers
		if !sleep(ctx, wait) {   // 8, 9
			return nil, k.fail(o, stoppedBy(ctx))
		}
		k.advance(ctx, o.replay, why, correction) // 10
	}
}

// classify returns the reason the next attempt would have, "" when the failure is final. (Semantics A5, A6, B6, E9.)
func (k *call) classify(o *outcome) RetryReason {
	switch o.verdict {
	case final:
		return ""
	case cut:
		if entry(k.c.truncation, k.truncated-1).Stop {
			return ""
		}
		return ReasonTransient
	case refused:
		if k.c.reask != nil {
			return ReasonReask
		}
	}
	s := State{Attempt: k.index, Elapsed: clock() - k.start, Messages: slices.Clip(k.transcript.messages())}
	if k.netted(o) || k.c.classify(o.err, s) {
		return ReasonTransient
	}
	return ""
}

// budget returns the sentinel of the budget that the next attempt would exceed, else takes what it needs and settles
// the override that is due. (Semantics A1, G1.)
func (k *call) budget(o *outcome) error {
	if k.index+1 >= k.c.maxAttempts {
		return ErrMaxAttempts
	}
	if stop := k.stagnates(o); stop != nil {
		return stop
	}
	switch k.next = k.due(o); {
	case k.next.Stop:
		return ErrMaxAttempts
	case k.c.tokenBudget > 0 && k.tokens >= k.c.tokenBudget:
		return ErrTokenBudget
	case k.c.tokenBudget > 0 && k.uncounted:
		return errUncounted
	case !k.reserve():
		return ErrMaxModelCalls
	}
	return nil
}

// reserve takes one model call from the ceilings. The first call under an attempt of a decorator above uses that
// attempt's own.
func (k *call) reserve() bool {
	if k.scope == nil || k.scope.ceiling == nil {
		return true
	}
	k.reserved = k.scope.ceiling.take(k.scope.host.prepaid())
	return k.reserved
}

// wait returns how long to wait before the next attempt, or why it is not worth waiting. (Semantics C1 to C4.)
func (k *call) wait(ctx context.Context, o *outcome, why RetryReason) (d time.Duration, stop error) {
	if why == ReasonReask {
		if k.c.reaskBackoff != nil {
			d = max(0, k.c.reaskBackoff(k.index))
		}
	} else {
		d = max(0, o.demand, k.c.backoff(k.index))
		if o.demand > k.c.maxRetryAfter {
			return 0, fmt.Errorf("%w: %v, at most %v", ErrRetryAfter, o.demand, k.c.maxRetryAfter)
		}
	}
	if outlasts(ctx, d) {
		return 0, context.DeadlineExceeded
	}
	return d, nil
}

// withRetryAfter makes the server's demand a field of the error, wherever it was found. The error of a decorator below
// stays what it is: a carrier, for the one above this one too.
func withRetryAfter(err error, demand time.Duration) error {
	var p *ProviderError
	var carrier *AttemptsError
	if demand == 0 || errors.As(err, &carrier) || errors.As(err, &p) && p.RetryAfter == demand {
		return err
	}
	return &ProviderError{Category: Category(err), Status: statusOf(err), RetryAfter: demand, Err: err}
}

// correction asks the builder for the text of a reask. (Semantics E2, E3, E10.)
func (k *call) correction(ctx context.Context, o *outcome, why RetryReason) (string, error) {
	if why != ReasonReask {
		return "", nil
	}
	if k.scope != nil {
		ctx = withInfo(ctx, k.info()) // should the builder ask a model of its own
	}
	text, err := k.c.reask(ctx, o.err.(*StructuredOutputError).Failure)
	if err == nil && strings.TrimSpace(text) == "" {
		err = errBlankCorrection
	}
	return text, err
}

// announce tells hook and observers that a retry is scheduled. (Semantics C5.)
func (k *call) announce(ctx context.Context, o *outcome, wait time.Duration) {
	a := &k.report.Attempts[k.index]
	a.Wait = wait
	if k.c.onRetry != nil {
		k.c.onRetry(ctx, o.err, k.index)
	}
	for _, observer := range k.c.observers {
		if observer.Retry != nil {
			observer.Retry(ctx, *a, wait)
		}
	}
}

// advance moves on to the next attempt. What is replayed was set aside when the output was judged: hook and observers
// have seen the error since. (Semantics C5, E4 to E6, I4.)
func (k *call) advance(ctx context.Context, replay exchangePair, why RetryReason, correction string) {
	if why == ReasonReask {
		replay.correction = correction
		k.transcript.push(replay, k.c.transcriptPolicy, k.c.maxAttempts-k.index-2)
	}
	k.index, k.why, k.outcome = k.index+1, why, outcome{}
	if k.dirty && k.c.streamReset != nil {
		k.c.streamReset(ctx, k.index)
	}
	k.dirty = false
}

// giveBack returns a model call that was reserved and not made.
func (k *call) giveBack() {
	if k.reserved {
		k.scope.ceiling.giveBack(nil)
		k.reserved = false
	}
}

// fail ends the call. A call whose only attempt failed by itself returns that attempt's own error, and the very value
// the model returned when there never could have been a second one; any other failed call returns an AttemptsError.
// (Semantics A3, A5.)
func (k *call) fail(o *outcome, stop error) error {
	if k.report == nil {
		k.report = newReport()
	}
	if len(k.report.Attempts) == 1 && (stop == nil || k.c.maxAttempts == 1 && stop == ErrMaxAttempts) {
		if k.c.maxAttempts == 1 && o.raw != nil {
			return o.raw
		}
		return o.err
	}
	e := &AttemptsError{Report: k.report, Err: o.err, Stop: stop}
	e.unmoved = errors.Is(stop, ErrExhausted) && k.c.flatten == nil && k.report.unmoved()
	if b, ok := stop.(*builderStop); ok {
		e.Stop, e.fromBuilder = b.err, true
	}
	if k.last != nil && (e.Err == nil || o.stopped != nil && Category(e.Err) == CategoryCanceled) {
		e.Err = k.last // the last thing a provider said; the context's own word is in Stop
	}
	return e
}

// builderStop marks what the builder returned: whatever it matches, it is not what ended the caller's context.
type builderStop struct{ err error }

func (b *builderStop) Error() string { return b.err.Error() }
