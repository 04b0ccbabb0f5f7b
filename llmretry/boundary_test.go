package llmretry_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// The boundary between the loop and the functions that a caller hands in: what they cannot do to a call.

// Semantics C5, E4: a hook that writes to the error it is given changes nothing of the next request.
func TestHookCannotChangeTheRequest(t *testing.T) {
	s := newScript(t, says("bad"), says("good"))
	m := decorate(t, s, llmretry.WithParser(want("good")), llmretry.WithReask(words),
		llmretry.WithOnRetry(func(_ context.Context, err error, _ int) {
			var e *llmretry.StructuredOutputError
			require.ErrorAs(t, err, &e)
			e.OutputContent, e.Remaining, e.Response = "changed", -5, nil
		}))
	_, err := m.GenerateContent(t.Context(), hello)
	require.NoError(t, err)
	assert.Equal(t, "ai: bad", texts(s.requests()[1].messages)[1])
}

// Semantics E7: an observer that appends to what it is shown writes to its own memory.
func TestObserverCannotReachSpareCapacity(t *testing.T) {
	opts := make([]llms.CallOption, 0, 4)
	messages := append(make([]llms.MessageContent, 0, 4), hello[0])
	m := decorate(t, newScript(t, says("x")), llmretry.WithObserver(llmretry.Observer{
		Attempt: func(ctx context.Context, s llmretry.AttemptStart) (context.Context, func(llmretry.Attempt)) {
			_, _ = append(s.Options, llms.WithTemperature(1)), append(s.Messages, hello[0])
			return ctx, nil
		},
	}))
	_, err := m.GenerateContent(t.Context(), messages, opts...)
	require.NoError(t, err)
	assert.Nil(t, opts[:1][0])
	assert.Empty(t, messages[:2][1].Parts)
}

// Semantics A1: any number of attempts may be allowed; nothing is allocated ahead for them.
func TestHugeMaxAttempts(t *testing.T) {
	s := newScript(t, says("bad"), says("good"))
	m := decorate(t, s, llmretry.WithMaxAttempts(math.MaxInt), llmretry.WithParser(want("good")), llmretry.WithReask(words))
	_, err := m.GenerateContent(t.Context(), hello)
	require.NoError(t, err)
}

// Semantics A8: options and captures of a context are for the first decorator: a model that its validator or builder
// asks gets neither. Ceilings hold for that one too.
func TestValidatorsOwnModel(t *testing.T) {
	own := decorate(t, newScript(t, says("fine"), says("fine")))
	depth := 0
	judge := func(ctx context.Context, _ *llms.ContentResponse) error {
		depth++
		assert.Equal(t, llmretry.AttemptInfo{Index: 0, Max: 3}, llmretry.AttemptFromContext(ctx), "a validator sees which attempt it judges")
		_, err := own.GenerateContent(ctx, hello)
		return err
	}
	ctx, reports := llmretry.CaptureReports(llmretry.NewContext(t.Context(), llmretry.WithValidator(judge)))
	_, err := decorate(t, newScript(t, says("x"))).GenerateContent(ctx, hello)
	require.NoError(t, err)
	assert.Equal(t, 1, depth)
	assert.Len(t, reports(), 1)

	limited := llmretry.LimitModelCalls(llmretry.NewContext(t.Context(), llmretry.WithValidator(judge)), 1)
	_, err = decorate(t, newScript(t, says("x"))).GenerateContent(limited, hello)
	assert.ErrorIs(t, err, llmretry.ErrMaxModelCalls)
}

// Semantics B6, C3, D9: what a parser or validator says is not the provider's word: it asks for no wait and drops no
// option, though it quotes a provider or the model's output.
func TestRefusalIsNotTheProviders(t *testing.T) {
	quoting := llmretry.WithParser(llmretry.ParserFunc[string](func(text string) (string, error) {
		if text != "good" {
			return "", errors.New(text)
		}
		return text, nil
	}))
	_, _, err := ask(t, decorate(t, newScript(t, stops("Please retry in 9000h", "length"), says("good")), quoting, llmretry.WithTruncationOverride(llmretry.Set(llms.WithMaxTokens(9)))))
	assert.NoError(t, err)

	rejected := errors.New("API returned unexpected status code: 400: Unsupported value: 'temperature' does not support 0.3 with this model.")
	s := newScript(t, fails(errDown), says("bad"))
	_, report, err := ask(t, decorate(t, s, llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.3)...),
		llmretry.WithValidator(func(context.Context, *llms.ContentResponse) error { return fmt.Errorf("judge: %w", rejected) })))
	assert.ErrorIs(t, err, llmretry.ErrStructuredOutputInvalid)
	assert.Equal(t, "0 provider_unavailable, 1 transient structured_output_invalid", summary(report))
}

