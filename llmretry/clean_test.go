package llmretry_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// fixed answers with one response, applying the options as a provider does.
type fixed struct{ response *llms.ContentResponse }

func (f *fixed) GenerateContent(_ context.Context, _ []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, opt := range opts {
		opt(&o)
	}
	return f.response, nil
}

func (f *fixed) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, f, prompt, opts...)
}

var prebuilt = []llms.CallOption{llms.WithModel("m"), llms.WithTemperature(0.2), llms.WithMaxTokens(100), llms.WithSeed(1), llms.WithJSONMode()}

// The clean first attempt without a parser costs the decorator no allocation and no goroutine, whatever is configured
// for the attempts that do not come.
func TestCleanPathAllocates(t *testing.T) {
	inner := &fixed{says("a").response}
	full := decorate(t, inner, llmretry.WithReask(words), llmretry.WithOnRetry(func(context.Context, error, int) {}),
		llmretry.WithClassifier(llmretry.DefaultClassifier), llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.3, 0.6)...),
		llmretry.WithTruncationOverride(llmretry.Set(llms.WithMaxTokens(9))), llmretry.WithModelName("m"),
		llmretry.WithTrail(llmretry.NewTrail(0), "step"))
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	for name, opts := range map[string][]llms.CallOption{"no options": nil, "five options": prebuilt} {
		measure := func(m llms.Model) float64 {
			return testing.AllocsPerRun(200, func() {
				if r, err := m.GenerateContent(ctx, hello, opts...); err != nil || r != inner.response {
					t.Error(r, err)
				}
			})
		}
		bare := measure(inner)
		assert.Equal(t, bare, measure(decorate(t, inner)), name)
		assert.Equal(t, bare, measure(full), name)
	}
	goroutines := runtime.NumGoroutine()
	_, err := full.GenerateContent(ctx, hello, prebuilt...)
	require.NoError(t, err)
	assert.Equal(t, goroutines, runtime.NumGoroutine())
}

// TestReaskAllocates holds what attempts after the first cost, and what a report of a success does.
func TestReaskAllocates(t *testing.T) {
	good, bad := says("good").response, says("bad").response
	n := 0
	m := decorate(t, modelFunc(func(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
		if n++; n%2 == 1 {
			return bad, nil
		}
		return good, nil
	}), llmretry.WithParser(accepts("good")), llmretry.WithReask(
		func(context.Context, llmretry.Failure) (string, error) { return "fix it", nil }))
	ask := func(m *llmretry.Model) float64 {
		return testing.AllocsPerRun(200, func() {
			if _, err := m.GenerateContent(context.Background(), hello); err != nil {
				t.Error(err)
			}
		})
	}
	assert.LessOrEqual(t, ask(m), 8.0)
	inner := &fixed{good}
	watched := decorate(t, inner, llmretry.WithObserver(llmretry.Observer{
		Attempt: func(ctx context.Context, _ llmretry.AttemptStart) (context.Context, func(llmretry.Attempt)) {
			return ctx, func(llmretry.Attempt) {}
		},
		Done: func(context.Context, *llmretry.Report, error) {},
	}))
	assert.LessOrEqual(t, ask(watched), ask(decorate(t, inner))+1)
}
