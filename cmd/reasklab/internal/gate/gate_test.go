package gate

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// model answers as its function says, which gets the number of the request.
type model struct {
	mu    sync.Mutex
	asked []time.Duration // since the beginning
	begun time.Time
	say   func(n int) error
}

func (m *model) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	m.mu.Lock()
	n := len(m.asked)
	m.asked = append(m.asked, time.Since(m.begun))
	m.mu.Unlock()
	if err := m.say(n); err != nil {
		return nil, err
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "yes"}}}, nil
}

func (m *model) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, opts...)
}

func busy(d time.Duration) error {
	return &llmretry.ProviderError{Category: llmretry.CategoryRateLimit, Status: 429, RetryAfter: d, Err: errors.New("slow down")}
}

var question = []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "Well?")}

func carry(t *testing.T, g *Gate, m llms.Model, attempts int) *llmretry.Model {
	t.Helper()
	carried, err := g.Carry(m, attempts, time.Minute, llmretry.Constant(time.Second))
	require.NoError(t, err)
	return carried
}

// One worker is told to come back in ten seconds: the other, who was told nothing, asks nothing for as long.
func TestOthersAreHeldBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{begun: time.Now(), say: func(n int) error {
			if n == 0 {
				return busy(10 * time.Second)
			}
			return nil
		}}
		g := new(Gate)
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				time.Sleep(time.Duration(i) * time.Second)
				_, err := carry(t, g, m, 3).GenerateContent(t.Context(), question)
				assert.NoError(t, err)
			})
		}
		wg.Wait()
		require.Len(t, m.asked, 5)
		for _, at := range m.asked[1:] {
			assert.GreaterOrEqual(t, at, 10*time.Second)
			assert.LessOrEqual(t, at, 10*time.Second+250*time.Millisecond)
		}
	})
}

// While a worker waits at the gate it is closed for longer.
func TestClosedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := new(Gate)
		begun := time.Now()
		g.Close(time.Second)
		g.Close(time.Millisecond) // never for less
		go func() {
			time.Sleep(500 * time.Millisecond)
			g.Close(2 * time.Second)
		}()
		require.NoError(t, g.Wait(t.Context()))
		assert.Equal(t, 2500*time.Millisecond, time.Since(begun))
	})
}

func TestWaitEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := new(Gate)
		g.Close(time.Hour)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.ErrorIs(t, g.Wait(ctx), context.DeadlineExceeded)
		m := &model{say: func(int) error { return nil }}
		_, err := llms.GenerateFromSinglePrompt(ctx, g.Model(m), "Well?")
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Empty(t, m.asked)
	})
}

// Without a word of the server the curve says how long to wait, and nobody else is held back.
func TestCurveWithoutRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{begun: time.Now(), say: func(n int) error {
			if n == 0 {
				return busy(0)
			}
			return nil
		}}
		g := new(Gate)
		_, err := carry(t, g, m, 3).GenerateContent(t.Context(), question)
		require.NoError(t, err)
		assert.Equal(t, []time.Duration{0, time.Second}, m.asked)
		assert.True(t, g.until.IsZero())
	})
}

// A demand beyond the longest wait ends the call, and the gate does not sleep on it either.
func TestTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{begun: time.Now(), say: func(int) error { return busy(time.Hour) }}
		g := new(Gate)
		_, err := carry(t, g, m, 3).GenerateContent(t.Context(), question)
		require.ErrorIs(t, err, llmretry.ErrRetryAfter)
		assert.True(t, g.until.IsZero())
	})
}
