package llmretry_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Semantics A1, A2, A5, B3: transient failures are replayed byte for byte until the budget is spent; three attempts by
// default.
func TestTransientRetry(t *testing.T) {
	tests := []struct {
		name    string
		replies []reply
		opts    []llmretry.Option
		want    string
		is      error
	}{
		{"success at once", []reply{says("a")}, nil, "0 ok", nil},
		{"one 503", []reply{fails(errDown), says("a")}, nil, "0 provider_unavailable, 1 transient ok", nil},
		{"default budget", []reply{fails(errDown), fails(errDown2), fails(errLimited)}, nil,
			"0 provider_unavailable, 1 transient provider_unavailable, 2 transient provider_rate_limit", errLimited},
		{"two attempts", []reply{fails(errDown), fails(errDown2)}, []llmretry.Option{llmretry.WithMaxAttempts(2)},
			"0 provider_unavailable, 1 transient provider_unavailable", errDown2},
		{"one attempt", []reply{fails(errDown)}, []llmretry.Option{llmretry.WithMaxAttempts(1)}, "0 provider_unavailable", errDown},
		{"not transient", []reply{fails(errBad)}, nil, "0 provider_invalid_request", errBad},
		{"not transient later", []reply{fails(errDown), fails(errBad)}, nil,
			"0 provider_unavailable, 1 transient provider_invalid_request", errBad},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScript(t, tt.replies...)
			response, report, err := ask(t, decorate(t, s, tt.opts...), llms.WithTemperature(0), llms.WithSeed(7))
			assert.Equal(t, tt.want, summary(report))
			assert.Len(t, s.requests(), len(tt.replies))
			for _, r := range s.requests() {
				assert.Equal(t, hello, r.messages)
				assert.Equal(t, s.requests()[0].options, r.options)
			}
			if tt.is == nil {
				require.NoError(t, err)
				assert.Same(t, tt.replies[len(tt.replies)-1].response, response)
				return
			}
			assert.ErrorIs(t, err, tt.is)
			assert.Nil(t, response)
			assert.Same(t, err, report.Err)
		})
	}
}

// Semantics A3: what a failed call returns. Only a call that failed by itself in its one attempt returns that
// attempt's error; it is the very value when there never could have been a second attempt.
func TestOwnError(t *testing.T) {
	_, err := decorate(t, newScript(t, fails(errDown)), llmretry.WithMaxAttempts(1)).GenerateContent(t.Context(), hello)
	assert.Same(t, errDown, err, "max attempts 1")

	_, err = decorate(t, newScript(t, fails(errBad))).GenerateContent(t.Context(), hello)
	assert.Same(t, errBad, err, "final at once, and nothing known beyond its text")

	_, err = decorate(t, newScript(t, fails(errDown), fails(errBad))).GenerateContent(t.Context(), hello)
	var attempts *llmretry.AttemptsError
	require.ErrorAs(t, err, &attempts)
	assert.Same(t, errBad, attempts.Err)
	assert.NoError(t, attempts.Stop, "the last failure was final by itself")
	assert.Len(t, attempts.Report.Attempts, 2)
	assert.Same(t, errDown, attempts.Report.Attempts[0].Err)

	_, err = decorate(t, newScript(t, fails(errDown), fails(errDown2)), llmretry.WithMaxAttempts(2)).GenerateContent(t.Context(), hello)
	require.ErrorAs(t, err, &attempts)
	assert.Same(t, errDown2, attempts.Err)
	assert.Same(t, llmretry.ErrMaxAttempts, attempts.Stop)
	assert.ErrorIs(t, err, llmretry.ErrExhausted)
	assert.Equal(t, llmretry.CategoryUnavailable, llmretry.Category(err))
}

// Semantics A4: the response is the model's own pointer; only when another choice than the first is accepted is it a
// shallow copy with that one first.
func TestResponseIdentity(t *testing.T) {
	good, bad := choice("good", "stop"), choice("bad", "stop")
	s := newScript(t, choices(bad, nil, good, bad))
	response, report, err := ask(t, decorate(t, s, llmretry.WithParser(want("good"))))
	require.NoError(t, err)
	assert.Equal(t, []*llms.ContentChoice{good, bad, nil, bad}, response.Choices)
	assert.Same(t, good, response.Choices[0])
	assert.Equal(t, 2, report.Choice)
	assert.Equal(t, []*llms.ContentChoice{bad, nil, good, bad}, report.Attempts[0].Response.Choices, "the model's own is untouched")

	s = newScript(t, choices(good, bad))
	response, report, err = ask(t, decorate(t, s, llmretry.WithParser(want("good"))))
	require.NoError(t, err)
	assert.Same(t, s.replies[0].response, response)
	assert.Zero(t, report.Choice)
}

