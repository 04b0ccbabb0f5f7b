package llmretry

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

func known(n int) Count { return Count{N: n, Known: true} }

// Semantics F10: counters of every provider's names and types; absent, negative, of a wrong type or all zero is not
// reported and never repaired; a total that did not come is the sum of its parts.
func TestUsage(t *testing.T) {
	type usageInfo struct{ PromptTokens, CompletionTokens, TotalTokens int } // mistral's SDK
	tests := map[string]struct {
		info map[string]any
		want Usage
	}{
		"openai":              {map[string]any{"PromptTokens": 4, "CompletionTokens": 1, "TotalTokens": 5}, Usage{known(4), known(1), known(5)}},
		"openai without any":  {map[string]any{"PromptTokens": 0, "CompletionTokens": 0, "TotalTokens": 0}, Usage{}},
		"anthropic":           {map[string]any{"InputTokens": 4, "OutputTokens": 1}, Usage{known(4), known(1), known(5)}},
		"googleai":            {map[string]any{"input_tokens": int32(4), "output_tokens": int32(1), "total_tokens": int32(5)}, Usage{known(4), known(1), known(5)}},
		"googleai, streaming": {map[string]any{"PromptTokens": int32(4), "CompletionTokens": int32(1), "TotalTokens": int32(0)}, Usage{known(4), known(1), known(5)}},
		"mistral":             {map[string]any{"usage": usageInfo{4, 1, 5}}, Usage{known(4), known(1), known(5)}},
		"a pointer":           {map[string]any{"usage": &usageInfo{4, 1, 5}}, Usage{known(4), known(1), known(5)}},
		"a map":               {map[string]any{"usage": map[string]any{"prompt_tokens": 4.0, "completion_tokens": 1.0}}, Usage{known(4), known(1), known(5)}},
		"through JSON":        {map[string]any{"PromptTokens": 4.0, "CompletionTokens": 1.0, "TotalTokens": 5.0}, Usage{known(4), known(1), known(5)}},
		"one part":            {map[string]any{"PromptTokens": 4}, Usage{Input: known(4)}},
		"a zero part":         {map[string]any{"PromptTokens": 4, "CompletionTokens": 0, "TotalTokens": 4}, Usage{known(4), known(0), known(4)}},
		"a total alone":       {map[string]any{"TotalTokens": uint64(7)}, Usage{Total: known(7)}},
		"negative":            {map[string]any{"PromptTokens": -4, "CompletionTokens": 1}, Usage{Output: known(1)}},
		"fractions":           {map[string]any{"PromptTokens": 4.5, "CompletionTokens": math.NaN(), "TotalTokens": math.Inf(1)}, Usage{}},
		"absurd":              {map[string]any{"PromptTokens": int64(math.MaxInt64), "TotalTokens": uint64(math.MaxUint64)}, Usage{}},
		"wrong types":         {map[string]any{"PromptTokens": "4", "CompletionTokens": nil, "TotalTokens": []int{5}}, Usage{}},
		"a usage of nothing":  {map[string]any{"usage": (*usageInfo)(nil)}, Usage{}},
		"a usage of text":     {map[string]any{"usage": "many"}, Usage{}},
		"a stray usage":       {map[string]any{"usage": "x", "PromptTokens": 2}, Usage{Input: known(2)}},
		"nil":                 {nil, Usage{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := &llms.ContentChoice{GenerationInfo: tt.info}
			assert.Equal(t, tt.want, usageOf(&llms.ContentResponse{Choices: []*llms.ContentChoice{nil, {}, c, c}}), "counted once, whichever choice has it")
		})
	}
	assert.Equal(t, Usage{}, usageOf(nil))
}

func TestCount(t *testing.T) {
	assert.Equal(t, "-", Count{N: 3}.String())
	assert.Equal(t, "0", known(0).String())
	data, err := json.Marshal(Usage{Input: known(0), Total: known(7)})
	require.NoError(t, err)
	assert.JSONEq(t, `{"Input":0,"Output":null,"Total":7}`, string(data))
	back := Usage{Output: known(9)}
	require.NoError(t, json.Unmarshal(data, &back))
	assert.Equal(t, Usage{Input: known(0), Total: known(7)}, back)
	assert.Error(t, json.Unmarshal([]byte(`{"Input":"x"}`), &back))
}

// Semantics F2: every provider's stop reason in one vocabulary.
func TestFinishReason(t *testing.T) {
	for stop, want := range finishReasons {
		assert.Equal(t, want, finishReason(stop))
	}
	for _, stop := range []string{"", "null", "STOPPED", "something new"} {
		assert.Equal(t, FinishUnknown, finishReason(stop))
	}
}