// Semantics E10, B2: a builder's own deadline is not the call's.
func TestBuildersDeadline(t *testing.T) {
	for _, failure := range []error{context.DeadlineExceeded, fmt.Errorf("wording model: %w", context.Canceled)} {
		_, _, err := ask(t, decorate(t, newScript(t, says("bad")), llmretry.WithParser(want("good")),
			llmretry.WithReask(func(context.Context, llmretry.Failure) (string, error) { return "", failure })))
		assert.ErrorIs(t, err, failure)
		assert.Equal(t, llmretry.CategoryStructuredOutputInvalid, llmretry.Category(err))
	}
}

// flipping ends when it was asked often enough.
type flipping struct {
	context.Context
	asked, at int
}

func (c *flipping) Err() error {
	if c.asked++; c.asked >= c.at {
		return context.Canceled
	}
	return nil
}

// Semantics G2, C6: whenever in a call the context ends, report and error agree, and there is an entry per model call.
func TestContextEndsAnywhere(t *testing.T) {
	for at := 1; at < 12; at++ {
		for _, watched := range []bool{false, true} {
			s := newScript(t, says("ok"))
			var ctx context.Context = &flipping{Context: t.Context(), at: at}
			reports := func() []*llmretry.Report { return nil }
			if watched {
				ctx, reports = llmretry.CaptureReports(ctx)
			}
			_, err := decorate(t, s).GenerateContent(ctx, hello)
			var failed *llmretry.AttemptsError
			if !errors.As(err, &failed) {
				require.NoError(t, err)
				continue
			}
			assert.Len(t, failed.Report.Attempts, len(s.requests()), "at %d", at)
			for _, r := range reports() {
				assert.Same(t, failed.Report, r)
				assert.Equal(t, -1, r.Choice)
				for _, a := range r.Attempts {
					assert.Equal(t, llmretry.CategoryCanceled, a.Category)
				}
			}
		}
	}
}

// Semantics C6: a cause that cannot be compared, and a context error inside a provider's: the earlier failure stays.
func TestCancelCauses(t *testing.T) {
	for name, last := range map[string]func(ctx context.Context) error{
		"uncomparable": func(ctx context.Context) error { return context.Cause(ctx) },
		"wrapped":      func(ctx context.Context) error { return fmt.Errorf("post: %w", ctx.Err()) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			n := 0
			m := decorate(t, modelFunc(func(ctx context.Context, _ []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
				if n++; n == 1 {
					return nil, errDown
				}
				cancel(llmretry.Issues{{Message: "x"}})
				return nil, last(ctx)
			}))
			_, err := m.GenerateContent(ctx, hello)
			assert.ErrorIs(t, err, context.Canceled)
			if name == "wrapped" {
				assert.ErrorIs(t, err, errDown)
			}
		})
	}
}

// nilError panics when it is asked anything.
type nilError struct{ text string }

func (e *nilError) Error() string { return e.text }

// brokenIssues panics when it is asked for its issues.
type brokenIssues struct{}

func (brokenIssues) Error() string           { return "broken" }
func (brokenIssues) Issues() llmretry.Issues { panic("issues") }

// Semantics J2: an error whose own methods panic refuses the output like any other.
func TestErrorsThatPanic(t *testing.T) {
	for _, broken := range []error{(*nilError)(nil), brokenIssues{}} {
		_, report, err := ask(t, decorate(t, newScript(t, says("bad")), llmretry.WithParser(llmretry.ParserFunc[string](func(string) (string, error) { return "", broken }))))
		assert.ErrorIs(t, err, llmretry.ErrStructuredOutputInvalid)
		assert.Equal(t, "0 structured_output_invalid", summary(report))
	}
}

// Semantics F2: the parser's schema is there when a validator refuses what the parser accepted.
func TestSchemaOnValidatorsRefusal(t *testing.T) {
	_, _, err := ask(t, decorate(t, newScript(t, says("good")), llmretry.WithParser(schemaParser{want("good")}),
		llmretry.WithValidator(func(context.Context, *llms.ContentResponse) error { return errors.New("no") })))
	var refusal *llmretry.StructuredOutputError
	require.ErrorAs(t, err, &refusal)
	assert.JSONEq(t, `{"type":"string"}`, string(refusal.Schema))
}

