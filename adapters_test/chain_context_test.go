package adapters_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/prompts"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	llmcompose "github.com/llmretry/langchaingo-llmretry/llmretry/compose"
)

// A chain has no options for what a decorator can do; a context has. It counts for that run only. (Semantics A8.)
func TestChainOptionsByContext(t *testing.T) {
	s := stage{T: t, decorated: true, inner: &oracle{answer: wavers(wrong, right)}}
	chain := chains.NewLLMChain(s.model(), whoPrompt)
	out, err := chains.Run(t.Context(), chain, "Ada")
	require.NoError(t, err)
	assert.Equal(t, wrong, out, "the model has no parser")

	ctx := llmretry.NewContext(t.Context(), byParser)
	out, err = chains.Run(ctx, chain, "Ada")
	require.NoError(t, err)
	assert.Equal(t, right, out)

	_, err = chains.Run(llmretry.NewContext(ctx, llmretry.WithMaxAttempts(1)), chain, "Ada")
	require.ErrorIs(t, err, llmretry.ErrStructuredOutputInvalid)
	_, err = chains.Run(llmretry.NewContext(ctx, llmretry.WithMaxAttempts(0)), chain, "Ada")
	require.ErrorIs(t, err, llmretry.ErrInvalidOption)

	typed := must(llmcompose.LLMChain(s.decorator(), personJSON, whoPrompt))
	_, err = chains.Call(llmretry.NewContext(t.Context(), llmretry.WithMaxAttempts(1)), typed, map[string]any{"name": "Ada"})
	require.ErrorIs(t, err, llmretry.ErrStructuredOutputInvalid, "the helper's chain listens too")
}

// A ceiling on model calls holds for all models of a chain together. (Semantics G1.)
func TestChainCeiling(t *testing.T) {
	s := stage{T: t, decorated: true, inner: &oracle{answer: greeter()}}
	_, err := sequence(llmretry.LimitModelCalls(t.Context(), 2), s)
	require.ErrorIs(t, err, llmretry.ErrMaxModelCalls)
	assert.Len(t, s.inner.requests(), 2)
}

// The chain's own call options are attempt 0's, and each retry's base. (Semantics D1, D3.)
func TestChainCallOptions(t *testing.T) {
	s := stage{T: t, decorated: true, inner: &oracle{answer: wavers(wrong, right)}}
	chain := chains.NewLLMChain(s.model(byParser, llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.5)...), llmretry.WithCallOptions(llms.WithJSONMode())), whoPrompt)
	_, err := chains.Run(t.Context(), chain, "Ada", chains.WithTemperature(0), chains.WithMaxTokens(77))
	require.NoError(t, err)
	asked := s.inner.requests()
	require.Len(t, asked, 2)
	for i, temperature := range []float64{0, 0.5} {
		assert.InDelta(t, temperature, asked[i].options.Temperature, 0)
		assert.Equal(t, 77, asked[i].options.MaxTokens)
		assert.True(t, asked[i].options.JSONMode, "for which chains have no option")
	}
}

// TestChainReports: the reports of all model calls of a chain, with what each took, also of calls at the same time.
// (Semantics G2.)
func TestChainReports(t *testing.T) {
	for name, c := range map[string]struct {
		play func(context.Context, stage) (string, error)
		with func() func(asked) turn
		ends []int // attempts per model call, in any order
	}{
		"sequence":   {sequence, greeter, []int{2, 1}},
		"map reduce": {mapReduce, adder, []int{1, 2, 1}},
	} {
		s := stage{T: t, decorated: true, inner: &oracle{answer: c.with()}}
		ctx, reports := llmretry.CaptureReports(t.Context())
		_, err := c.play(ctx, s)
		require.NoError(t, err)
		var ends []int
		for _, r := range reports() {
			require.NoError(t, r.Err)
			ends = append(ends, len(r.Attempts))
		}
		assert.ElementsMatch(t, c.ends, ends, name)
	}
}

// A conversation goes on with the accepted answer only: nothing that was refused, and no correction, is in a later
// prompt.
func TestChainMemoryOverTurns(t *testing.T) {
	answers := map[bool]string{false: wrong, true: right}
	s := stage{T: t, decorated: true, inner: &oracle{answer: func(a asked) turn { return tells(answers[a.corrected()]) }}}
	buffer := memory.NewConversationBuffer()
	chain := chains.NewConversation(s.model(byParser), buffer)
	for range 3 {
		_, err := chains.Run(t.Context(), chain, ask)
		require.NoError(t, err)
	}
	asked := s.inner.requests()
	require.Len(t, asked, 6)
	assert.NotContains(t, asked[4].text(), wrong)
	assert.NotContains(t, asked[4].text(), mention)
	messages, err := buffer.ChatHistory.Messages(t.Context())
	require.NoError(t, err)
	require.Len(t, messages, 6)
	for i := 1; i < 6; i += 2 {
		assert.Equal(t, right, messages[i].GetContent())
	}
}

// A conversation memory takes text only: given a T it keeps the question alone. That is langchaingo's; the way around
// is a parser of the model's and not of the chain's.
func TestChainMemoryWantsText(t *testing.T) {
	s := stage{T: t, decorated: true, inner: &oracle{answer: wavers(wrong, right)}}
	chain := must(llmcompose.LLMChain(s.decorator(), personJSON, prompts.NewPromptTemplate("{{.history}} {{.input}}", []string{"history", "input"})))
	buffer := memory.NewConversationBuffer()
	chain.Memory = buffer
	_, err := chains.Call(t.Context(), chain, map[string]any{"input": ask})
	require.ErrorIs(t, err, memory.ErrInvalidInputValues)
}
