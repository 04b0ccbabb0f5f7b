package adapters_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// TestProviderFlattening: a client that sends only the first message never shows the model a correction, and not even
// the question behind a system message; flattened, it is healed. The others are healed both ways. (Semantics E14.)
func TestProviderFlattening(t *testing.T) {
	t.Parallel()
	messages := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeSystem, "Answer in JSON."), question[0]}
	for _, d := range dialects() {
		for _, flat := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, flattened %v", d.name, flat), func(t *testing.T) {
				t.Parallel()
				r := newRig(t, d, true, d.heals(0))
				inBubble(t, func(t *testing.T) {
					opts := []llmretry.Option{llmretry.WithBackoff(llmretry.Constant(0)), correcting()}
					if flat {
						opts = append(opts, llmretry.WithFlattenedTranscript(nil))
					}
					m, err := llmretry.New(r.client, opts...)
					require.NoError(t, err)
					_, err = llmretry.Generate(t.Context(), m, personParser, messages)
					if d.single && !flat {
						require.ErrorIs(t, err, llmretry.ErrStructuredOutputInvalid)
						assert.NotContains(t, r.said(2), ask)
						assert.Equal(t, string(r.received()[0].Raw), string(r.received()[2].Raw))
						return
					}
					require.NoError(t, err)
					assert.Len(t, r.received(), 2)
				})
			})
		}
	}
}