// Semantics G1: a model call that was reserved for a retry is given back when a function of the caller's panics.
func TestCeilingSurvivesPanics(t *testing.T) {
	s := newScript(t, says("bad"), says("good"))
	m := decorate(t, s, llmretry.WithParser(want("good")), llmretry.WithReask(func(context.Context, llmretry.Failure) (string, error) { panic("builder") }))
	ctx := llmretry.LimitModelCalls(t.Context(), 2)
	assert.Panics(t, func() { _, _ = m.GenerateContent(ctx, hello) })
	_, err := m.GenerateContent(ctx, hello)
	assert.NoError(t, err)
}

// Semantics D4: an entry cannot clear what the caller set; an option that builds its own slice counts as set.
func TestNothingIsCleared(t *testing.T) {
	s := newScript(t, fails(errDown), says("x"))
	m := decorate(t, s, llmretry.WithPerAttemptOverride(llmretry.Set(llms.WithTools(nil), llms.WithStopWords(nil), llms.WithToolChoice(nil))))
	_, report, err := ask(t, m, func(o *llms.CallOptions) { o.StopWords = []string{"END"} }, llms.WithTools([]llms.Tool{{Type: "function"}}), llms.WithToolChoice("auto"))
	require.NoError(t, err)
	assert.Equal(t, []string{"END"}, s.requests()[1].options.StopWords)
	assert.Len(t, s.requests()[1].options.Tools, 1)
	assert.Equal(t, "auto", s.requests()[1].options.ToolChoice)
	assert.Contains(t, report.Attempts[0].Sent(), "stop_words")
}

// Semantics G2: a latency is the model's, not an observer's.
func TestLatencyIsTheModels(t *testing.T) {
	timed(t, func(t *testing.T) {
		slow := llmretry.Observer{Attempt: func(ctx context.Context, _ llmretry.AttemptStart) (context.Context, func(llmretry.Attempt)) {
			<-time.After(second)
			return ctx, nil
		}}
		s := newScript(t, reply{do: func(context.Context) { <-time.After(2 * second) }, response: says("x").response})
		_, report, err := ask(t, decorate(t, s, llmretry.WithObserver(slow)))
		require.NoError(t, err)
		assert.Equal(t, 2*second, report.Attempts[0].Latency)
	})
}

// Semantics E2: attempts behind a stop entry are not left.
func TestRemainingUnderStop(t *testing.T) {
	_, _, err := ask(t, decorate(t, newScript(t, says("bad"), says("bad")), llmretry.WithMaxAttempts(5), llmretry.WithParser(want("good")),
		llmretry.WithPerAttemptOverride(llmretry.Set(), llmretry.Stop()),
		llmretry.WithReask(func(_ context.Context, f llmretry.Failure) (string, error) {
			assert.Equal(t, 1, f.Remaining)
			return "again", nil
		})))
	assert.ErrorIs(t, err, llmretry.ErrMaxAttempts)
}

// Semantics H4: observers hear of the end of a call that a builder's panic ended, once.
func TestDoneOnPanic(t *testing.T) {
	ends := 0
	m := decorate(t, newScript(t, says("bad")), llmretry.WithParser(want("good")),
		llmretry.WithReask(func(context.Context, llmretry.Failure) (string, error) { panic("builder") }),
		llmretry.WithObserver(llmretry.Observer{Done: func(_ context.Context, r *llmretry.Report, err error) {
			ends++
			assert.Error(t, err)
			assert.Len(t, r.Attempts, 1)
		}}))
	assert.Panics(t, func() { _, _ = m.GenerateContent(t.Context(), hello) })
	assert.Equal(t, 1, ends)
}

// Error texts leave out an output that was quoted with %q.
func TestQuotedOutput(t *testing.T) {
	quoting := llmretry.ParserFunc[int](func(text string) (int, error) { return 0, fmt.Errorf("cannot parse %q", text) })
	_, err := decorate(t, newScript(t, says(`{"ssn": "123-45-6789"}`)), llmretry.WithParser(quoting)).GenerateContent(t.Context(), hello)
	assert.Equal(t, `structured output invalid: cannot parse "[output]"`, err.Error())
}
