package adapters_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// streamScenarios are about what the caller's stream function is given.
var streamScenarios = []scenario{
	{"stream-01", "I2, I3, I4", streamBreaksOff},
	{"stream-04", "I1, I3", streamAfterAFailure},
	{"stream-05", "I5", callerStopsTheStream},
}

// sink is a stream function that keeps what it is given.
func sink(got *strings.Builder) llms.CallOption {
	return llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
		got.Write(chunk)
		return nil
	})
}

// unjudged makes the call without the parser: what nothing judges is streamed live.
func unjudged(t *testing.T, client llms.Model, call ...llms.CallOption) (*llms.ContentResponse, error) {
	t.Helper()
	m, err := llmretry.New(client, llmretry.WithBackoff(llmretry.Constant(0)))
	require.NoError(t, err)
	return m.GenerateContent(t.Context(), oneQuestion, call...)
}

// The sum of the chunks is the answer, or there is an error: held back with a judge, final without one, taken back on
// request.
func streamBreaksOff(t *testing.T) {
	broken := reply{frames: openaiDialect().stream(answer{parts: []string{`{"ans`, `wer":`}})[:2], fault: reset}
	whole := openaiDialect().streams(`{"answer"`, `:"blue"}`)
	open := func() *rig { return newRig(t, openaiDialect(), true, inOrder(broken, whole)) }
	var got strings.Builder

	r := open()
	c := scene{client: r.client, call: []llms.CallOption{sink(&got)}}.play(t)
	require.NoError(t, c.err)
	assert.Len(t, r.received(), 2)
	assert.Equal(t, blue, got.String(), "held back until accepted")
	assert.Equal(t, blue, c.response.Choices[0].Content)

	got.Reset()
	r = open()
	_, err := unjudged(t, r.client, sink(&got))
	require.Error(t, err)
	assert.Len(t, r.received(), 1, "what was shown cannot be taken back")
	assert.Equal(t, `{"answer":`, got.String())

	got.Reset()
	r = open()
	back := llmretry.WithStreamReset(func(_ context.Context, attempt int) {
		assert.Equal(t, 1, attempt)
		got.Reset()
	})
	c = scene{client: r.client, opts: []llmretry.Option{back}, call: []llms.CallOption{sink(&got)}}.play(t)
	require.NoError(t, c.err)
	assert.Len(t, r.received(), 2)
	assert.Equal(t, blue, got.String(), "begun anew")
}

func streamAfterAFailure(t *testing.T) {
	open := func() *rig {
		return newRig(t, openaiDialect(), true, inOrder(openaiDialect().fails(http.StatusInternalServerError, "oops", ""), openaiDialect().streams(`{"answer":`, `"blue"}`)))
	}
	var got strings.Builder
	c := scene{client: open().client, call: []llms.CallOption{sink(&got)}}.play(t)
	require.NoError(t, c.err)
	assert.Equal(t, blue, got.String())
	assert.Equal(t, []llmretry.ErrorCategory{llmretry.CategoryUnavailable, ""}, ways(c.report))

	got.Reset()
	response, err := unjudged(t, open().client, sink(&got))
	require.NoError(t, err)
	assert.Equal(t, blue, got.String(), "live, too: nothing had been shown")
	assert.Equal(t, blue, response.Choices[0].Content)
}

func callerStopsTheStream(t *testing.T) {
	gone := errors.New("the reader is gone")
	stops := llms.WithStreamingFunc(func(context.Context, []byte) error { return gone })
	stream := openaiDialect().streams(`{"a`, `nswer":"blue"}`)
	r := newRig(t, openaiDialect(), true, inOrder(stream, stream, stream))
	c := scene{client: r.client, call: []llms.CallOption{stops}}.play(t)
	assert.Len(t, r.received(), 1)
	assert.ErrorIs(t, c.err, gone)
	assert.Equal(t, llmretry.CategoryCallerAborted, llmretry.Category(c.err))

	r = newRig(t, openaiDialect(), true, inOrder(stream, stream, stream))
	_, err := unjudged(t, r.client, stops)
	assert.Len(t, r.received(), 1)
	assert.ErrorIs(t, err, gone)
	assert.Equal(t, llmretry.CategoryCallerAborted, llmretry.Category(err))
}