// Semantics A6: a failure that is not retryable ends the call at any index, after a reask too.
func TestFinalAfterReask(t *testing.T) {
	s := newScript(t, says("bad"), fails(errBad))
	_, report, err := ask(t, decorate(t, s, llmretry.WithParser(want("good")), llmretry.WithReask(words)))
	assert.Equal(t, "0 structured_output_invalid, 1 reask provider_invalid_request", summary(report))
	assert.ErrorIs(t, err, errBad)
	assert.NotErrorIs(t, err, llmretry.ErrStructuredOutputInvalid)
}

// Semantics A7, F4: error-shaped data in a successful response is an answer.
func TestErrorShapedSuccess(t *testing.T) {
	s := newScript(t, says(`{"error":{"code":503,"message":"overloaded"}}`))
	_, report, err := ask(t, decorate(t, s, llmretry.WithReask(words)))
	require.NoError(t, err)
	assert.Equal(t, "0 ok", summary(report))
}

// Semantics A8: decorators in each other multiply; options by context reach only the outer one; the inner calls are
// Nested in the outer report, and a ceiling on model calls counts each real call once.
func TestNested(t *testing.T) {
	down := slices.Repeat([]reply{fails(errDown)}, 6)
	s := newScript(t, down...)
	inner := decorate(t, s, llmretry.WithMaxAttempts(2))
	outer := decorate(t, inner)
	_, report, err := ask(t, outer)
	require.ErrorIs(t, err, errDown)
	assert.Len(t, s.requests(), 6, "3 * 2 model calls")
	require.Len(t, report.Attempts, 3)
	for _, a := range report.Attempts {
		require.Len(t, a.Nested, 1)
		assert.Equal(t, "0 provider_unavailable, 1 transient provider_unavailable", summary(a.Nested[0]))
	}

	s = newScript(t, down...)
	outer = decorate(t, decorate(t, s, llmretry.WithMaxAttempts(2)))
	_, report, _ = askWith(t, llmretry.NewContext(t.Context(), llmretry.WithMaxAttempts(1)), outer)
	assert.Len(t, s.requests(), 2, "the context's option reached the outer decorator only")
	assert.Len(t, report.Attempts, 1)

	s = newScript(t, down[:3]...)
	outer = decorate(t, decorate(t, s, llmretry.WithMaxAttempts(2)))
	_, _, err = askWith(t, llmretry.LimitModelCalls(t.Context(), 3), outer)
	assert.ErrorIs(t, err, llmretry.ErrMaxModelCalls)
	assert.Len(t, s.requests(), 3)
}

// Semantics B1: the classifier sees the attempt's index, the time since the call began and the messages sent.
func TestClassifierState(t *testing.T) {
	var states []llmretry.State
	s := newScript(t, says("bad"), fails(errDown), says("good"))
	m := decorate(t, s, llmretry.WithParser(want("good")), llmretry.WithReask(words),
		llmretry.WithClassifier(func(err error, s llmretry.State) bool {
			states = append(states, s)
			return llmretry.DefaultClassifier(err, s)
		}))
	_, _, err := ask(t, m)
	require.NoError(t, err)
	require.Len(t, states, 1, "refused outputs are not its business")
	assert.Equal(t, 1, states[0].Attempt)
	assert.Positive(t, states[0].Elapsed)
	assert.Equal(t, s.requests()[1].messages, states[0].Messages)
}

// Semantics B5: a caller's classifier replaces the default; it may widen and narrow.
func TestClassifierReplaces(t *testing.T) {
	never := llmretry.WithClassifier(func(error, llmretry.State) bool { return false })
	_, report, err := ask(t, decorate(t, newScript(t, fails(errDown)), never))
	assert.Same(t, errDown, err)
	assert.Equal(t, "0 provider_unavailable", summary(report))

	always := llmretry.WithClassifier(func(error, llmretry.State) bool { return true })
	_, report, err = ask(t, decorate(t, newScript(t, fails(errBad), says("a")), always))
	require.NoError(t, err)
	assert.Equal(t, "0 provider_invalid_request, 1 transient ok", summary(report))
}

