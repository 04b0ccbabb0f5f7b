package llmretry_test

import (
	"context"
	"errors"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Semantics D1, D2, D3, D6: attempt 0 is the caller's own; entry a-1 goes to attempt a, merged onto the caller's base;
// the last carries forward, surplus ones are unused; it works without any parser.
func TestSchedule(t *testing.T) {
	downs := []reply{fails(errDown), fails(errDown), fails(errDown), fails(errDown)}
	tests := []struct {
		name     string
		schedule []llmretry.Override
		max      int
		want     []float64
	}{
		{"empty", nil, 3, []float64{0.1, 0.1, 0.1}},
		{"one carries forward", llmretry.Temperatures(0.3), 4, []float64{0.1, 0.3, 0.3, 0.3}},
		{"two", llmretry.Temperatures(0.3, 0.6), 4, []float64{0.1, 0.3, 0.6, 0.6}},
		{"surplus", llmretry.Temperatures(0.3, 0.6, 0.9), 2, []float64{0.1, 0.3}},
		{"explicit zero", llmretry.Temperatures(0), 2, []float64{0.1, 0}},
		{"onto the base, not the previous attempt", []llmretry.Override{llmretry.Set(llms.WithTemperature(0.9)), llmretry.Set(llms.WithSeed(1))}, 3, []float64{0.1, 0.9, 0.1}},
		{"a stop entry ends the call", []llmretry.Override{llmretry.Set(llms.WithTemperature(0.9)), llmretry.Stop()}, 4, []float64{0.1, 0.9}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScript(t, downs[:len(tt.want)]...)
			m := decorate(t, s, llmretry.WithMaxAttempts(tt.max), llmretry.WithPerAttemptOverride(tt.schedule...))
			_, _, err := ask(t, m, llms.WithTemperature(0.1), llms.WithMaxTokens(100))
			assert.ErrorIs(t, err, llmretry.ErrMaxAttempts)
			assert.Equal(t, tt.want, s.temperatures())
			for _, r := range s.requests() {
				assert.Equal(t, 100, r.options.MaxTokens, "inherited")
			}
		})
	}
}

// Semantics D1: attempt 0 sends the caller's own option slice and messages, with nothing of ours in them.
func TestAttemptZeroIsTheCallers(t *testing.T) {
	s := newScript(t, says("a"), says("a"))
	opts := []llms.CallOption{llms.WithTemperature(0.2), llms.WithModel("m")}
	m := decorate(t, s, llmretry.WithPerAttemptOverride(llmretry.Temperatures(1)...))
	for range 2 {
		_, err := m.GenerateContent(t.Context(), hello, opts...)
		require.NoError(t, err)
	}
	got := s.requests()[1]
	assert.True(t, &hello[0] == &s.requests()[0].given[0], "the same slice")
	require.Len(t, got.list, 2)
	assert.True(t, &opts[0] == &got.list[0], "the same slice")
	assert.True(t, got.ctx == t.Context(), "the caller's own context, once it is known that nobody looks")
}

// Semantics D4: metadata merges per key into a fresh map; stream functions and metadata survive even WithOptions.
func TestMetadataMerges(t *testing.T) {
	metadata := map[string]any{"user": "u1", "trace": "t1"}
	before := maps.Clone(metadata)
	s := newScript(t, fails(errDown), fails(errDown), fails(errDown))
	m := decorate(t, s, llmretry.WithPerAttemptOverride(
		llmretry.Set(llms.WithMetadata(map[string]any{"trace": "t2"})),
		llmretry.Set(llms.WithOptions(llms.CallOptions{Temperature: 0.5})),
	))
	_, _, err := ask(t, m, llms.WithMetadata(metadata), llms.WithTopK(4))
	require.Error(t, err)
	assert.Equal(t, map[string]any{"user": "u1", "trace": "t1"}, s.requests()[0].options.Metadata)
	assert.Equal(t, map[string]any{"user": "u1", "trace": "t2"}, s.requests()[1].options.Metadata)
	assert.Equal(t, 4, s.requests()[1].options.TopK)
	last := s.requests()[2].options
	assert.Equal(t, map[string]any{"user": "u1", "trace": "t1"}, last.Metadata)
	assert.Zero(t, last.TopK, "WithOptions sets every field there is")
	assert.Equal(t, 0.5, last.Temperature)
	assert.Equal(t, before, metadata)
}

