package llmretry_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/outputparser"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Bad configuration is one error from New that names each problem, never a panic later.
func TestInvalidOptions(t *testing.T) {
	fine := newScript(t)
	var nilModel *script
	var nilParser *outputparser.Defined[int]
	tests := map[string]struct {
		model llms.Model
		opt   llmretry.Option
		names string
	}{
		"nil model":             {nil, llmretry.WithMaxAttempts(1), "nil model"},
		"typed nil model":       {nilModel, llmretry.WithMaxAttempts(1), "nil model"},
		"nil option":            {fine, nil, "is nil"},
		"zero attempts":         {fine, llmretry.WithMaxAttempts(0), "WithMaxAttempts(0)"},
		"negative attempts":     {fine, llmretry.WithMaxAttempts(-3), "WithMaxAttempts(-3)"},
		"nil classifier":        {fine, llmretry.WithClassifier(nil), "WithClassifier"},
		"nil backoff":           {fine, llmretry.WithBackoff(nil), "WithBackoff"},
		"nil reask backoff":     {fine, llmretry.WithReaskBackoff(nil), "WithReaskBackoff"},
		"nil hook":              {fine, llmretry.WithOnRetry(nil), "WithOnRetry"},
		"nil builder":           {fine, llmretry.WithReask(nil), "WithReask"},
		"nil parser":            {fine, llmretry.WithParser[int](nil), "WithParser"},
		"typed nil parser":      {fine, llmretry.WithParser[int](nilParser), "WithParser"},
		"nil function parser":   {fine, llmretry.WithParser(llmretry.ParserFunc[int](nil)), "WithParser"},
		"nil validator":         {fine, llmretry.WithValidator(nil), "WithValidator"},
		"nil tool validator":    {fine, llmretry.WithToolValidator(nil), "WithToolValidator"},
		"nil stream reset":      {fine, llmretry.WithStreamReset(nil), "WithStreamReset"},
		"negative retry-after":  {fine, llmretry.WithMaxRetryAfter(-1), "WithMaxRetryAfter"},
		"zero timeout":          {fine, llmretry.WithAttemptTimeout(0), "WithAttemptTimeout"},
		"negative timeout":      {fine, llmretry.WithAttemptTimeout(-time.Second), "WithAttemptTimeout"},
		"zero token budget":     {fine, llmretry.WithTokenBudget(0), "WithTokenBudget"},
		"NaN temperature":       {fine, llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.3, math.NaN())...), "entry 1: temperature is NaN"},
		"infinite penalty":      {fine, llmretry.WithTruncationOverride(llmretry.Set(llms.WithFrequencyPenalty(math.Inf(1)))), "frequency_penalty"},
		"NaN base option":       {fine, llmretry.WithCallOptions(llms.WithTopP(math.NaN())), "top_p"},
		"nil call option":       {fine, llmretry.WithCallOptions(nil), "WithCallOptions"},
		"nil scheduled option":  {fine, llmretry.WithPerAttemptOverride(llmretry.Set(nil)), "call option 0 is nil"},
		"nil scheduled model":   {fine, llmretry.WithPerAttemptOverride(llmretry.Use(nil)), "nil model"},
		"typed nil scheduled":   {fine, llmretry.WithPerAttemptOverride(llmretry.Override{Model: nilModel}), "nil model"},
		"stop and options":      {fine, llmretry.WithPerAttemptOverride(llmretry.Override{Stop: true, Options: []llms.CallOption{llms.WithSeed(1)}}), "stops"},
		"panicking call option": {fine, llmretry.WithCallOptions(func(*llms.CallOptions) { panic("x") }), "panics"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m, err := llmretry.New(tt.model, tt.opt)
			assert.Nil(t, m)
			assert.ErrorIs(t, err, llmretry.ErrInvalidOption)
			assert.ErrorContains(t, err, tt.names)
			if tt.model != fine {
				return
			}
			_, err = decorate(t, fine).With(tt.opt)
			assert.ErrorIs(t, err, llmretry.ErrInvalidOption)
			_, err = decorate(t, fine).GenerateContent(llmretry.NewContext(t.Context(), tt.opt), hello)
			assert.ErrorIs(t, err, llmretry.ErrInvalidOption)
			_, err = llmretry.Generate(llmretry.NewContext(t.Context(), tt.opt), decorate(t, fine), want("x"), hello)
			assert.ErrorIs(t, err, llmretry.ErrInvalidOption)
		})
	}

	_, err := llmretry.New(nil, llmretry.WithMaxAttempts(0), nil, llmretry.WithReask(nil), llmretry.WithFlattenedTranscript(nil), llmretry.WithNativeToolReplay())
	require.Error(t, err)
	problems := strings.Split(err.Error(), "\n")
	assert.Len(t, problems, 5, "each problem on a line: %v", err)
	for _, p := range err.(interface{ Unwrap() []error }).Unwrap() {
		assert.ErrorIs(t, p, llmretry.ErrInvalidOption)
	}
}

