package adapters_test

import (
	"errors"
	"fmt"

	"github.com/stretchr/testify/assert"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// soakResult is one call that has ended: what the caller got, and what the server knows.
type soakResult struct {
	llmretry.Result[soakValue]
	id      int
	streams bool
	aborts  bool // its stream function refuses the first chunk
	err     error
	cause   error // of the caller's context; nil = it did not end
	heard   string
	seen    map[int]*soakExchange
}

// check compares attempt by attempt, then the end.
func (c *soakResult) check(p assert.TestingT) {
	attempts := c.Report.Attempts
	if !assert.NotEmpty(p, attempts, "call %d", c.id) || !assert.LessOrEqual(p, len(attempts), soakAttempts, "call %d", c.id) {
		return
	}
	for i := range c.seen {
		assert.Less(p, i, len(attempts), "call %d: attempt %d was sent and is not in the report", c.id, i)
	}
	for i := range attempts {
		a := &attempts[i]
		assert.Equal(p, i, a.Index, "call %d", c.id)
		c.checkCause(p, a)
		if i > 0 {
			c.checkRetry(p, &attempts[i-1], a)
		}
	}
	c.checkEnd(p, &attempts[len(attempts)-1])
}

func (c *soakResult) name(a *llmretry.Attempt) string {
	fault := "never arrived"
	if e := c.seen[a.Index]; e != nil {
		fault = e.fault.name
	}
	return fmt.Sprintf("call %d attempt %d (%s, streams: %v, error: %v)", c.id, a.Index, fault, c.streams, a.Err)
}

// late reports whether an attempt ran out of time although nobody stalled it: a busy machine does that.
func (c *soakResult) late(a *llmretry.Attempt) bool {
	e := c.seen[a.Index]
	return a.Category == llmretry.CategoryAttemptTimeout && (e == nil || e.fault.category != llmretry.CategoryAttemptTimeout)
}

// checkCause holds an attempt's account against what was done to it.
func (c *soakResult) checkCause(p assert.TestingT, a *llmretry.Attempt) {
	e, name := c.seen[a.Index], c.name(a)
	switch {
	case c.late(a):
		assert.GreaterOrEqual(p, a.Latency, soakTimeout, name)
		return
	case a.Category == llmretry.CategoryCanceled && c.cause != nil:
		return // at whatever moment it was; checkEnd asks whether it was the last
	case e == nil:
		p.Errorf("%s: %q without a request", name, a.Category)
		return
	}
	want := e.fault.expected(c.streams)
	if want == "" && c.aborts {
		want = llmretry.CategoryCallerAborted
	}
	if !assert.Equal(p, want, a.Category, name) {
		return
	}
	assert.Equal(p, want == "", a.Err == nil, name)
	switch {
	case e.status != 0:
		assert.ErrorContains(p, a.Err, e.nonce(), "%s: another attempt's error", name)
		assert.ErrorContains(p, a.Err, fmt.Sprintf("status code: %d", e.status), name)
		if e.demand > 0 {
			var provider *llmretry.ProviderError
			assert.ErrorAs(p, a.Err, &provider, name)
			assert.Equal(p, e.demand, provider.RetryAfter, name)
		}
	case want == "" || want == invalidOutput || want == llmretry.CategoryContentFiltered:
		assert.Equal(p, e.said, a.Output, name)
		c.checkOutput(p, a, e)
	}
}

// checkOutput is about an answer that was judged.
func (c *soakResult) checkOutput(p assert.TestingT, a *llmretry.Attempt, e *soakExchange) {
	name := c.name(a)
	if a.Category != "" {
		var refusal *llmretry.StructuredOutputError
		assert.ErrorAs(p, a.Err, &refusal, name)
		assert.Equal(p, e.said, refusal.OutputContent, name)
		assert.Equal(p, a.Index, refusal.Attempt, name)
		assert.NotEmpty(p, refusal.ErrorMessage, name)
	}
	if e.fault.expected(false) == unavailable { // half a stream tells no more
		return
	}
	finish := map[string]llmretry.FinishReason{
		"stop": llmretry.FinishStop, "length": llmretry.FinishLength, "content_filter": llmretry.FinishContentFilter,
	}
	assert.Equal(p, finish[e.stop], a.FinishReason, name)
	assert.Equal(p, llmretry.Count{N: c.id, Known: true}, a.Usage.Input, name)
	assert.Equal(p, llmretry.Count{N: a.Index + 1, Known: true}, a.Usage.Output, name)
}

// checkRetry asks whether attempt a should have followed, when, and with which messages.
func (c *soakResult) checkRetry(p assert.TestingT, before, a *llmretry.Attempt) {
	name := c.name(a)
	reason := llmretry.ReasonTransient
	if before.Category == invalidOutput {
		reason = llmretry.ReasonReask
	}
	assert.True(p, soakRetries(before.Category), "%s: after a final %q", name, before.Category)
	assert.Equal(p, reason, a.Reason, name)
	e, last := c.seen[a.Index], c.seen[before.Index]
	if last != nil && before.Category == unavailable {
		assert.NotEqual(p, callerLeaves, last.fault.name, "%s: made for a caller who had left while it was waited for", name)
	}
	if last != nil && before.Category == llmretry.CategoryRateLimit {
		assert.GreaterOrEqual(p, before.Wait, last.demand, name)
		if e != nil {
			assert.GreaterOrEqual(p, e.arrived.Sub(last.arrived), last.demand, "%s: asked before its time", name)
		}
	}
	if e == nil {
		return
	}
	want := []wireMessage{{"user", fmt.Sprintf(soakPrompt, c.id)}}
	for i := range c.Report.Attempts[:a.Index] {
		if earlier := &c.Report.Attempts[i]; earlier.Category == invalidOutput {
			want = append(want, wireMessage{"assistant", earlier.Output}, wireMessage{"user", soakCorrection(i)})
		}
	}
	assert.Equal(p, want, e.messages, name)
}

// soakRetries reports whether a failure of this kind is worth another attempt.
func soakRetries(category llmretry.ErrorCategory) bool {
	switch category {
	case unavailable, llmretry.CategoryRateLimit, llmretry.CategoryAttemptTimeout, noAnswer, invalidOutput:
		return true
	}
	return false
}

// checkEnd compares what the caller got with the last attempt.
func (c *soakResult) checkEnd(p assert.TestingT, a *llmretry.Attempt) {
	name, e := c.name(a), c.seen[a.Index]
	assert.Equal(p, c.err, c.Report.Err, name)
	if a.Category == "" {
		assert.NoError(p, c.err, name)
		assert.Equal(p, c.id, c.Value.Call, name)
		assert.Equal(p, a.Index, c.Value.Attempt, name)
		if e != nil {
			assert.JSONEq(p, e.said, jsonOf(c.Value), name)
		}
		if c.streams {
			assert.Equal(p, a.Output, c.heard, "%s: the stream", name)
		}
		return
	}
	assert.Empty(p, c.heard, "%s: of a failed call", name)
	assert.Zero(p, c.Value, name)
	var carrier *llmretry.AttemptsError
	carried := errors.As(c.err, &carrier)
	if c.cause != nil && llmretry.Category(c.err) == llmretry.CategoryCanceled {
		assert.True(p, carried, name)
		assert.ErrorIs(p, c.err, errGone, name)
		return
	}
	assert.Equal(p, a.Category, llmretry.Category(c.err), "%s: %v", name, c.err)
	assert.ErrorIs(p, c.err, a.Err, name)
	var stop error
	switch {
	case !soakRetries(a.Category):
		assert.Equal(p, a.Index > 0, carried, "%s: %T", name, c.err)
		return
	case len(c.Report.Attempts) == soakAttempts:
		stop = llmretry.ErrMaxAttempts
	case e != nil && e.demand > soakTimeout:
		stop = llmretry.ErrRetryAfter
	}
	if assert.Error(p, stop, "%s: given up too early: %v", name, c.err) {
		assert.ErrorIs(p, c.err, stop, name)
		assert.True(p, carried, name)
	}
}
