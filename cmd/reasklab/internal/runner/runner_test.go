package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/cases"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/journal"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/provider"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/strategy"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// stub is a provider whose models answer as say does.
type stub struct {
	say func(ctx context.Context, size provider.Size, id string, messages []llms.MessageContent) (string, error)

	mu    sync.Mutex
	asked map[string]int // by case
}

func (s *stub) Model(size provider.Size, c *cases.Case) (llms.Model, error) {
	return &stubModel{s, size, c.ID}, nil
}

func (s *stub) Took(_ provider.Size, measured time.Duration, _ llmretry.Usage) time.Duration {
	return measured
}

func (s *stub) Identity() string { return "stub" }

type stubModel struct {
	*stub
	size provider.Size
	id   string
}

func (m *stubModel) GenerateContent(ctx context.Context, messages []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	m.mu.Lock()
	if m.asked == nil {
		m.asked = make(map[string]int)
	}
	m.asked[m.id]++
	m.mu.Unlock()
	text, err := m.say(ctx, m.size, m.id, messages)
	if err != nil {
		return nil, err
	}
	info := map[string]any{"PromptTokens": 10 * len(messages), "CompletionTokens": 5, "TotalTokens": 10*len(messages) + 5}
	if strings.HasPrefix(text, "unmetered") {
		info = nil
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: text, StopReason: "stop", GenerationInfo: info}}}, nil
}

func (m *stubModel) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, opts...)
}

const strategies = `
attempts: 3
correction: "Wrong: {{issues .}}"
strategies:
  - {name: none}
  - {name: replay, on_refusal: replay}
  - {name: reask, on_refusal: reask}
  - {name: bigger, on_refusal: reask, schedule: [{bigger: true, temperature: 0.5}]}
`

func newRunner(t *testing.T, n int, p provider.Provider, names ...string) *Runner {
	t.Helper()
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, `{"id":"c%d","prompt":"Number %d?","expected":%d}`+"\n", i, i, i)
	}
	all, err := cases.Read(strings.NewReader(lines.String()), []byte(`{"type":"integer"}`))
	require.NoError(t, err)
	set, err := strategy.Read([]byte(strategies), 0)
	require.NoError(t, err)
	if names != nil {
		require.NoError(t, set.Only(names...))
	}
	return &Runner{
		Cases: all, Set: set, Provider: p, Journal: journal.Memory(), Parallel: 4,
		Carry: Carry{Attempts: 3, Backoff: time.Second, MaxWait: time.Minute},
	}
}

// obedient says no number until it is corrected, or bigger.
func obedient(_ context.Context, size provider.Size, id string, messages []llms.MessageContent) (string, error) {
	if size == provider.Bigger || len(messages) > 1 {
		return id[1:], nil
	}
	return `"many"`, nil
}

func TestEveryCaseUnderEveryStrategy(t *testing.T) {
	s := &stub{say: obedient}
	r := newRunner(t, 5, s)
	finished := 0
	r.Finished = func(journal.Record) { finished++ }
	require.NoError(t, r.Run(t.Context(), t.Context()))
	assert.Equal(t, 20, finished)
	assert.Zero(t, r.Pending())

	record := func(name string) journal.Record {
		record, ok := r.Journal.Done(journal.Key{Case: "c3", Strategy: name})
		require.True(t, ok)
		return record
	}
	none := record("none")
	assert.False(t, none.Valid)
	assert.Equal(t, "type", none.Class())
	assert.Len(t, none.Attempts, 1)
	assert.Len(t, record("replay").Attempts, 3)
	assert.Equal(t, llmretry.ReasonTransient, record("replay").Attempts[1].Reason)

	reask := record("reask")
	assert.True(t, reask.Valid && *reask.Matches)
	assert.Equal(t, "3", string(reask.Value))
	require.Len(t, reask.Attempts, 2)
	assert.Equal(t, []journal.Message{{Role: "ai", Text: `"many"`}, {Role: "human", Text: `Wrong: output: want integer, got "many"`}}, appended(reask))
	assert.Equal(t, 15, reask.Attempts[0].Tokens())
	assert.Equal(t, 35, reask.Attempts[1].Tokens())
	assert.Equal(t, 1, reask.Attempts[1].Requests)

	bigger := record("bigger")
	assert.False(t, bigger.Attempts[0].Bigger)
	assert.True(t, bigger.Attempts[1].Bigger)
	assert.Equal(t, 0.5, *bigger.Attempts[1].Temperature)
}

