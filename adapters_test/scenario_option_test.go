package adapters_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/cache"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// optionScenarios are about what the provider is sent, and about a cache above.
var optionScenarios = []scenario{
	{"opt-02", "D1, E4", reaskChangesMessagesOnly},
	{"opt-03", "D1", nothingPrivateIsSent},
	{"cache-02", "A5", onlyAnswersAreCached},
}

func reaskChangesMessagesOnly(t *testing.T) {
	r := newRig(t, openaiDialect(), true, inOrder(reply{body: chatCompletion(nil, answer{text: seven})}, reply{body: chatCompletion(nil, answer{text: blue})}))
	c := scene{client: r.client, call: []llms.CallOption{llms.WithTemperature(0), llms.WithSeed(1)}}.play(t)
	require.NoError(t, c.err)
	bodies := r.received()
	require.Len(t, bodies, 2)
	assert.NotEqual(t, bodies[0].Body["messages"], bodies[1].Body["messages"])
	for _, b := range bodies {
		delete(b.Body, "messages")
	}
	assert.EqualValues(t, 1, bodies[0].Body["seed"])
	assert.Equal(t, bodies[0].Body, bodies[1].Body)
}

func nothingPrivateIsSent(t *testing.T) {
	c := scene{turns: []turn{tells(seven), breaks(overload), tells(blue)}, call: []llms.CallOption{llms.WithMaxTokens(10)}, opts: []llmretry.Option{
		llmretry.WithModelName("for reports"), llmretry.WithTrail(llmretry.NewTrail(0), "step"), llmretry.WithAttemptTimeout(time.Minute),
		llmretry.WithTranscriptPolicy(llmretry.TranscriptPolicy{KeepLast: 1}), llmretry.WithStagnation(llmretry.Stagnation{Outputs: 3}),
	}}.play(t)
	require.NoError(t, c.err)
	require.Len(t, c.asked, 3)
	for _, a := range c.asked {
		assert.Equal(t, llms.CallOptions{MaxTokens: 10}, a.options)
	}
}

// shelf is a cache's memory.
type shelf struct {
	mu   sync.Mutex
	kept map[string]*llms.ContentResponse
}

func (s *shelf) Get(_ context.Context, key string) *llms.ContentResponse {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept[key]
}

func (s *shelf) Put(_ context.Context, key string, r *llms.ContentResponse) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept[key] = r
}

// langchaingo's own cache keeps whatever comes without an error, so nothing refused may.
func onlyAnswersAreCached(t *testing.T) {
	m := &sceneModel{turns: []turn{tells(seven), tells(seven), tells(seven), tells(blue)}}
	d := llmretry.Must(llmretry.New(m, llmretry.WithParser(blueParser), llmretry.WithReask(plainWords)))
	kept := &shelf{kept: map[string]*llms.ContentResponse{}}
	cached := cache.New(d, kept)
	response, err := cached.GenerateContent(t.Context(), oneQuestion)
	require.ErrorIs(t, err, llmretry.ErrStructuredOutputInvalid)
	assert.Nil(t, response)
	assert.Empty(t, kept.kept)

	for range 2 {
		response, err = cached.GenerateContent(t.Context(), oneQuestion)
		require.NoError(t, err)
		assert.Equal(t, blue, response.Choices[0].Content)
	}
	assert.Len(t, kept.kept, 1)
	assert.Len(t, m.requests(), 4)
}
