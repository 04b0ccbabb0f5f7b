package llmretry

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/tmc/langchaingo/llms"
)

// request is what one attempt sends, and to whom.
type request struct {
	model    llms.Model
	name     string // of the model, as far as it is known
	messages []llms.MessageContent
	options  []llms.CallOption
	dropped  []string
	stream   *stream // nil when the caller does not stream
}

// request builds the current attempt's. Attempt 0 is the caller's own call. (Semantics D.)
func (k *call) request() request {
	r := request{model: k.c.inner, name: k.c.modelName, messages: k.transcript.messages(), options: k.options}
	if k.c.flatten != nil {
		r.messages = flattened(r.messages, k.c.flatten)
	}
	if k.index > 0 {
		k.override(&r)
	}
	o, _ := resolve(r.options)
	if o.Metadata != nil && k.index == 0 {
		r.options = isolated(r.options)
	}
	if o.Model != "" {
		r.name = o.Model
	}
	if o.StreamingFunc != nil || o.StreamingReasoningFunc != nil {
		hold := k.c.judges() && k.c.streamReset == nil
		r.stream = &stream{text: o.StreamingFunc, reasoning: o.StreamingReasoningFunc, hold: hold}
		r.options = append(slices.Clip(r.options), r.stream.wrap)
	}
	return r
}

// override merges the schedule's entry for this attempt, then the truncation entry in force. (Semantics D2, D3, F6.)
func (k *call) override(r *request) {
	entries := k.entries(r)
	r.dropped = k.withoutRejected(entries, r.model, r.name)
	r.options = merged(r.options, entries...)
}

// entries returns those in force for this attempt and sets whose model takes it.
func (k *call) entries(r *request) []Override {
	entries := []Override{entry(k.c.schedule, k.index-1)}
	if k.truncated > 0 {
		entries = append(entries, entry(k.c.truncation, k.truncated-1))
	}
	for _, e := range entries {
		if e.Model != nil {
			r.model, r.name = e.Model, e.Name
		}
	}
	return entries
}

// attempt makes one model call and judges what came of it. It is recorded when it failed, or when somebody watches.
func (k *call) attempt(ctx context.Context) outcome {
	r := k.request()
	k.reserved = false
	if k.watched {
		return k.observed(ctx, &r)
	}
	begin := k.begin()
	o, scope := k.perform(ctx, ctx, &r, begin)
	if o.err != nil || ctx.Err() != nil {
		k.record(ctx, &r, &o, scope, begin)
	}
	return o
}

// begin is when the current attempt began; for the first one that is when the call did.
func (k *call) begin() time.Time {
	if k.index == 0 {
		return k.start
	}
	return time.Now()
}

// observed is attempt with observers around it: each of their functions runs exactly once, also when one of them or
// the caller's classifier panics. (Semantics H1.)
func (k *call) observed(ctx context.Context, r *request) (o outcome) {
	a := Attempt{Index: k.index, Reason: k.why, Model: r.name, Category: CategoryPanic} // until it is known better
	observers := k.c.observers
	inner := ctx
	info := AttemptInfo{Index: k.index, Max: k.c.maxAttempts, Reason: k.why}
	for _, observer := range observers {
		if observer.Attempt == nil {
			continue
		}
		next, done := observer.Attempt(inner, AttemptStart{AttemptInfo: info, Model: r.name, Messages: r.messages, Options: r.options})
		if next != nil {
			inner = next
		}
		if done != nil {
			defer func() { done(a) }()
		}
	}
	begin := k.begin()
	o, scope := k.perform(ctx, inner, r, begin)
	a = k.record(ctx, r, &o, scope, begin)
	return o
}

// perform calls the model with inner, which descends from the caller's ctx, and judges the result.
func (k *call) perform(ctx, inner context.Context, r *request, begin time.Time) (o outcome, below *attemptContext) {
	epoch := unslotted.Load()
	if k.scope != nil || k.index > 0 || k.c.tokenBudget > 0 || k.c.below.listens(epoch) {
		below = k.attemptContext(inner)
		inner = below
	}
	response, err, timedOut := k.invoke(ctx, inner, r)
	if k.index == 0 {
		k.c.below.learn(below, epoch, err == nil && !timedOut)
	}
	var latency time.Duration
	if k.watched || k.c.judges() {
		latency = time.Since(begin) // before the judging, which is not the model's
	}
	var streamErr error
	if r.stream != nil {
		var delivered bool
		delivered, streamErr = r.stream.close()
		k.dirty = k.dirty || delivered
	}
	switch {
	case ctx.Err() != nil: // C6: before anything is made of the result
		o = outcome{verdict: final, err: err, original: response, choice: -1}
	case streamErr != nil:
		o = aborted(response, streamErr, err)
	case timedOut:
		o = outcome{verdict: failed, err: timeoutError(err), original: response, choice: -1}
	case err != nil:
		o = outcome{verdict: failed, err: alive(annotate(err, below.exchange())), raw: err, original: response, choice: -1}
		if _, panicked := err.(*PanicError); panicked {
			o.verdict = final
		}
	default:
		o = k.c.judge(ctx, response, k.index)
		if o.err == errEmptyResponse {
			if hidden := hiddenFailure(below.exchange()); hidden != nil {
				o.err = hidden // the client dropped the status
			}
		}
		if o.err == nil && r.stream != nil && r.stream.hold {
			if err := r.stream.release(ctx); err != nil {
				o = aborted(response, err, nil)
			}
		}
	}
	if o.verdict == failed && k.dirty && k.c.streamReset == nil {
		o.verdict = final // I3: what was shown cannot be taken back
	}
	if o.verdict == cut {
		k.truncated++
	}
	o.latency = latency
	return o, below
}

