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

// attempt makes one model call and judges what came of it. It is recorded when it failed, or when somebody watches.
func (k *call) attempt(ctx context.Context) *outcome {
	var r request
	k.request(&r)
	k.reserved = false
	o := &k.outcome
	if k.watched {
		k.observed(ctx, &r)
		return o
	}
	begin := k.start
	if k.index > 0 {
		begin = clock()
	}
	below := k.perform(ctx, ctx, &r, begin)
	if o.err != nil || o.stopped != nil {
		k.record(&r, o, below)
	}
	return o
}

// observed is attempt with observers around it: each of their functions runs exactly once, also when another one of
// them panics. (Semantics H1.)
func (k *call) observed(ctx context.Context, r *request) {
	a := Attempt{Index: k.index, Reason: k.why, Model: r.name, Category: CategoryPanic} // until it is known better
	start := AttemptStart{AttemptInfo: k.info(), Model: r.name, Messages: slices.Clip(r.messages), Options: slices.Clip(r.options)}
	inner := ctx
	var few [4]func(Attempt)
	told := few[:0]
	defer func() { tell(told, &a) }()
	for _, observer := range k.c.observers {
		if observer.Attempt == nil {
			continue
		}
		next, done := observer.Attempt(inner, start)
		if next != nil {
			inner = next
		}
		if done != nil {
			told = append(told, done)
		}
	}
	below := k.perform(ctx, inner, r, clock())
	a = *k.record(r, &k.outcome, below)
}

// tell runs what observers want to run at an attempt's end, the last first.
func tell(observers []func(Attempt), a *Attempt) {
	if last := len(observers) - 1; last >= 0 {
		defer tell(observers[:last], a) // on a panic too
		observers[last](*a)
	}
}

// info is what may be told of the current attempt.
func (k *call) info() AttemptInfo {
	return AttemptInfo{Index: k.index, Max: k.c.maxAttempts, Reason: k.why}
}

// perform calls the model with inner, which descends from the caller's ctx, and makes k.outcome of the result. The
// caller's context is asked once, so that everybody agrees on whether it ended this attempt.
func (k *call) perform(ctx, inner context.Context, r *request, begin time.Duration) (below *attemptContext) {
	o := &k.outcome
	epoch := unslotted.Load()
	if k.scope != nil || k.index > 0 || k.c.tokenBudget > 0 || k.c.below.listens(epoch) {
		below = k.attemptContext(inner)
		inner = below
	}
	res, expired := k.invoke(inner, r)
	var stopped error
	if ctx.Err() != nil {
		stopped = stoppedBy(ctx)
	}
	var latency time.Duration
	if k.watched || k.c.judges() || res.err != nil || stopped != nil {
		latency = clock() - begin // before the judging, which is not the model's
	}
	if k.index == 0 {
		k.c.below.learn(below, epoch, res.err == nil && stopped == nil && !expired)
	}
	var streamErr error
	if r.stream != nil {
		var delivered bool
		delivered, streamErr = r.stream.close()
		k.dirty = k.dirty || delivered
	}
	_, panicked := res.err.(*PanicError)
	switch {
	case stopped != nil: // C6: before anything is made of the result
		*o = outcome{verdict: final, err: shown(res.err), raw: res.err, stopped: stopped, original: res.response, choice: -1}
	case streamErr != nil:
		*o = aborted(res, streamErr)
	case panicked:
		*o = outcome{verdict: final, err: res.err, original: res.response, choice: -1}
	case expired:
		*o = outcome{verdict: failed, err: timeoutError(res.err), original: res.response, choice: -1}
	case res.err != nil:
		*o = k.failure(res, below.exchange())
	default:
		k.judged(ctx, r, res.response, below.exchange())
	}
	if o.verdict == failed && k.dirty && k.c.streamReset == nil {
		o.verdict = final // I3: what was shown cannot be taken back
	}
	if o.verdict == cut {
		k.truncated++
	}
	if o.latency = latency; latency == 0 && o.err != nil {
		o.latency = clock() - begin
	}
	return below
}

// failure is the outcome of a call that returned an error, annotated with what is known beyond it.
func (k *call) failure(res result, ex *exchange) outcome {
	o := outcome{verdict: failed, err: alive(annotate(res.err, ex)), raw: res.err, original: res.response, choice: -1}
	o.demand, _ = retryAfterOf(o.err)
	if o.demand > k.c.maxRetryAfter {
		o.err = withRetryAfter(o.err, o.demand) // it is going to be why the call ends
	}
	return o
}

// judged makes k.outcome of a response. An accepted one is delivered to a stream that was held.
func (k *call) judged(ctx context.Context, r *request, response *llms.ContentResponse, ex *exchange) {
	o := &k.outcome
	if k.c.judges() || response == nil || len(response.Choices) == 0 || response.Choices[0] == nil {
		*o = k.c.judge(ctx, response, k.info())
	} else { // F4, as judge has it; in place, for it is the way of most calls
		o.response, o.original = response, response
	}
	if hidden := hiddenFailure(ex); hidden != nil && k.c.masks(o, ex) {
		*o = outcome{verdict: failed, err: hidden, original: response, choice: -1} // the client dropped the status
		o.demand, _ = retryAfterOf(hidden)
	}
	if o.err == nil && r.stream != nil && r.stream.hold {
		if err := r.stream.release(ctx); err != nil {
			*o = aborted(result{response: response}, err)
		}
	}
}

// masks reports whether a response stands for the failure of its exchange: it is empty, or it is what had come when the
// body broke off - unless a parser or validator found that to be all of it.
func (c *config) masks(o *outcome, ex *exchange) bool {
	switch {
	case o.err == errEmptyResponse, o.err == nil && isBlank(o.original):
		return true
	case ex.err != nil:
		return o.verdict == refused || o.err == nil && !c.judges()
	}
	return false
}

// shown is what may be shown of a model's error, nil for none.
func shown(err error) error {
	if err == nil {
		return nil
	}
	return discreet(err)
}

// isBlank reports whether a response has neither text nor tool calls.
func isBlank(r *llms.ContentResponse) bool {
	return strings.TrimSpace(contents(r)) == "" && !hasToolCalls(r)
}

// aborted is the outcome of an attempt that the caller's own stream function ended. (Semantics I5, J2.)
func aborted(res result, streamErr error) outcome {
	o := outcome{verdict: final, err: streamErr, original: res.response, choice: -1}
	if _, panicked := streamErr.(*PanicError); !panicked {
		if errors.Is(res.err, streamErr) {
			streamErr = res.err // the client's wrapping says where it happened
		}
		o.err = &ProviderError{Category: CategoryCallerAborted, Err: streamErr}
	}
	return o
}

// timeoutError keeps what the model said, unless that is only the context's word: it would match the caller's own
// deadline, and whether it still comes is a race with leaving the model behind.
func timeoutError(err error) error {
	if err == nil || errors.Is(err, ErrAttemptTimeout) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return &ProviderError{Category: CategoryAttemptTimeout, Err: ErrAttemptTimeout}
	}
	return &ProviderError{Category: CategoryAttemptTimeout, Err: fmt.Errorf("%w: %w", ErrAttemptTimeout, err)}
}