// A Model that New did not make, and a nil parser, are errors and not panics.
func TestNotMadeByNew(t *testing.T) {
	var nilModel *llmretry.Model
	for _, m := range []*llmretry.Model{nilModel, new(llmretry.Model)} {
		_, err := m.GenerateContent(t.Context(), hello)
		assert.ErrorIs(t, err, llmretry.ErrInvalidOption)
		_, err = m.Call(t.Context(), "hello")
		assert.ErrorIs(t, err, llmretry.ErrInvalidOption)
		_, err = m.With()
		assert.ErrorIs(t, err, llmretry.ErrInvalidOption)
		_, err = llmretry.Generate(t.Context(), m, want("x"), hello)
		assert.ErrorIs(t, err, llmretry.ErrInvalidOption)
		assert.Nil(t, m.Unwrap())
		assert.False(t, m.SupportsReasoning())
	}
	_, err := llmretry.Generate[string](t.Context(), decorate(t, newScript(t)), nil, hello)
	assert.ErrorIs(t, err, llmretry.ErrInvalidOption)
	assert.Panics(t, func() { llmretry.Must(llmretry.New(nil)) })
	assert.NotNil(t, llmretry.Must(llmretry.New(newScript(t))))
}

// Precedence per option: defaults < New < With < NewContext, outer before inner < Generate's parser. Observers and
// validators add up, New's first.
func TestPrecedence(t *testing.T) {
	calls := func(m *llmretry.Model, s *script, ctx context.Context) int {
		_, _, err := askWith(t, ctx, m)
		require.Error(t, err)
		return len(s.requests())
	}
	script := func() *script {
		return newScript(t, fails(errDown), fails(errDown), fails(errDown), fails(errDown), fails(errDown), fails(errDown))
	}
	s := script()
	assert.Equal(t, 3, calls(decorate(t, s), s, t.Context()))
	s = script()
	assert.Equal(t, 5, calls(decorate(t, s, llmretry.WithMaxAttempts(2), llmretry.WithMaxAttempts(5)), s, t.Context()), "the last wins")
	s = script()
	base := decorate(t, s, llmretry.WithMaxAttempts(5))
	derived, err := base.With(llmretry.WithMaxAttempts(4))
	require.NoError(t, err)
	assert.Equal(t, 4, calls(derived, s, t.Context()))
	ctx := llmretry.NewContext(llmretry.NewContext(t.Context(), llmretry.WithMaxAttempts(6)), llmretry.WithMaxAttempts(1))
	s = script()
	derived, err = decorate(t, s).With(llmretry.WithMaxAttempts(4))
	require.NoError(t, err)
	assert.Equal(t, 1, calls(derived, s, ctx))

	var order []string
	note := func(name string) llmretry.Option {
		return llmretry.WithValidator(func(context.Context, *llms.ContentResponse) error {
			order = append(order, name)
			return nil
		})
	}
	m := decorate(t, newScript(t, says("a"), says("a")), note("new"), llmretry.WithParser(want("b")))
	derived, err = m.With(note("with"))
	require.NoError(t, err)
	_, err = derived.With(note("another derived one"))
	require.NoError(t, err)
	_, err = llmretry.Generate(llmretry.NewContext(t.Context(), note("context"), llmretry.WithParser(want("c"))), derived, want("a"), hello)
	require.NoError(t, err, "Generate's parser wins")
	assert.Equal(t, []string{"new", "with", "context"}, order)
	_, err = m.GenerateContent(t.Context(), hello)
	assert.ErrorIs(t, err, llmretry.ErrStructuredOutputInvalid, "m is unchanged")
}

// Base options go before the call's own, on attempt 0 too.
func TestCallOptions(t *testing.T) {
	s := newScript(t, fails(errDown), says("a"))
	m := decorate(t, s, llmretry.WithCallOptions(llms.WithJSONMode(), llms.WithTemperature(0.9)), llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.5)...))
	_, _, err := ask(t, m, llms.WithTemperature(0.1))
	require.NoError(t, err)
	for _, r := range s.requests() {
		assert.True(t, r.options.JSONMode)
	}
	assert.Equal(t, []float64{0.1, 0.5}, s.temperatures())
}

// reasoning is a model with a capability of its own.
type reasoning struct{ *script }

func (reasoning) SupportsReasoning() bool { return true }

func TestCapabilities(t *testing.T) {
	s := newScript(t, says("a"))
	assert.False(t, llms.SupportsReasoningModel(decorate(t, s)))
	assert.True(t, llms.SupportsReasoningModel(decorate(t, reasoning{s})))
	assert.Same(t, s, decorate(t, s).Unwrap())
	text, err := decorate(t, s).Call(t.Context(), "hello", llms.WithSeed(3))
	require.NoError(t, err)
	assert.Equal(t, "a", text)
	assert.Equal(t, hello, s.requests()[0].messages)
	assert.Equal(t, 3, s.requests()[0].options.Seed)
}

// The caller's own option that panics panics in the model, as it would without a decorator, and is typed.
func TestCallersOptionPanics(t *testing.T) {
	_, _, err := ask(t, decorate(t, newScript(t)), func(*llms.CallOptions) { panic(errors.New("x")) })
	assert.Equal(t, llmretry.CategoryPanic, llmretry.Category(err))
	_, _, err = ask(t, decorate(t, newScript(t)), nil)
	assert.Equal(t, llmretry.CategoryPanic, llmretry.Category(err))
}
