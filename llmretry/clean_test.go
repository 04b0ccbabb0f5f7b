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
