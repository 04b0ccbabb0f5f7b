package adapters_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// budgetScenarios are about how often a model is called.
var budgetScenarios = []scenario{
	{"budget-01", "A1, A3", oneCall},
	{"budget-02", "A1, C5, G2", attemptsAreCounted},
	{"budget-06", "F8, B3", emptySuccessIsRetried},
	{"budget-07", "F3", toolCallsAreReturned},
	{"budget-08", "A4, D1", successIsUntouched},
}

// hopelessScenarios are about failures that another call cannot heal.
var hopelessScenarios = []scenario{
	{"hopeless-02", "F7", filtered},
	{"hopeless-04", "F7", filteredPrefix},
	{"hopeless-05", "B7", quotaIsFinal},
	{"hopeless-06", "B7", digitsInATextMeanNothing},
	{"hopeless-07", "A6, D9", rejectedTemperature},
}

func oneCall(t *testing.T) {
	c := scene{turns: []turn{tells(seven), tells(blue)}, opts: []llmretry.Option{llmretry.WithMaxAttempts(1)}}.play(t)
	assert.Len(t, c.asked, 1)
	assert.ErrorIs(t, c.err, llmretry.ErrStructuredOutputInvalid)
	assert.Empty(t, c.hooked)
}

// The rule counts attempts from 0 and calls the hook only for one that a retry follows: it is told of attempts 0 and 1,
// and the report holds all three.
func attemptsAreCounted(t *testing.T) {
	c := scene{turns: []turn{tells(seven), tells(seven), tells(seven), tells(seven), tells(seven)}}.play(t)
	assert.Len(t, c.asked, 3)
	assert.Equal(t, []int{0, 1}, c.hooked)
	require.Len(t, c.report.Attempts, 3)
	for i, a := range c.report.Attempts {
		assert.Equal(t, i, a.Index)
	}
	assert.ErrorIs(t, c.err, llmretry.ErrMaxAttempts)
	assert.ErrorContains(t, c.err, "3 attempts")
}

func emptySuccessIsRetried(t *testing.T) {
	r := newRig(t, openaiDialect(), true, inOrder(
		reply{body: chatCompletion(nil, answer{})}, reply{body: chatCompletion(nil, answer{text: blue})},
	))
	c := scene{client: r.client}.play(t)
	require.NoError(t, c.err)
	assert.Equal(t, blue, c.response.Choices[0].Content)
	assert.Len(t, r.received(), 2)
}

func toolCallsAreReturned(t *testing.T) {
	c := scene{turns: []turn{tooled(toolCall("t1", "get_weather", `{"city":"Oslo"}`))}}.play(t)
	require.NoError(t, c.err)
	assert.Len(t, c.asked, 1)
	assert.Len(t, c.response.Choices[0].ToolCalls, 1)

	// The typed entry has no value to return, and says so instead of asking again.
	m := &sceneModel{turns: []turn{tooled(toolCall("t1", "get_weather", `{"city":"Oslo"}`))}}
	d := llmretry.Must(llmretry.New(m, llmretry.WithReask(plainWords)))
	result, err := llmretry.Generate(t.Context(), d, blueParser, oneQuestion)
	require.ErrorIs(t, err, llmretry.ErrToolCalls)
	assert.Len(t, result.Response.Choices[0].ToolCalls, 1)
	assert.Len(t, m.requests(), 1)
}

func successIsUntouched(t *testing.T) {
	call := []llms.CallOption{llms.WithTemperature(0.3), llms.WithMaxTokens(10), llms.WithSeed(4)}
	turns := []turn{tells(blue)}
	c := scene{turns: turns, call: call}.play(t)
	require.NoError(t, c.err)
	assert.Same(t, turns[0].response, c.response)
	require.Len(t, c.asked, 1)
	require.Len(t, c.asked[0].list, 3, "no option is added")
	assert.Same(t, &call[0], &c.asked[0].list[0], "it is the caller's own list")
}

func filtered(t *testing.T) {
	for _, reason := range []string{"content_filter", "SAFETY", "refusal"} {
		c := scene{turns: []turn{ends("", reason), ends("", reason), ends("", reason)}}.play(t)
		assert.Len(t, c.asked, 1, reason)
		assert.Equal(t, llmretry.CategoryContentFiltered, llmretry.Category(c.err), reason)
	}
}

func filteredPrefix(t *testing.T) {
	c := scene{turns: []turn{ends(blue, "content_filter")}}.play(t)
	assert.Len(t, c.asked, 1)
	assert.Equal(t, llmretry.CategoryContentFiltered, llmretry.Category(c.err))
	var refusal *llmretry.StructuredOutputError
	require.ErrorAs(t, c.err, &refusal)
	assert.Equal(t, blue, refusal.OutputContent, "the caller may still look at it")
	assert.NotErrorIs(t, c.err, llmretry.ErrStructuredOutputInvalid)
}

// With and without a Transport: the client keeps the message of the body and drops its type.
func quotaIsFinal(t *testing.T) {
	quota := reply{status: http.StatusTooManyRequests, body: jsonOf(object{"error": object{
		"message": "You exceeded your current quota, please check your plan and billing details.", "type": "insufficient_quota", "code": "insufficient_quota",
	}})}
	plain := openaiDialect().fails(http.StatusTooManyRequests, "Rate limit reached for requests", "")
	for _, transport := range []bool{true, false} {
		r := newRig(t, openaiDialect(), transport, inOrder(quota, quota, quota))
		c := scene{client: r.client}.play(t)
		assert.Len(t, r.received(), 1)
		assert.Equal(t, llmretry.CategoryQuotaExceeded, llmretry.Category(c.err))

		r = newRig(t, openaiDialect(), transport, inOrder(plain, plain, plain))
		c = scene{client: r.client}.play(t)
		assert.Len(t, r.received(), 3, "any other 429 is worth a pause")
		assert.Equal(t, llmretry.CategoryRateLimit, llmretry.Category(c.err))
	}
}

func digitsInATextMeanNothing(t *testing.T) {
	message := "project 123429 rejected after 500ms, see ticket 503"
	for _, transport := range []bool{true, false} {
		refusal := openaiDialect().fails(http.StatusBadRequest, message, "")
		r := newRig(t, openaiDialect(), transport, inOrder(refusal, refusal, refusal))
		c := scene{client: r.client}.play(t)
		assert.Len(t, r.received(), 1)
		assert.Equal(t, llmretry.CategoryInvalidRequest, llmretry.Category(c.err))
		assert.ErrorContains(t, c.err, message)
	}
	c := scene{turns: []turn{{err: errors.New(message)}}}.play(t)
	assert.Len(t, c.asked, 1)
	assert.Empty(t, llmretry.Category(c.err))
}

// Nobody asked for a temperature, so the safety net, which drops only what the schedule set, has nothing to drop.
func rejectedTemperature(t *testing.T) {
	refusal := openaiDialect().fails(http.StatusBadRequest, "Unsupported value: 'temperature' does not support 0 with this model.", "")
	bare := newRig(t, openaiDialect(), true, inOrder(refusal))
	_, err := bare.client.GenerateContent(t.Context(), oneQuestion)
	require.Error(t, err)

	r := newRig(t, openaiDialect(), true, inOrder(refusal, refusal, refusal))
	c := scene{client: r.client}.play(t)
	assert.Len(t, r.received(), 1)
	assert.Equal(t, llmretry.CategoryInvalidRequest, llmretry.Category(c.err))
	assert.Equal(t, string(bare.received()[0].Raw), string(r.received()[0].Raw), "what the client sends by itself, and no more")
	assert.Empty(t, c.report.Attempts[0].Options)
}