// Semantics D5: another model takes an attempt; the caller's model name belongs to the first model's provider and is
// sent to the other only when the entry sets one.
func TestAnotherModel(t *testing.T) {
	small := newScript(t, fails(errDown))
	medium := newScript(t, fails(errDown))
	large := newScript(t, says("a"))
	medium2 := llmretry.Use(medium)
	medium2.Name = "medium"
	m := decorate(t, small, llmretry.WithModelName("small"), llmretry.WithPerAttemptOverride(
		medium2, llmretry.Use(large, llms.WithModel("large-1"), llms.WithTemperature(0.7))))
	_, report, err := ask(t, m, llms.WithTemperature(0.1), llms.WithModel("small-1"))
	require.NoError(t, err)
	assert.Equal(t, "small-1", small.requests()[0].options.Model)
	assert.Equal(t, "", medium.requests()[0].options.Model)
	assert.Equal(t, 0.1, medium.requests()[0].options.Temperature)
	assert.Equal(t, "large-1", large.requests()[0].options.Model)
	assert.Equal(t, 0.7, large.requests()[0].options.Temperature)
	assert.Equal(t, "small-1", report.Attempts[0].Model)
	assert.Equal(t, "medium", report.Attempts[1].Model)
	assert.Equal(t, "large-1", report.Attempts[2].Model)
}

// Semantics D5: a client that fills in its own model name before it applies options keeps that name.
func TestAnotherModelKeepsItsDefaultName(t *testing.T) {
	var name string
	other := modelFunc(func(_ context.Context, _ []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
		o := llms.CallOptions{Model: "its own default"} // as mistral and googleai do
		for _, opt := range opts {
			opt(&o)
		}
		name = o.Model
		return says("a").response, nil
	})
	m := decorate(t, newScript(t, fails(errDown)), llmretry.WithPerAttemptOverride(llmretry.Use(other)))
	_, _, err := ask(t, m, llms.WithModel("of the first"), llms.WithTemperature(1))
	require.NoError(t, err)
	assert.Equal(t, "its own default", name)
}

// Semantics D7: langchaingo options write into maps, slices and structs that belong to the caller; here they do not,
// however often they are applied.
func TestOptionsWriteNowhere(t *testing.T) {
	thinking := &llms.ThinkingConfig{Mode: llms.ThinkingModeLow}
	headers := make([]string, 1, 4)
	headers[0] = "a"
	metadata := map[string]any{"thinking_config": thinking, "anthropic:beta_headers": headers}
	entryMetadata := map[string]any{"k": "v"}
	s := newScript(t, fails(errDown), fails(errDown), fails(errDown))
	m := decorate(t, s, llmretry.WithPerAttemptOverride(
		llmretry.Set(llms.WithThinkingMode(llms.ThinkingModeHigh), llms.WithThinkingBudget(99)),
		llmretry.Set(llms.WithMetadata(entryMetadata), anthropic.WithBetaHeader("c"), llms.WithPromptCaching(true)),
	))
	_, report, err := ask(t, m, llms.WithMetadata(metadata), anthropic.WithBetaHeader("b"))
	require.Error(t, err)
	for _, a := range report.Attempts {
		_ = a.Sent() // applies them all once more
	}

	assert.Equal(t, &llms.ThinkingConfig{Mode: llms.ThinkingModeLow}, thinking)
	assert.Equal(t, []string{"a", "", "", ""}, headers[:4])
	assert.Equal(t, map[string]any{"thinking_config": thinking, "anthropic:beta_headers": headers}, metadata)
	assert.Equal(t, map[string]any{"k": "v"}, entryMetadata)

	r := s.requests()
	assert.Equal(t, []string{"a", "b"}, r[0].options.Metadata["anthropic:beta_headers"])
	assert.Equal(t, []string{"a", "b"}, r[1].options.Metadata["anthropic:beta_headers"], "not one more per attempt")
	assert.Equal(t, []string{"a", "b", "c"}, r[2].options.Metadata["anthropic:beta_headers"])
	assert.Equal(t, llms.ThinkingModeLow, llms.GetThinkingConfig(&r[0].options).Mode)
	assert.Equal(t, llms.ThinkingModeHigh, llms.GetThinkingConfig(&r[1].options).Mode)
	assert.Equal(t, 99, llms.GetThinkingConfig(&r[1].options).BudgetTokens)
	assert.Equal(t, llms.ThinkingModeLow, llms.GetThinkingConfig(&r[2].options).Mode)
	assert.Equal(t, map[string]any{"thinking_config": llms.GetThinkingConfig(&r[2].options), "anthropic:beta_headers": []string{"a", "b", "c"}, "k": "v", "prompt_caching": true}, r[2].options.Metadata)
}

