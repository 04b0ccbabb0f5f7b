package llmretry_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Semantics C1: uniform between 0 and min(limit, base*2^attempt), without overflow for any attempt, base and limit.
func TestFullJitter(t *testing.T) {
	for _, base := range []time.Duration{1, time.Millisecond, second, time.Hour, math.MaxInt64} {
		for _, limit := range []time.Duration{1, second, 30 * second, math.MaxInt64} {
			b := llmretry.FullJitter(base, limit)
			for _, attempt := range []int{0, 1, 2, 31, 32, 35, 61, 62, 63, 64, 66, 1000, math.MaxInt} {
				bound := limit
				if f := float64(base) * math.Pow(2, float64(attempt)); f < float64(limit) {
					bound = time.Duration(f)
				}
				for range 50 {
					d := b(attempt)
					assert.True(t, d >= 0 && d <= bound, "base %v limit %v attempt %d: %v", base, limit, attempt, d)
				}
			}
		}
	}
	for _, b := range []llmretry.Backoff{llmretry.FullJitter(0, second), llmretry.FullJitter(-1, second), llmretry.FullJitter(second, 0), llmretry.FullJitter(second, -1)} {
		assert.Zero(t, b(3))
	}
	assert.NotPanics(t, func() { llmretry.FullJitter(second, second)(-5) })

	b, longest, shortest := llmretry.FullJitter(second, 30*second), time.Duration(0), time.Duration(math.MaxInt64)
	for range 2000 {
		d := b(2)
		longest, shortest = max(longest, d), min(shortest, d)
	}
	assert.Greater(t, longest, 3900*time.Millisecond, "the bound of attempt 2 is 4 s")
	assert.Less(t, shortest, 100*time.Millisecond, "and it is full jitter")
}

// timed runs a call in synthetic time and returns how long it took.
func timed(t *testing.T, f func(t *testing.T)) (elapsed time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		f(t)
		elapsed = time.Since(start)
	})
	return elapsed
}

// Semantics C2: one wait between two attempts, none before the first, none after a final failure; none after a reask
// by default.
func TestWaits(t *testing.T) {
	wait := llmretry.WithBackoff(func(attempt int) time.Duration { return time.Duration(attempt+1) * second })
	judge := llmretry.WithParser(want("good"))
	tests := []struct {
		name    string
		replies []reply
		opts    []llmretry.Option
		want    time.Duration
	}{
		{"success", []reply{says("good")}, nil, 0},
		{"two waits", []reply{fails(errDown), fails(errDown), says("good")}, nil, 3 * second},
		{"none after the last", []reply{fails(errDown), fails(errDown), fails(errDown)}, nil, 3 * second},
		{"none for a final one", []reply{fails(errBad)}, nil, 0},
		{"none after a reask", []reply{says("bad"), says("good")}, []llmretry.Option{llmretry.WithReask(words)}, 0},
		{"reask backoff", []reply{says("bad"), fails(errDown), says("good")}, []llmretry.Option{llmretry.WithReask(words), llmretry.WithReaskBackoff(llmretry.Constant(10 * second))}, 12 * second},
		{"negative is none", []reply{fails(errDown), says("good")}, []llmretry.Option{llmretry.WithBackoff(llmretry.Constant(-second))}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, timed(t, func(t *testing.T) {
				_, report, _ := ask(t, decorate(t, newScript(t, tt.replies...), append([]llmretry.Option{wait, judge}, tt.opts...)...))
				var sum time.Duration
				for _, a := range report.Attempts {
					sum += a.Wait
				}
				assert.Equal(t, tt.want, sum, "the report's waits")
			}))
		})
	}
}

// limited is a typed error of a provider whose SDK keeps the server's demand.
type limited struct{ after time.Duration }

func (limited) Error() string               { return "limited" }
func (limited) HTTPStatusCode() int         { return http.StatusTooManyRequests }
func (l limited) RetryAfter() time.Duration { return l.after }