// Semantics B6: a refused output is final without a builder, whatever the budget, unless the caller's classifier asks
// for a blind replay; with a builder it is reasked and the classifier is not asked.
func TestRefusedOutput(t *testing.T) {
	parser := llmretry.WithParser(want("good"))
	_, report, err := ask(t, decorate(t, newScript(t, says("bad")), parser))
	assert.ErrorIs(t, err, llmretry.ErrStructuredOutputInvalid)
	var refusal *llmretry.StructuredOutputError
	assert.True(t, errors.As(err, &refusal) && error(refusal) == err, "its own error")
	assert.Equal(t, "0 structured_output_invalid", summary(report))

	s := newScript(t, says("bad"), says("good"))
	_, report, err = ask(t, decorate(t, s, parser, llmretry.WithClassifier(func(error, llmretry.State) bool { return true })))
	require.NoError(t, err)
	assert.Equal(t, "0 structured_output_invalid, 1 transient ok", summary(report))
	assert.Equal(t, hello, s.requests()[1].messages, "nothing appended")

	asked := false
	s = newScript(t, says("bad"), says("good"))
	_, report, err = ask(t, decorate(t, s, parser, llmretry.WithReask(words),
		llmretry.WithClassifier(func(error, llmretry.State) bool { asked = true; return false })))
	require.NoError(t, err)
	assert.False(t, asked)
	assert.Equal(t, "0 structured_output_invalid, 1 reask ok", summary(report))
}

// Semantics B8: a refusal raised by a decorator below is an error like any other: not reasked by this one.
func TestRefusalBelow(t *testing.T) {
	s := newScript(t, says("bad"), says("bad"))
	inner := decorate(t, s, llmretry.WithParser(want("good")), llmretry.WithReask(words), llmretry.WithMaxAttempts(2))
	outer := decorate(t, inner, llmretry.WithParser(want("good")), llmretry.WithReask(func(context.Context, llmretry.Failure) (string, error) {
		t.Error("the outer builder was called")
		return "", nil
	}))
	_, report, err := ask(t, outer)
	assert.ErrorIs(t, err, llmretry.ErrStructuredOutputInvalid)
	assert.Equal(t, "0 structured_output_invalid", summary(report))
}

// Semantics C7: cancelled? -> classify -> budgets -> wait -> builder -> cancelled? -> hook -> wait -> next attempt.
// Builder and hook run once per scheduled retry, and only for one that can come.
func TestOrder(t *testing.T) {
	var steps []string
	step := func(s string) { steps = append(steps, s) }
	s := newScript(t, fails(errDown), says("bad"), says("bad"))
	m := decorate(t, s, llmretry.WithParser(want("good")),
		llmretry.WithClassifier(func(err error, st llmretry.State) bool { step("classify"); return true }),
		llmretry.WithBackoff(func(int) time.Duration { step("backoff"); return 0 }),
		llmretry.WithReaskBackoff(func(int) time.Duration { step("reask backoff"); return 0 }),
		llmretry.WithReask(func(ctx context.Context, f llmretry.Failure) (string, error) { step("build"); return words(ctx, f) }),
		llmretry.WithOnRetry(func(context.Context, error, int) { step("hook") }),
		llmretry.WithObserver(llmretry.Observer{
			Attempt: func(ctx context.Context, _ llmretry.AttemptStart) (context.Context, func(llmretry.Attempt)) {
				step("attempt")
				return ctx, func(llmretry.Attempt) { step("judged") }
			},
			Retry: func(context.Context, llmretry.Attempt, time.Duration) { step("retry") },
			Done:  func(context.Context, *llmretry.Report, error) { step("done") },
		}))
	_, _, err := ask(t, m)
	require.ErrorIs(t, err, llmretry.ErrMaxAttempts)
	assert.Equal(t, []string{
		"attempt", "judged", "classify", "backoff", "hook", "retry",
		"attempt", "judged", "reask backoff", "build", "hook", "retry",
		"attempt", "judged", "done",
	}, steps)
}

// Semantics C7: a context that is done before the call makes no model call at all.
func TestDoneBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, report, err := askWith(t, ctx, decorate(t, newScript(t)))
	assert.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, report.Attempts)
	assert.Equal(t, llmretry.CategoryCanceled, llmretry.Category(err))
}
