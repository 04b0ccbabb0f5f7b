package adapters_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// growthScenarios are about the price of a long conversation. By default every pair stays, verbatim (E4, E5: the
// transcript is an append-only prefix); bounding it is a policy of the caller's, so both are pinned.
var growthScenarios = []scenario{
	{"msg-11", "E5 by default, WithTranscriptPolicy on request", growingTranscript},
	{"msg-12", "E4 by default, WithTranscriptPolicy on request", hugeReply},
}

// size is the length of everything a request says.
func (a asked) size() int { return len(a.text()) }

func growingTranscript(t *testing.T) {
	padded := `{"answer": 7, "pad": "` + strings.Repeat("x", 5000) + `"}`
	play := func(opts ...llmretry.Option) curtain {
		turns := []turn{tells(padded), tells(padded), tells(padded), tells(padded), tells(padded), tells(blue)}
		c := scene{turns: turns, opts: append(opts, llmretry.WithMaxAttempts(6))}.play(t)
		require.NoError(t, c.err)
		require.Len(t, c.asked, 6)
		return c
	}

	c := play()
	for i, a := range c.asked[1:] {
		require.Len(t, a.messages, 1+2*(i+1))
		assert.Equal(t, c.asked[i].messages, a.messages[:len(a.messages)-2], "request %d begins with the one before", i+1)
		assert.Equal(t, llms.TextParts(llms.ChatMessageTypeAI, padded), a.messages[len(a.messages)-2])
	}

	for _, policy := range []llmretry.TranscriptPolicy{{KeepLast: 1}, {FreshAfter: 1}, {KeepLast: 1, ClipEcho: 200}} {
		c = play(llmretry.WithTranscriptPolicy(policy))
		round := c.asked[1].size() - c.asked[0].size()
		for i, a := range c.asked[1:] {
			assert.Len(t, a.messages, 3, "%+v: request %d is the question and the last round", policy, i+1)
			assert.LessOrEqual(t, a.size(), c.asked[0].size()+round)
		}
	}
}

func hugeReply(t *testing.T) {
	blank := `{"answer":` + strings.Repeat("\n", 16000)
	play := func(opts ...llmretry.Option) curtain {
		c := scene{turns: []turn{tells(blank), tells(blue)}, opts: opts}.play(t)
		require.NoError(t, c.err)
		return c
	}
	assert.Equal(t, llms.TextParts(llms.ChatMessageTypeAI, blank), play().asked[1].messages[1])

	c := play(llmretry.WithTranscriptPolicy(llmretry.TranscriptPolicy{ClipEcho: 1000}))
	assert.Less(t, c.asked[1].size()-c.asked[0].size(), 8000)
	echo := c.asked[1].messages[1].Parts[0].(llms.TextContent).Text
	assert.LessOrEqual(t, len(echo), 1000)
	assert.True(t, strings.HasPrefix(echo, `{"answer":`), "the head is there")
	assert.Contains(t, echo, "...", "and the cut can be seen")
}