// Semantics D8: nothing in a schedule can be changed after it was given.
func TestScheduleIsCopied(t *testing.T) {
	opts := []llms.CallOption{llms.WithTemperature(0.3)}
	schedule := []llmretry.Override{{Options: opts}}
	s := newScript(t, fails(errDown), says("a"))
	m := decorate(t, s, llmretry.WithPerAttemptOverride(schedule...))
	opts[0] = llms.WithTemperature(2)
	schedule[0] = llmretry.Stop()
	_, _, err := ask(t, m)
	require.NoError(t, err)
	assert.Equal(t, []float64{0, 0.3}, s.temperatures())
}

// Semantics D9: a field that only the schedule set and the provider rejects by name is left out from the next attempt
// on, and by later calls too; a field of the caller's never is.
func TestSafetyNet(t *testing.T) {
	rejected := errors.New("API returned unexpected status code: 400: Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) value is supported.")
	s := newScript(t, fails(errDown), fails(rejected), says("a"), fails(errDown), says("b"))
	m := decorate(t, s, llmretry.WithMaxAttempts(4), llmretry.WithPerAttemptOverride(llmretry.Set(llms.WithTemperature(0.3), llms.WithSeed(5))))
	_, report, err := ask(t, m)
	require.NoError(t, err)
	assert.Equal(t, "0 provider_unavailable, 1 transient provider_invalid_request, 2 transient ok", summary(report))
	assert.Equal(t, []string{"temperature"}, report.Attempts[2].Dropped)
	assert.Equal(t, map[string]any{"seed": 5}, report.Attempts[2].Sent())
	_, report, err = ask(t, m)
	require.NoError(t, err)
	assert.Equal(t, "0 provider_unavailable, 1 transient ok", summary(report), "remembered")
	assert.Equal(t, []string{"temperature"}, report.Attempts[1].Dropped)

	for name, make := range map[string]func() (*llmretry.Model, []llms.CallOption){
		"a field of the caller's": func() (*llmretry.Model, []llms.CallOption) {
			return decorate(t, newScript(t, fails(errDown), fails(rejected)), llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.3)...)),
				[]llms.CallOption{llms.WithTemperature(0)}
		},
		"attempt 0": func() (*llmretry.Model, []llms.CallOption) {
			return decorate(t, newScript(t, fails(rejected)), llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.3)...)), nil
		},
		"switched off": func() (*llmretry.Model, []llms.CallOption) {
			return decorate(t, newScript(t, fails(errDown), fails(rejected)), llmretry.WithoutParameterSafetyNet(),
				llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.3)...)), nil
		},
		"WithOptions is never dropped": func() (*llmretry.Model, []llms.CallOption) {
			return decorate(t, newScript(t, fails(errDown), fails(rejected)),
				llmretry.WithPerAttemptOverride(llmretry.Set(llms.WithOptions(llms.CallOptions{Temperature: 0.3})))), nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, opts := make()
			_, report, err := ask(t, m, opts...)
			assert.ErrorIs(t, err, rejected)
			for _, a := range report.Attempts {
				assert.Empty(t, a.Dropped)
			}
		})
	}
}

// Sent tells an explicit zero from a field that was left alone.
func TestSent(t *testing.T) {
	tests := []struct {
		name string
		opts []llms.CallOption
		want map[string]any
	}{
		{"nothing", nil, map[string]any{}},
		{"zeros", []llms.CallOption{llms.WithTemperature(0), llms.WithSeed(0), llms.WithModel(""), llms.WithStopWords(nil), llms.WithToolChoice(nil)},
			map[string]any{"temperature": 0.0, "seed": 0, "model": "", "stop_words": []string(nil), "tool_choice": nil}},
		{"values", []llms.CallOption{llms.WithStopWords([]string{"x"}), llms.WithJSONMode(), llms.WithMetadata(map[string]any{"a": 1})},
			map[string]any{"stop_words": []string{"x"}, "json": true, "metadata": map[string]any{"a": 1}}},
		{"stream functions have no name", []llms.CallOption{llms.WithStreamingFunc(func(context.Context, []byte) error { return nil })}, map[string]any{}},
		{"a nil option", []llms.CallOption{nil}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, llmretry.Attempt{Options: tt.opts}.Sent())
		})
	}
}

// modelFunc is a function as a model.
type modelFunc func(ctx context.Context, messages []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error)

func (f modelFunc) GenerateContent(ctx context.Context, messages []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
	return f(ctx, messages, opts...)
}

func (f modelFunc) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, f, prompt, opts...)
}