// Semantics C3: wait = max(curve, server); a longer demand than allowed ends the call at once, with the value in the
// error.
func TestRetryAfter(t *testing.T) {
	wait := llmretry.WithBackoff(llmretry.Constant(2 * second))
	for after, want := range map[time.Duration]time.Duration{0: 2 * second, second: 2 * second, 7 * second: 7 * second, time.Minute: time.Minute} {
		assert.Equal(t, want, timed(t, func(t *testing.T) {
			_, _, err := ask(t, decorate(t, newScript(t, fails(limited{after}), says("a")), wait))
			require.NoError(t, err)
		}))
	}
	for _, after := range []time.Duration{time.Minute + 1, time.Hour, math.MaxInt64} {
		assert.Zero(t, timed(t, func(t *testing.T) {
			_, report, err := ask(t, decorate(t, newScript(t, fails(limited{after})), wait, llmretry.WithOnRetry(func(context.Context, error, int) { t.Error("no retry is scheduled") })))
			assert.ErrorIs(t, err, llmretry.ErrRetryAfter)
			assert.ErrorIs(t, err, limited{after})
			assert.NotErrorIs(t, err, llmretry.ErrExhausted)
			var p *llmretry.ProviderError
			require.ErrorAs(t, err, &p)
			assert.Equal(t, after, p.RetryAfter)
			assert.Equal(t, http.StatusTooManyRequests, p.Status)
			assert.Equal(t, llmretry.CategoryRateLimit, llmretry.Category(err))
			assert.Equal(t, "0 provider_rate_limit", summary(report))
		}))
	}
	assert.Equal(t, time.Hour, timed(t, func(t *testing.T) {
		_, _, err := ask(t, decorate(t, newScript(t, fails(limited{time.Hour}), says("a")), llmretry.WithMaxRetryAfter(2*time.Hour)))
		require.NoError(t, err)
	}))
}

// Semantics C4: a wait that would outlast the deadline is not begun.
func TestWaitBeyondDeadline(t *testing.T) {
	assert.Zero(t, timed(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*second)
		defer cancel()
		m := decorate(t, newScript(t, fails(errDown)), llmretry.WithBackoff(llmretry.Constant(10*second)),
			llmretry.WithOnRetry(func(context.Context, error, int) { t.Error("no retry is scheduled") }))
		_, report, err := askWith(t, ctx, m)
		assert.ErrorIs(t, err, errDown)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, llmretry.CategoryCanceled, llmretry.Category(err))
		assert.Zero(t, report.Attempts[0].Wait)
	}))
}

// Semantics C5: the hook runs once per scheduled retry, before the wait, for reasks too, never after a final failure.
func TestOnRetry(t *testing.T) {
	type event struct {
		err     error
		attempt int
		at      time.Duration
	}
	var events []event
	timed(t, func(t *testing.T) {
		start := time.Now()
		m := decorate(t, newScript(t, fails(errDown), says("bad"), fails(errDown2)), llmretry.WithBackoff(llmretry.Constant(second)),
			llmretry.WithParser(want("good")), llmretry.WithReask(words),
			llmretry.WithOnRetry(func(_ context.Context, err error, attempt int) {
				events = append(events, event{err, attempt, time.Since(start)})
			}))
		_, _, err := ask(t, m)
		assert.ErrorIs(t, err, errDown2)
	})
	require.Len(t, events, 2)
	assert.Equal(t, event{errDown, 0, 0}, events[0])
	assert.Equal(t, 1, events[1].attempt)
	assert.ErrorIs(t, events[1].err, llmretry.ErrStructuredOutputInvalid)
	assert.Equal(t, second, events[1].at)
}

