// Package gate lets workers who share a provider share its Retry-After too.
package gate

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Gate is closed while a provider wants to be left alone. A worker that was told so closes it for all the others, so
// that they do not each find out by a request of their own. The zero value is open. It is safe for concurrent use.
type Gate struct {
	mu    sync.Mutex
	until time.Time
}

// Close keeps the gate closed for d from now on, or longer if it was closed for longer.
func (g *Gate) Close(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until := time.Now().Add(d); until.After(g.until) {
		g.until = until
	}
}

// Wait returns when the gate is open, or with the context's error when that is done first.
func (g *Gate) Wait(ctx context.Context) error {
	for { // it may have been closed anew in the meantime
		g.mu.Lock()
		d := time.Until(g.until)
		g.mu.Unlock()
		if d <= 0 {
			return ctx.Err()
		}
		timer := time.NewTimer(d)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// Model returns inner behind the gate: no request leaves while it is closed.
func (g *Gate) Model(inner llms.Model) llms.Model { return &gated{gate: g, Model: inner} }

type gated struct {
	gate *Gate
	llms.Model
}

func (m *gated) GenerateContent(ctx context.Context, messages []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
	if err := m.gate.Wait(ctx); err != nil {
		return nil, err
	}
	return m.Model.GenerateContent(ctx, messages, opts...)
}

func (m *gated) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, opts...)
}

// Carry decorates inner for one call: it is asked again while the failures are the provider's and attempts are left,
// and the gate hears of every Retry-After. Where the server has said when to come back, its word is all the waiting
// there is, but for a little so that not everybody is there in the same instant; otherwise curve says. opts are added.
//
// The decorator waits for what its own request was told, the gate for what others were told: both together wait once.
func (g *Gate) Carry(inner llms.Model, attempts int, longest time.Duration, curve llmretry.Backoff, opts ...llmretry.Option) (*llmretry.Model, error) {
	var told time.Duration // by the attempt that just ended; one call has one attempt at a time
	return llmretry.New(g.Model(inner), append([]llmretry.Option{
		llmretry.WithMaxAttempts(attempts),
		llmretry.WithMaxRetryAfter(longest),
		llmretry.WithBackoff(func(attempt int) time.Duration {
			if told > 0 {
				return told + spread(told)
			}
			return curve(attempt)
		}),
		llmretry.WithObserver(llmretry.Observer{
			Attempt: func(ctx context.Context, _ llmretry.AttemptStart) (context.Context, func(llmretry.Attempt)) {
				return ctx, func(a llmretry.Attempt) {
					var provider *llmretry.ProviderError
					told = 0
					if errors.As(a.Err, &provider) && provider.RetryAfter > 0 && provider.RetryAfter <= longest {
						told = provider.RetryAfter
						g.Close(told)
					}
				}
			},
		}),
	}, opts...)...)
}

// spread is up to a twentieth of what was told, and never more than a quarter of a second.
func spread(d time.Duration) time.Duration {
	return rand.N(min(d/20, 250*time.Millisecond) + 1)
}
