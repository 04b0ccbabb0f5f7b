package llmretry_test

import (
	"context"
	"errors"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// sink is a caller's stream function that keeps what it got.
type sink struct {
	got    []string
	failAt int // the call, from 1, that returns err
	err    error
}

func (s *sink) option() llms.CallOption {
	return llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
		s.got = append(s.got, string(chunk))
		if s.failAt == len(s.got) {
			return s.err
		}
		return nil
	})
}

func streams(r reply, chunks ...string) reply {
	r.chunks = chunks
	return r
}

// Semantics I1, I2: with a parser chunks are held back and delivered when their attempt is accepted: exactly its text,
// once.
func TestHeldStream(t *testing.T) {
	s := newScript(t, streams(says("bad"), "b", "ad"), streams(fails(errDown), "go"), streams(says("good"), "", "go", "od", ""))
	var out sink
	response, _, err := ask(t, decorate(t, s, llmretry.WithParser(want("good")), llmretry.WithReask(words)), out.option())
	require.NoError(t, err)
	assert.Equal(t, []string{"", "go", "od", ""}, out.got)
	assert.Equal(t, "good", response.Choices[0].Content)

	out = sink{}
	_, _, err = ask(t, decorate(t, newScript(t, streams(says("bad"), "bad")), llmretry.WithParser(want("good"))), out.option())
	require.Error(t, err)
	assert.Empty(t, out.got, "a refused attempt delivers nothing")
}

// Semantics I3: without a judge chunks are live; a failure before the first one with something in it is retried, after
// it it is final.
func TestLiveStream(t *testing.T) {
	var out sink
	_, report, err := ask(t, decorate(t, newScript(t, streams(fails(errDown), ""), streams(says("good"), "go", "od"))), out.option())
	require.NoError(t, err)
	assert.Equal(t, []string{"", "go", "od"}, out.got)
	assert.Equal(t, "0 provider_unavailable, 1 transient ok", summary(report))

	out = sink{}
	_, report, err = ask(t, decorate(t, newScript(t, streams(fails(errDown), "go"))), out.option())
	assert.ErrorIs(t, err, errDown)
	assert.Equal(t, []string{"go"}, out.got)
	assert.Equal(t, "0 provider_unavailable", summary(report))
}

// Semantics I4: live with reset, also under a parser: the reset comes before each attempt that follows delivered
// chunks, with that attempt's index.
func TestStreamReset(t *testing.T) {
	var out sink
	reset := llmretry.WithStreamReset(func(_ context.Context, attempt int) { out.got = append(out.got, "reset "+strconv.Itoa(attempt)) })
	s := newScript(t, streams(says("bad"), "b", "ad"), fails(errDown), streams(fails(errDown2), "go"), streams(says("good"), "go", "od"))
	_, _, err := ask(t, decorate(t, s, reset, llmretry.WithMaxAttempts(4), llmretry.WithParser(want("good")), llmretry.WithReask(words)), out.option())
	require.NoError(t, err)
	assert.Equal(t, []string{"b", "ad", "reset 1", "go", "reset 3", "go", "od"}, out.got)

	out = sink{}
	_, _, err = ask(t, decorate(t, newScript(t, streams(fails(errDown), "go"), streams(says("good"), "good")), reset), out.option())
	require.NoError(t, err)
	assert.Equal(t, []string{"go", "reset 1", "good"}, out.got)
}

// Semantics I5: an error from the caller's stream function is the caller's own abort: final, kept by us even when the
// client swallows it.
func TestCallerAborts(t *testing.T) {
	gone := errors.New("client gone")
	swallowing := modelFunc(func(ctx context.Context, _ []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
		var o llms.CallOptions
		for _, opt := range opts {
			opt(&o)
		}
		_ = o.StreamingFunc(ctx, []byte("go"))
		_ = o.StreamingFunc(ctx, []byte("od"))
		return says("good").response, nil // as googleai does
	})
	for name, m := range map[string]*llmretry.Model{
		"live":              decorate(t, newScript(t, streams(says("good"), "go", "od"))),
		"live, swallowed":   decorate(t, swallowing),
		"held":              decorate(t, newScript(t, streams(says("good"), "go", "od")), llmretry.WithParser(want("good")), llmretry.WithReask(words)),
		"live, one attempt": decorate(t, newScript(t, streams(says("good"), "go")), llmretry.WithMaxAttempts(1)),
	} {
		t.Run(name, func(t *testing.T) {
			out := sink{failAt: 1, err: gone}
			response, report, err := ask(t, m, out.option())
			assert.Nil(t, response)
			assert.ErrorIs(t, err, gone)
			assert.Equal(t, llmretry.CategoryCallerAborted, llmretry.Category(err))
			assert.Equal(t, []string{"go"}, out.got)
			assert.Equal(t, "0 caller_aborted", summary(report))
		})
	}
}

// Semantics I5, J2: both stream functions follow the rules; a panic in one is typed and final.
func TestReasoningStream(t *testing.T) {
	reasoner := modelFunc(func(ctx context.Context, _ []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
		var o llms.CallOptions
		for _, opt := range opts {
			opt(&o)
		}
		buffer := []byte("think")
		if err := o.StreamingReasoningFunc(ctx, buffer, nil); err != nil {
			return nil, err
		}
		copy(buffer, "xxxxx") // clients reuse their buffers
		if err := o.StreamingReasoningFunc(ctx, nil, []byte("good")); err != nil {
			return nil, err
		}
		return says("good").response, nil
	})
	for _, judges := range [][]llmretry.Option{nil, {llmretry.WithParser(want("good"))}} {
		var got []string
		_, _, err := ask(t, decorate(t, reasoner, judges...), llms.WithStreamingReasoningFunc(func(_ context.Context, reasoning, chunk []byte) error {
			got = append(got, string(reasoning)+"|"+string(chunk))
			return nil
		}))
		require.NoError(t, err)
		assert.Equal(t, []string{"think|", "|good"}, got)

		cause := errors.New("nil map")
		_, report, err := ask(t, decorate(t, reasoner, judges...), llms.WithStreamingReasoningFunc(func(context.Context, []byte, []byte) error { panic(cause) }))
		var panicked *llmretry.PanicError
		require.ErrorAs(t, err, &panicked)
		assert.ErrorIs(t, err, cause)
		assert.NotEmpty(t, panicked.Stack)
		assert.Equal(t, "0 panic", summary(report))
	}
}