// Semantics C6: a cancelled call ends at once, asks nothing further, and its error matches the context's error, its
// cause, and the last thing a provider said.
func TestCancellation(t *testing.T) {
	cause := errors.New("the user left")
	opaque := errors.New("request cancelled") // what langchaingo's openai client makes of it
	watch := func(t *testing.T) []llmretry.Option {
		return []llmretry.Option{llmretry.WithBackoff(llmretry.Constant(10 * second)),
			llmretry.WithParser(want("good")),
			llmretry.WithClassifier(func(err error, s llmretry.State) bool {
				assert.ErrorIs(t, err, errDown, "a cancelled failure is not classified")
				return true
			})}
	}
	tests := []struct {
		name     string
		replies  func(cancel func()) []reply
		opts     []llmretry.Option
		after    time.Duration // cancel from outside, 0 = a reply does it
		want     time.Duration
		is       []error
		attempts string
	}{
		{"during the wait", func(func()) []reply { return []reply{fails(errDown)} }, nil, 3 * second, 3 * second, []error{errDown}, "0 provider_unavailable"},
		{"during the call, said openly", func(cancel func()) []reply {
			return []reply{{do: func(ctx context.Context) { cancel(); <-ctx.Done() }, err: context.Canceled}}
		}, nil, 0, 0, nil, "0 canceled"},
		{"during the call, hidden by the provider", func(cancel func()) []reply {
			return []reply{{do: func(context.Context) { cancel() }, err: opaque}}
		}, nil, 0, 0, []error{opaque}, "0 canceled"},
		{"hidden by a partial success", func(cancel func()) []reply {
			return []reply{fails(errDown), {do: func(context.Context) { cancel() }, response: says("good").response}}
		}, nil, 0, 10 * second, []error{errDown}, "0 provider_unavailable, 1 transient canceled"},
		{"openly, after an earlier failure", func(cancel func()) []reply {
			return []reply{fails(errDown), {do: func(context.Context) { cancel() }, err: context.Canceled}}
		}, nil, 0, 10 * second, []error{errDown}, "0 provider_unavailable, 1 transient canceled"},
		{"in the builder", func(cancel func()) []reply { return []reply{says("bad")} },
			[]llmretry.Option{llmretry.WithReask(func(ctx context.Context, f llmretry.Failure) (string, error) { return "", cancelIn(ctx) })},
			0, 0, []error{llmretry.ErrStructuredOutputInvalid}, "0 structured_output_invalid"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, timed(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(context.Background())
				stop := func() { cancel(cause) }
				defer stop()
				ctx = context.WithValue(ctx, cancelKey{}, stop)
				if tt.after > 0 {
					defer time.AfterFunc(tt.after, stop).Stop()
				}
				m := decorate(t, newScript(t, tt.replies(stop)...), append(watch(t), tt.opts...)...)
				_, report, err := askWith(t, ctx, m)
				for _, want := range append(tt.is, context.Canceled, cause) {
					assert.ErrorIs(t, err, want)
				}
				assert.Equal(t, llmretry.CategoryCanceled, llmretry.Category(err))
				assert.Equal(t, tt.attempts, summary(report))
				var attempts *llmretry.AttemptsError
				assert.ErrorAs(t, err, &attempts)
			}))
		})
	}
}

type cancelKey struct{}

// cancelIn cancels the call from inside a builder and returns an error of its own, which is not what ended the call.
func cancelIn(ctx context.Context) error {
	ctx.Value(cancelKey{}).(func())()
	return errors.New("never mind")
}

// Semantics B7, C6: the parent's deadline is canceled, never attempt_timeout; a provider's own word of cancellation
// under a live context is unavailable.
func TestParentDeadline(t *testing.T) {
	assert.Equal(t, 5*second, timed(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*second)
		defer cancel()
		_, report, err := askWith(t, ctx, decorate(t, blocking(1), llmretry.WithAttemptTimeout(time.Minute)))
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.NotErrorIs(t, err, llmretry.ErrAttemptTimeout)
		assert.Equal(t, "0 canceled", summary(report))
	}))
	s := newScript(t, fails(errors.New("API returned unexpected status code: 499: context canceled by upstream")), says("a"))
	_, report, err := ask(t, decorate(t, s))
	require.NoError(t, err)
	assert.Equal(t, "0 provider_unavailable, 1 transient ok", summary(report))
}

// blocking answers its first n calls only with their context's error.
func blocking(n int32) llms.Model {
	var calls atomic.Int32
	return modelFunc(func(ctx context.Context, _ []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
		if calls.Add(1) <= n {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return says("good").response, nil
	})
}
