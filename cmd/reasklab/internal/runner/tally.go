package runner

import (
	"context"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/provider"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// tally counts what the requests of one attempt come to.
type tally struct {
	requests int
	latency  time.Duration
	in, out  llmretry.Count
}

// take returns what was counted since it was last called.
func (t *tally) take() tally {
	taken := *t
	*t = tally{}
	return taken
}

func sum(a, b llmretry.Count) llmretry.Count {
	return llmretry.Count{N: a.N + b.N, Known: a.Known || b.Known}
}

// metered is a model whose requests are counted and timed, as long as the ceiling admits any. It stands inside of the
// gate: what is spent waiting there is not the model's time. It serves one run, which makes one request at a time.
type metered struct {
	llms.Model
	size    provider.Size
	from    provider.Provider
	tally   *tally
	ceiling *ceiling
	asked   bool          // since the last attempt ended; the gate or the ceiling may have been in the way
	elapsed time.Duration // of the last request
}

func (m *metered) GenerateContent(ctx context.Context, messages []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
	if err := m.ceiling.admit(); err != nil {
		return nil, err
	}
	begin := time.Now()
	defer func() { m.asked, m.elapsed = true, time.Since(begin) }()
	return m.Model.GenerateContent(ctx, messages, opts...)
}

func (m *metered) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, opts...)
}

// observer counts the requests. Their usage has been read already by the decorator that carries them.
func (m *metered) observer() llmretry.Observer {
	return llmretry.Observer{
		Attempt: func(ctx context.Context, _ llmretry.AttemptStart) (context.Context, func(llmretry.Attempt)) {
			return ctx, func(a llmretry.Attempt) {
				if !m.asked {
					return
				}
				m.asked = false
				m.tally.requests++
				m.tally.latency += m.from.Took(m.size, m.elapsed, a.Usage)
				if a.Response != nil {
					m.tally.in, m.tally.out = sum(m.tally.in, a.Usage.Input), sum(m.tally.out, a.Usage.Output)
					m.ceiling.count(a.Usage)
				}
			}
		},
	}
}