// aborted is the outcome of an attempt that the caller's own stream function ended. (Semantics I5, J2.)
func aborted(response *llms.ContentResponse, streamErr, err error) outcome {
	o := outcome{verdict: final, err: streamErr, original: response, choice: -1}
	if _, panicked := streamErr.(*PanicError); !panicked {
		if errors.Is(err, streamErr) {
			streamErr = err // the client's wrapping says where it happened
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

// invoke calls the model. Only an attempt timeout needs a goroutine: a model that ignores its context is left behind
// in it. timedOut means the attempt's own deadline passed while ctx, the caller's, lives. (Semantics G1, J0, J1.)
func (k *call) invoke(ctx, inner context.Context, r *request) (response *llms.ContentResponse, err error, timedOut bool) {
	if k.c.attemptTimeout == 0 {
		response, err = generate(inner, r)
		return response, err, false
	}
	limited, cancel := context.WithTimeoutCause(inner, k.c.attemptTimeout, ErrAttemptTimeout)
	defer cancel()
	type result struct {
		response *llms.ContentResponse
		err      error
	}
	results := make(chan result, 1) // so that an abandoned call can end
	own := *r                       // a goroutine that took r itself would put every request on the heap
	go func() {
		res := result{err: errGoexit}
		defer func() { results <- res }()
		res.response, res.err = generate(limited, &own)
	}()
	var res result
	select {
	case res = <-results:
	case <-limited.Done():
		select {
		case res = <-results:
		default:
		}
	}
	return res.response, res.err, limited.Err() != nil && ctx.Err() == nil
}

// errGoexit is what remains of a model that ended its goroutine (a test double calling t.FailNow does).
var errGoexit = &PanicError{Value: "the model called runtime.Goexit"}

// generate calls the model; a panic in it becomes an error on the caller's goroutine. (Semantics J2.)
func generate(ctx context.Context, r *request) (response *llms.ContentResponse, err error) {
	defer func() {
		if v := recover(); v != nil {
			response, err = nil, &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return r.model.GenerateContent(ctx, r.messages, r.options...)
}

// record adds the attempt to the report and counts its tokens. (Semantics G2.)
func (k *call) record(ctx context.Context, r *request, o *outcome, below *attemptContext, begin time.Time) Attempt {
	if o.latency == 0 {
		o.latency = time.Since(begin)
	}
	a := Attempt{
		Index: k.index, Reason: k.why, Model: r.name, Err: o.err,
		Latency:  o.latency,
		Messages: slices.Clip(r.messages), Options: slices.Clip(r.options), Dropped: r.dropped,
		Response: o.original, Usage: usageOf(o.original),
		Nested: below.reports(),
	}
	if o.original != nil && o.choice >= 0 && o.choice < len(o.original.Choices) {
		choice := o.original.Choices[o.choice]
		a.FinishReason, a.Output = finishReason(choice.StopReason), choice.Content
	}
	var refusal *StructuredOutputError
	if o.verdict == refused || o.verdict == cut {
		refusal = o.err.(*StructuredOutputError)
		a.Output = refusal.OutputContent
	}
	switch {
	case ctx.Err() != nil:
		a.Category = CategoryCanceled
		if a.Err == nil {
			a.Err = stoppedBy(ctx)
		}
	case o.err != nil:
		a.Category = Category(o.err)
	}
	if o.err != nil && ctx.Err() == nil {
		k.last = o.err
	}
	if k.report == nil {
		k.report = &Report{Choice: -1}
	}
	k.report.Attempts = append(k.report.Attempts, a)
	if o.err == nil {
		k.report.Choice = o.choice
	}
	k.count(&a)
	return a
}

// count adds the attempt's tokens to the call's. An attempt without a response counts 0. (Semantics G1.)
func (k *call) count(a *Attempt) {
	one := Report{Attempts: []Attempt{*a}}
	sum, complete := one.Usage()
	k.tokens += sum.Total.N
	k.uncounted = k.uncounted || !complete
}
