package llmretry_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Semantics G1, J0: an attempt that runs into its own timeout is transient; whatever its model returns after that is
// not a result.
func TestAttemptTimeout(t *testing.T) {
	assert.Equal(t, 5*second, timed(t, func(t *testing.T) {
		_, report, err := ask(t, decorate(t, blocking(1), llmretry.WithAttemptTimeout(5*second)))
		require.NoError(t, err)
		assert.Equal(t, "0 attempt_timeout, 1 transient ok", summary(report))
		assert.ErrorIs(t, report.Attempts[0].Err, llmretry.ErrAttemptTimeout)
		assert.Equal(t, 5*second, report.Attempts[0].Latency)
	}))
	late := modelFunc(func(ctx context.Context, _ []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
		<-ctx.Done()
		return says("partial").response, nil
	})
	timed(t, func(t *testing.T) {
		_, report, err := ask(t, decorate(t, late, llmretry.WithAttemptTimeout(second), llmretry.WithMaxAttempts(2)))
		assert.ErrorIs(t, err, llmretry.ErrAttemptTimeout)
		assert.ErrorIs(t, err, llmretry.ErrMaxAttempts)
		assert.Equal(t, llmretry.CategoryAttemptTimeout, llmretry.Category(err))
		assert.Equal(t, "0 attempt_timeout, 1 transient attempt_timeout", summary(report))
	})
	timed(t, func(t *testing.T) {
		_, err := decorate(t, blocking(1), llmretry.WithAttemptTimeout(second), llmretry.WithMaxAttempts(1)).GenerateContent(t.Context(), hello)
		assert.ErrorIs(t, err, llmretry.ErrAttemptTimeout)
	})
}

// Semantics J1: only with an attempt timeout, a model that ignores its context is left behind in its own goroutine,
// one per attempt, and its late chunks are dropped.
func TestAbandonedAttempt(t *testing.T) {
	timed(t, func(t *testing.T) {
		var chunks []string
		var calls atomic.Int32
		release, late := make(chan struct{}), make(chan error, 2)
		deaf := modelFunc(func(ctx context.Context, _ []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
			if calls.Add(1) == 3 {
				return says("good").response, nil
			}
			var o llms.CallOptions
			for _, opt := range opts {
				opt(&o)
			}
			<-release // whatever its context says
			late <- o.StreamingFunc(ctx, []byte("late"))
			return says("late").response, nil
		})
		start := time.Now()
		_, report, err := ask(t, decorate(t, deaf, llmretry.WithAttemptTimeout(second)), llms.WithStreamingFunc(func(_ context.Context, c []byte) error {
			chunks = append(chunks, string(c))
			return nil
		}))
		require.NoError(t, err)
		assert.Equal(t, 2*second, time.Since(start))
		assert.Equal(t, "0 attempt_timeout, 1 transient attempt_timeout, 2 transient ok", summary(report))
		close(release)
		for range 2 {
			assert.Error(t, <-late, "the abandoned model is told to stop")
		}
		assert.Empty(t, chunks)
	})
}

// Semantics G1: the token budget stops the next attempt and never discards an answer; reaching it exactly stops, and
// so does a response that did not report its usage; an attempt without a response counts 0.
func TestTokenBudget(t *testing.T) {
	judges := []llmretry.Option{llmretry.WithParser(want("good")), llmretry.WithReask(words), llmretry.WithMaxAttempts(5)}
	silent := says("bad")
	silent.response.Choices[0].GenerationInfo = nil
	tests := []struct {
		name    string
		budget  int
		replies []reply
		calls   int
		is      error
	}{
		{"below", 27, []reply{says("bad"), says("bad"), says("good")}, 3, nil}, // 13 + 13 = 26
		{"exactly", 26, []reply{says("bad"), says("bad")}, 2, llmretry.ErrTokenBudget},
		{"beyond", 1, []reply{says("bad")}, 1, llmretry.ErrTokenBudget},
		{"a valid answer is kept", 1, []reply{says("good")}, 1, nil},
		{"no response counts 0", 1, []reply{fails(errDown), fails(errDown), says("good")}, 3, nil},
		{"unreported usage", 1000, []reply{silent}, 1, llmretry.ErrTokenBudget},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScript(t, tt.replies...)
			_, _, err := ask(t, decorate(t, s, append(judges, llmretry.WithTokenBudget(tt.budget))...))
			assert.Len(t, s.requests(), tt.calls)
			if tt.is == nil {
				require.NoError(t, err)
				return
			}
			assert.ErrorIs(t, err, tt.is)
			assert.ErrorIs(t, err, llmretry.ErrExhausted)
			assert.NotErrorIs(t, err, llmretry.ErrMaxAttempts)
			assert.ErrorIs(t, err, llmretry.ErrStructuredOutputInvalid)
		})
	}

	s := newScript(t, says("bad"), says("bad"))
	inner := decorate(t, s, llmretry.WithParser(want("good")), llmretry.WithReask(words), llmretry.WithMaxAttempts(2))
	outer := decorate(t, inner, llmretry.WithTokenBudget(26), llmretry.WithClassifier(func(error, llmretry.State) bool { return true }))
	_, err := outer.GenerateContent(t.Context(), hello)
	assert.ErrorIs(t, err, llmretry.ErrTokenBudget, "the tokens of a decorator below are counted")
}