func appended(r journal.Record) []journal.Message { return r.Attempts[1].Appended }

// What the journal has is not run again.
func TestResumed(t *testing.T) {
	s := &stub{say: obedient}
	first := newRunner(t, 4, s)
	require.NoError(t, first.Run(t.Context(), t.Context()))
	before := s.asked["c1"]
	second := newRunner(t, 6, s)
	second.Journal = first.Journal
	assert.Equal(t, 8, second.Pending())
	require.NoError(t, second.Run(t.Context(), t.Context()))
	assert.Equal(t, before, s.asked["c1"])
	assert.Equal(t, 24, second.Journal.Len())
}

// The provider stumbles: no attempt of the strategy is spent on it.
func TestProviderStumbles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stumbles := map[string]int{}
		s := &stub{}
		s.say = func(ctx context.Context, size provider.Size, id string, messages []llms.MessageContent) (string, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if stumbles[id]++; stumbles[id]%2 == 1 {
				return "", &llmretry.ProviderError{Category: llmretry.CategoryUnavailable, Status: 503, Err: errors.New("busy")}
			}
			return obedient(ctx, size, id, messages)
		}
		r := newRunner(t, 3, s, "reask")
		require.NoError(t, r.Run(t.Context(), t.Context()))
		record, _ := r.Journal.Done(journal.Key{Case: "c0", Strategy: "reask"})
		assert.True(t, record.Valid)
		require.Len(t, record.Attempts, 2)
		assert.Equal(t, 2, record.Attempts[0].Requests)
		assert.Equal(t, 15, record.Attempts[0].Tokens())
	})
}

// A provider that stays away fails the case, and the next run tries it again.
func TestProviderAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := true
		s := &stub{}
		s.say = func(ctx context.Context, size provider.Size, id string, messages []llms.MessageContent) (string, error) {
			if away && id == "c1" {
				return "", &llmretry.ProviderError{Category: llmretry.CategoryUnavailable, Status: 503, Err: errors.New("busy")}
			}
			return obedient(ctx, size, id, messages)
		}
		r := newRunner(t, 3, s, "reask")
		require.NoError(t, r.Run(t.Context(), t.Context()))
		record, ok := r.Journal.Done(journal.Key{Case: "c1", Strategy: "reask"})
		assert.True(t, ok && record.Again)
		assert.Equal(t, "provider_unavailable", record.Class())
		assert.Equal(t, 3, record.Attempts[0].Requests)
		assert.Equal(t, 1, r.Pending())

		away = false
		require.NoError(t, r.Run(t.Context(), t.Context()))
		record, _ = r.Journal.Done(journal.Key{Case: "c1", Strategy: "reask"})
		assert.True(t, record.Valid)
	})
}

// Nothing at all is an answer: the strategy asks again, there is nothing to correct.
func TestEmptyAnswer(t *testing.T) {
	s := &stub{}
	s.say = func(_ context.Context, _ provider.Size, id string, _ []llms.MessageContent) (string, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.asked[id] == 1 {
			return "", nil
		}
		return "7", nil
	}
	r := newRunner(t, 1, s, "reask")
	require.NoError(t, r.Run(t.Context(), t.Context()))
	record, _ := r.Journal.Done(journal.Key{Case: "c0", Strategy: "reask"})
	assert.True(t, record.Valid)
	assert.False(t, *record.Matches, "valid and wrong")
	require.Len(t, record.Attempts, 2)
	assert.Equal(t, "empty_response", record.Attempts[0].Class)
	assert.Equal(t, 1, record.Attempts[0].Requests)
}

