package adapters_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// contextScenarios are about the end of the caller's context.
var contextScenarios = []scenario{
	{"ctx-01", "C6, C7", cancelledWhileWaiting},
	{"ctx-02", "B7, C6", callersDeadline},
	{"ctx-05", "C6", bothErrors},
	{"ctx-06", "B7, C6", upstreamCanceled},
}

// cancelAfter ends a context by cancellation.
func cancelAfter(d time.Duration) func(context.Context) (context.Context, context.CancelFunc) {
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		timer := time.AfterFunc(d, cancel)
		return ctx, func() { timer.Stop(); cancel() }
	}
}

func deadlineAfter(d time.Duration) func(context.Context) (context.Context, context.CancelFunc) {
	return func(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithTimeout(ctx, d) }
}

func cancelledWhileWaiting(t *testing.T) {
	c := scene{
		turns:  []turn{breaks(overload), breaks(overload)},
		opts:   []llmretry.Option{llmretry.WithMaxAttempts(5), llmretry.WithBackoff(llmretry.Constant(30 * time.Second))},
		within: cancelAfter(50 * time.Millisecond),
	}.play(t)
	assert.Len(t, c.asked, 1)
	assert.ErrorIs(t, c.err, context.Canceled)
	assert.Equal(t, 50*time.Millisecond, c.elapsed, "not a moment longer")
}

// A timeout of the caller's is the end; one of an attempt is not.
func callersDeadline(t *testing.T) {
	waits := []turn{{waits: true}, {waits: true}, {waits: true}, {waits: true}, {waits: true}}
	c := scene{turns: waits, opts: []llmretry.Option{llmretry.WithMaxAttempts(5)}, within: deadlineAfter(50 * time.Millisecond)}.play(t)
	assert.Len(t, c.asked, 1)
	assert.ErrorIs(t, c.err, context.DeadlineExceeded)
	assert.Equal(t, llmretry.CategoryCanceled, llmretry.Category(c.err))
	assert.Equal(t, 50*time.Millisecond, c.elapsed)

	c = scene{turns: waits, opts: []llmretry.Option{llmretry.WithMaxAttempts(5), llmretry.WithAttemptTimeout(20 * time.Millisecond)}, within: deadlineAfter(50 * time.Millisecond)}.play(t)
	assert.Len(t, c.asked, 3, "two timeouts of attempts, then the caller's")
	assert.ErrorIs(t, c.err, context.DeadlineExceeded)
}

func bothErrors(t *testing.T) {
	boom := breaks("API returned unexpected status code: 503: boom")
	c := scene{
		turns:  []turn{boom, boom},
		opts:   []llmretry.Option{llmretry.WithMaxAttempts(5), llmretry.WithBackoff(llmretry.Constant(time.Second))},
		within: cancelAfter(50 * time.Millisecond),
	}.play(t)
	assert.ErrorIs(t, c.err, context.Canceled)
	assert.ErrorIs(t, c.err, boom.err)
	var attempts *llmretry.AttemptsError
	require.ErrorAs(t, c.err, &attempts)
	assert.Equal(t, boom.err, attempts.Err)
}

func upstreamCanceled(t *testing.T) {
	for _, transport := range []bool{true, false} {
		r := newRig(t, openaiDialect(), transport, inOrder(
			openaiDialect().fails(499, "context canceled by upstream", ""), reply{status: http.StatusOK, body: chatCompletion(nil, answer{text: blue})},
		))
		c := scene{client: r.client}.play(t)
		require.NoError(t, c.err)
		assert.Len(t, r.received(), 2)
		assert.Equal(t, []llmretry.ErrorCategory{llmretry.CategoryUnavailable, ""}, ways(c.report))
	}
}