// Semantics G1: the ceiling on model calls is shared by everything under its context, and nests.
func TestModelCallCeiling(t *testing.T) {
	ctx := llmretry.LimitModelCalls(t.Context(), 3)
	m := decorate(t, newScript(t, fails(errDown), says("a"), says("b")))
	for range 2 {
		_, err := m.GenerateContent(ctx, hello)
		require.NoError(t, err)
	}
	_, report, err := askWith(t, ctx, m)
	assert.ErrorIs(t, err, llmretry.ErrMaxModelCalls)
	assert.ErrorIs(t, err, llmretry.ErrExhausted)
	assert.Empty(t, report.Attempts)

	for _, n := range []int{0, -1} {
		_, _, err = askWith(t, llmretry.LimitModelCalls(t.Context(), n), decorate(t, newScript(t)))
		assert.ErrorIs(t, err, llmretry.ErrMaxModelCalls)
	}

	outer := llmretry.LimitModelCalls(t.Context(), 2)
	s := newScript(t, fails(errDown), says("a"))
	_, _, err = askWith(t, llmretry.LimitModelCalls(outer, 1), decorate(t, s))
	assert.ErrorIs(t, err, llmretry.ErrMaxModelCalls, "the inner ceiling holds")
	assert.ErrorIs(t, err, errDown)
	_, _, err = askWith(t, llmretry.LimitModelCalls(outer, 5), decorate(t, s))
	require.NoError(t, err)
	_, _, err = askWith(t, llmretry.LimitModelCalls(outer, 5), decorate(t, s))
	assert.ErrorIs(t, err, llmretry.ErrMaxModelCalls, "the outer one too")
}

// Semantics G1: a model call that was reserved and never made is given back.
func TestCeilingGivesBack(t *testing.T) {
	ctx := llmretry.LimitModelCalls(t.Context(), 2)
	blank := llmretry.WithReask(func(context.Context, llmretry.Failure) (string, error) { return "", nil })
	s := newScript(t, says("bad"), says("good"))
	_, err := decorate(t, s, llmretry.WithParser(want("good")), blank).GenerateContent(ctx, hello)
	require.Error(t, err)
	_, err = decorate(t, s, llmretry.WithParser(want("good"))).GenerateContent(ctx, hello)
	require.NoError(t, err)
}

// Semantics G1: concurrent calls together never exceed the ceiling, and use all of it.
func TestCeilingConcurrently(t *testing.T) {
	var mu sync.Mutex
	made := 0
	m := decorate(t, modelFunc(func(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
		mu.Lock()
		defer mu.Unlock()
		made++
		return nil, errDown
	}))
	ctx := llmretry.LimitModelCalls(t.Context(), 100)
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() { _, _ = m.GenerateContent(ctx, hello) })
	}
	wg.Wait()
	assert.Equal(t, 100, made)
}

// Semantics G2, F10: a report exists on success and on failure, with one entry per model call; totals say whether they
// are complete, and the response keeps its own usage.
func TestReport(t *testing.T) {
	s := newScript(t, says("bad"), fails(errDown), says("good"))
	response, report, err := ask(t, decorate(t, s, llmretry.WithParser(want("good")), llmretry.WithReask(words)))
	require.NoError(t, err)
	require.Len(t, report.Attempts, 3)
	first := report.Attempts[0]
	assert.Equal(t, "bad", first.Output)
	assert.Equal(t, llmretry.FinishStop, first.FinishReason)
	assert.Same(t, s.replies[0].response, first.Response)
	assert.Equal(t, llmretry.Count{N: 13, Known: true}, first.Usage.Total)
	assert.Equal(t, llmretry.Usage{}, report.Attempts[1].Usage)
	assert.Empty(t, report.Attempts[1].FinishReason, "nothing finished")
	sum, complete := report.Usage()
	assert.True(t, complete, "an attempt without a response counts 0")
	assert.Equal(t, llmretry.Count{N: 27, Known: true}, sum.Total)
	assert.Equal(t, 14, response.Choices[0].GenerationInfo["TotalTokens"])

	silent := says("bad")
	silent.response.Choices[0].GenerationInfo = nil
	_, report, _ = ask(t, decorate(t, newScript(t, silent), llmretry.WithParser(want("good"))))
	sum, complete = report.Usage()
	assert.False(t, complete)
	assert.Equal(t, llmretry.Usage{}, sum)
}