// A key that does not work will not work for the next case: nothing is recorded, and it is said once.
func TestStopped(t *testing.T) {
	s := &stub{say: func(context.Context, provider.Size, string, []llms.MessageContent) (string, error) {
		return "", &llmretry.ProviderError{Category: llmretry.CategoryAuthentication, Status: 401, Err: errors.New("who are you?")}
	}}
	r := newRunner(t, 50, s, "reask")
	err := r.Run(t.Context(), t.Context())
	var stopped *StoppedError
	require.ErrorAs(t, err, &stopped)
	assert.Equal(t, llmretry.CategoryAuthentication, stopped.Category)
	assert.ErrorContains(t, err, "who are you?")
	assert.Zero(t, r.Journal.Len())
	assert.LessOrEqual(t, len(s.asked), r.Parallel)
}

// The ceiling is shared, and passed by no more than what is in flight; a higher one goes on.
func TestCeiling(t *testing.T) {
	s := &stub{say: obedient}
	r := newRunner(t, 100, s, "reask") // 50 tokens each
	r.MaxTokens = 1000
	require.ErrorIs(t, r.Run(t.Context(), t.Context()), ErrCeiling)
	spent := r.Journal.Tokens()
	assert.GreaterOrEqual(t, spent, 1000)
	assert.LessOrEqual(t, spent, 1000+35*r.Parallel)

	again := newRunner(t, 100, s, "reask")
	again.Journal, again.MaxTokens = r.Journal, 1000
	require.ErrorIs(t, again.Run(t.Context(), t.Context()), ErrCeiling)
	assert.Equal(t, spent, again.Journal.Tokens(), "what was spent stays spent")
	again.MaxTokens = 10_000
	require.NoError(t, again.Run(t.Context(), t.Context()))
	assert.Equal(t, 100, again.Journal.Len())
}

func TestCeilingNeedsUsage(t *testing.T) {
	s := &stub{say: func(context.Context, provider.Size, string, []llms.MessageContent) (string, error) {
		return "unmetered", nil
	}}
	r := newRunner(t, 10, s, "reask")
	require.NoError(t, r.Run(t.Context(), t.Context()), "without a ceiling it does not matter")
	r = newRunner(t, 10, s, "reask")
	r.MaxTokens = 1000
	require.ErrorIs(t, r.Run(t.Context(), t.Context()), ErrUnknownUsage)
}

// Drained: what is in flight comes to its end, nothing else begins.
func TestDrained(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stub{say: func(ctx context.Context, size provider.Size, id string, messages []llms.MessageContent) (string, error) {
			time.Sleep(time.Second)
			return obedient(ctx, size, id, messages)
		}}
		r := newRunner(t, 100, s, "reask")
		drain, stop := context.WithTimeout(t.Context(), 4500*time.Millisecond)
		defer stop()
		require.ErrorIs(t, r.Run(t.Context(), drain), ErrInterrupted)
		assert.Equal(t, 12, r.Journal.Len())
		assert.Equal(t, 12*50, r.Journal.Tokens(), "nothing was paid for in vain")
		assert.Len(t, s.asked, 12)
	})
}

// Broken off: what is in flight is lost, and its tokens are remembered.
func TestBrokenOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stub{say: func(ctx context.Context, size provider.Size, id string, messages []llms.MessageContent) (string, error) {
			select {
			case <-time.After(time.Second):
				return obedient(ctx, size, id, messages)
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}}
		r := newRunner(t, 100, s, "reask")
		ctx, stop := context.WithTimeout(t.Context(), 5500*time.Millisecond)
		defer stop()
		require.ErrorIs(t, r.Run(ctx, ctx), ErrInterrupted)
		assert.Equal(t, 8, r.Journal.Len())
		assert.Equal(t, 8*50+4*15, r.Journal.Tokens())
	})
}

// The journal cannot be written: the run ends with that, and not with a result that is missing something.
func TestJournalFails(t *testing.T) {
	s := &stub{say: obedient}
	r := newRunner(t, 10, s, "reask")
	j, err := journal.Open(t.TempDir()+"/j", "hash")
	require.NoError(t, err)
	require.NoError(t, j.Close())
	r.Journal = j
	err = r.Run(t.Context(), t.Context())
	require.Error(t, err)
	assert.NotErrorIs(t, err, ErrInterrupted)
	assert.ErrorContains(t, err, "journal")
}
