package adapters_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// streamChecks are about answers that come in pieces.
func streamChecks() []matrixCheck {
	return []matrixCheck{
		{stream, checkStream}, {early, checkEarly}, {late, checkBroken(late, cut)}, {endless, checkBroken(endless, noFault)},
		{resetting, checkBroken(resetting, reset)},
	}
}

// listener is the caller's stream function.
type listener struct {
	text  string
	first chan struct{} // closed by the first piece that is not empty
	once  sync.Once
}

func newListener() *listener { return &listener{first: make(chan struct{})} }

func (l *listener) option() llms.CallOption {
	return llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
		l.text += string(chunk)
		if len(chunk) > 0 {
			l.once.Do(func() { close(l.first) })
		}
		return nil
	})
}

// checkStream: with a parser the caller hears the accepted answer, once, and nothing of the refused one.
// (Semantics I1, I2.)
func checkStream(t *testing.T, d *dialect) mark {
	if d.stream == nil {
		r := newRig(t, d, true, func(_ int, got *received) reply { return d.says(right)(got) })
		inBubble(t, func(t *testing.T) {
			l := newListener()
			_, err := r.wrap(t, byParser).GenerateContent(t.Context(), question, l.option())
			if d.name != "bedrock nova" { // which refuses to stream
				require.NoError(t, err)
			}
			assert.Empty(t, l.text)
		})
		return deviates
	}
	r := newRig(t, d, true, inOrder(d.streams(`{"name": "Ada",`, ` "age": "many"}`), d.streams(`{"name": "Ada",`, ` "age": 36}`)))
	inBubble(t, func(t *testing.T) {
		l := newListener()
		response, err := r.wrap(t, byParser, correcting(), llmretry.WithMaxAttempts(2)).GenerateContent(t.Context(), question, l.option())
		if d.live != "" {
			assert.Equal(t, llmretry.CategoryEmptyResponse, llmretry.Category(err))
			return
		}
		require.NoError(t, err)
		assert.Equal(t, right, response.Choices[0].Content)
		assert.Equal(t, right, l.text)
	})
	if d.cells[stream] != "" {
		return deviates
	}
	return passed
}

// checkEarly: a failure before the first piece is retried, with and without a parser. (Semantics I3.)
func checkEarly(t *testing.T, d *dialect) mark {
	if d.stream == nil {
		return skipped
	}
	r := newRig(t, d, true, inOrder(d.fails(overloaded, "overloaded", ""), d.streams(right)))
	inBubble(t, func(t *testing.T) {
		l := newListener()
		_, err := r.wrap(t).GenerateContent(t.Context(), question, l.option())
		require.NoError(t, err)
		if d.live == "" {
			assert.Equal(t, right, l.text)
		}
	})
	assert.Len(t, r.received(), 2)
	return passed
}

// checkBroken: a stream that breaks off after its first piece. Live, what was shown cannot be taken back, and the call
// fails at once; held back for a parser, it is retried and the caller hears only the good one. (Semantics I2, I3.)
func checkBroken(name string, how fault) func(t *testing.T, d *dialect) mark {
	return func(t *testing.T, d *dialect) mark {
		if d.stream == nil {
			return skipped
		}
		frames := d.stream(answer{parts: []string{`{"name": "Ada",`, ` "age": 36}`}, in: 11, out: 7})
		broken := reply{frames: frames[:1], fault: how}
		result := passed

		heard := newListener()
		broken.gate = heard.first
		live := newRig(t, d, true, inOrder(broken))
		inBubble(t, func(t *testing.T) {
			response, err := live.wrap(t).GenerateContent(t.Context(), question, heard.option())
			if d.cells[name] != "" {
				require.NoError(t, err, "the client calls it a success")
				assert.NotEqual(t, right, response.Choices[0].Content)
				result = deviates
			} else {
				require.Error(t, err)
				assert.Contains(t, heard.text, "Ada")
			}
		})
		assert.Len(t, live.received(), 1)
		if d.live != "" {
			return result
		}

		broken.gate = nil
		held := newRig(t, d, true, inOrder(broken, d.streams(right)))
		inBubble(t, func(t *testing.T) {
			l := newListener()
			_, err := held.wrap(t, byParser, correcting()).GenerateContent(t.Context(), question, l.option())
			require.NoError(t, err)
			assert.Equal(t, right, l.text)
		})
		assert.Len(t, held.received(), 2)
		return result
	}
}
