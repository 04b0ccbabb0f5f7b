package llmretry

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/tmc/langchaingo/llms"
)

// Semantics E11: no way through the loop leads to a blank output, so the guard is pinned here: the correction
// continues a copy of the last user message, and no blank assistant message exists.
func TestBlankOutput(t *testing.T) {
	user := text(llms.ChatMessageTypeHuman, "hello")
	for name, tt := range map[string]struct{ before, want []llms.MessageContent }{
		"after a user message": {[]llms.MessageContent{user}, []llms.MessageContent{text(llms.ChatMessageTypeHuman, "hello\n\nfix")}},
		"after a prefill": {
			[]llms.MessageContent{user, text(llms.ChatMessageTypeAI, "{")},
			[]llms.MessageContent{user, text(llms.ChatMessageTypeAI, "{"), text(llms.ChatMessageTypeHuman, "fix")},
		},
		"of nothing": {nil, []llms.MessageContent{text(llms.ChatMessageTypeHuman, "fix")}},
	} {
		t.Run(name, func(t *testing.T) {
			tr := transcript{list: tt.before}
			tr.append(exchangePair{output: " \n", correction: "fix"}, 3)
			assert.Equal(t, tt.want, tr.messages())
			assert.Equal(t, text(llms.ChatMessageTypeHuman, "hello"), user)
		})
	}
}

// A transcript grows in one private buffer: what an earlier attempt was given stays as it was, and a model that
// appends to it writes to its own memory.
func TestTranscriptIsAppendOnly(t *testing.T) {
	tr := transcript{list: []llms.MessageContent{text(llms.ChatMessageTypeHuman, "hello")}}
	tr.append(exchangePair{output: "a", correction: "1"}, 4)
	first := tr.messages()
	_ = append(first, text(llms.ChatMessageTypeHuman, "the model's own"))
	tr.append(exchangePair{output: "b", correction: "2"}, 3)
	assert.Len(t, first, 3)
	assert.Len(t, tr.messages(), 5)
	assert.Equal(t, text(llms.ChatMessageTypeAI, "b"), tr.messages()[3])
	assert.True(t, &first[0] == &tr.messages()[0], "no copy per attempt")
}

// What MaxBytes counts is what a pair adds to a request; calls that are replayed are left out whole or stay whole.
func TestTranscriptFitting(t *testing.T) {
	call := func(arguments string) llms.ToolCall {
		return llms.ToolCall{ID: "1", Type: "function", FunctionCall: &llms.FunctionCall{Name: "find", Arguments: arguments}}
	}
	plain := exchangePair{output: strings.Repeat("o", 90), correction: "0123456789"}
	two := exchangePair{output: "thought", calls: []llms.ToolCall{call(`{"a":1}`), call(`{}`)}, correction: "fix"}
	assert.Equal(t, 100, plain.size())
	assert.Equal(t, 7+(4+7+3)+(4+2+3), two.size())

	for _, tt := range []struct {
		pairs, want []exchangePair
		limit       int
	}{
		{[]exchangePair{plain, two}, []exchangePair{plain, two}, 130},
		{[]exchangePair{plain, two}, []exchangePair{two}, 129},
		{[]exchangePair{two}, []exchangePair{two}, minEcho},
		{[]exchangePair{two, plain}, []exchangePair{plain}, 100},
		{[]exchangePair{two, plain}, []exchangePair{{output: clipMiddle(plain.output, 89), correction: plain.correction}}, 99},
	} {
		assert.Equal(t, tt.want, fitting(tt.pairs, tt.limit), "%d", tt.limit)
	}
}
