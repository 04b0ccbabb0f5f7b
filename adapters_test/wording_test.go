package adapters_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// No wording of ours anywhere (semantics E1): every byte of message text that reaches a provider is the caller's, the
// model's or the builder's.

// accounted reports whether text is nothing but words of the list, one after the other.
func accounted(text string, words []string) bool {
	reached := make([]bool, len(text)+1) // reached[i]: the first i bytes are accounted for
	reached[0] = true
	for i := range len(text) {
		for _, w := range words {
			if reached[i] && w != "" && strings.HasPrefix(text[i:], w) {
				reached[i+len(w)] = true
			}
		}
	}
	return reached[len(text)]
}

func TestConformanceAccounted(t *testing.T) {
	t.Parallel()
	assert.True(t, accounted("", nil))
	assert.True(t, accounted("ababc", []string{"ab", "aba", "c"}))
	assert.False(t, accounted("ab c", []string{"ab", "c"}))
	assert.False(t, accounted("Error: c", []string{"c"}))
}

// checkWording looks at every text of every message.
func checkWording(r reporter, requests []recordedRequest, words []string) {
	r.Helper()
	for i, request := range requests {
		for j, m := range request.messages() {
			text, isText := m["content"].(string)
			assert.True(r, isText && accounted(text, words), "request %d, message %d is not accounted for: %s", i, j, show(m))
		}
	}
}

// TestConformanceWording is semantics E1 for every case.
func TestConformanceWording(t *testing.T) {
	t.Parallel()
	for _, f := range ownFixtures(t) {
		t.Run(f.file, func(t *testing.T) {
			t.Parallel()
			server := newRecordingServer(t, f.MockProvider.Responses...)
			for _, c := range f.calls() {
				p := play(t, f, c, server, variant{name: "with-transport", transport: true, typed: true})
				var words []string
				for _, m := range c.Messages {
					if text, _ := m.content(); text != nil {
						words = append(words, *text)
					}
				}
				for _, answer := range p.answers {
					words = append(words, answerText(answer))
				}
				for _, correction := range p.corrections {
					words = append(words, correction.text)
				}
				checkWording(t, p.requests, words)
			}
		})
	}
}

// wordingCase is a call by hand, for what the cases cannot say. Its first two answers are refused.
type wordingCase struct {
	messages []llms.MessageContent
	answers  []string // contents; one that begins with "call " is a tool call with those arguments
	glue     []string // what may stand between, as documented
	opts     []llmretry.Option
}

const toolName = `say "it"`

func (w wordingCase) responses() (list []mockResponse) {
	for _, a := range w.answers {
		message := map[string]any{"role": "assistant", "content": a}
		if arguments, isCall := strings.CutPrefix(a, "call "); isCall {
			message = map[string]any{"role": "assistant", "content": "thinking aloud", "tool_calls": []any{map[string]any{
				"id": "call_1", "type": "function", "function": map[string]any{"name": toolName, "arguments": arguments},
			}}}
		}
		list = append(list, mockResponse{Status: 200, Body: map[string]any{
			"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": "stop"}},
		}})
	}
	return list
}

// words are the caller's, the model's, and what the documented rendering of a tool call makes of the model's.
func (w wordingCase) words() (list []string) {
	for _, m := range w.messages {
		for _, part := range m.Parts {
			if text, ok := part.(llms.TextContent); ok {
				list = append(list, text.Text)
			}
		}
	}
	for _, a := range w.answers {
		list = append(list, a)
		if arguments, isCall := strings.CutPrefix(a, "call "); isCall {
			list = append(list, "thinking aloud", quoted(toolName), quoted(arguments))
		}
	}
	return append(list, w.glue...)
}

func quoted(s string) string {
	data, _ := json.Marshal(s) // a string always marshals; the texts have nothing that is escaped for HTML
	return string(data)
}

var errRefused = errors.New("PARSER'S WORDS")

// TestConformanceWordingByHand is semantics E1, E8, E13 and E14 where no case reaches.
func TestConformanceWordingByHand(t *testing.T) {
	t.Parallel()
	system := llms.TextParts(llms.ChatMessageTypeSystem, "SYSTEM")
	human := llms.TextParts(llms.ChatMessageTypeHuman, "QUESTION")
	prefill := llms.TextParts(llms.ChatMessageTypeAI, "PREFILL")
	texts := []string{"FIRST OUTPUT\n", "  SECOND OUTPUT", "good"}
	calls := []string{`call {"n": 1`, `call {"n": "two"}`, "good"}
	blank := []string{"\n\n"}
	object := []string{`{"name": `, `, "arguments": `, `}`, "\n"}
	refuseTools := llmretry.WithToolValidator(func(context.Context, *llms.ContentResponse) error { return errRefused })

	for name, w := range map[string]wordingCase{
		"system-message-reask-twice": {messages: []llms.MessageContent{system, human}, answers: texts},
		"prefill-reask-twice":        {messages: []llms.MessageContent{human, prefill}, answers: texts},
		"flattened": {
			messages: []llms.MessageContent{system, human}, answers: texts, glue: blank,
			opts: []llmretry.Option{llmretry.WithFlattenedTranscript(nil)},
		},
		"flattened-prefill": {
			messages: []llms.MessageContent{system, human, prefill}, answers: texts, glue: blank,
			opts: []llmretry.Option{llmretry.WithFlattenedTranscript(nil)},
		},
		"flattened-by-the-caller": {
			messages: []llms.MessageContent{system, human}, answers: texts, glue: []string{"RENDERED 2", "RENDERED 4", "RENDERED 6"},
			opts: []llmretry.Option{llmretry.WithFlattenedTranscript(func(m []llms.MessageContent) string { return fmt.Sprint("RENDERED ", len(m)) })},
		},
		"tool-calls-as-text": {
			messages: []llms.MessageContent{system, human}, answers: calls, glue: object,
			opts: []llmretry.Option{refuseTools},
		},
		"tool-calls-flattened": {
			messages: []llms.MessageContent{system, human}, answers: calls, glue: append(blank, object...),
			opts: []llmretry.Option{refuseTools, llmretry.WithFlattenedTranscript(nil)},
		},
		"tool-calls-natively": {
			messages: []llms.MessageContent{system, human}, answers: calls,
			opts: []llmretry.Option{refuseTools, llmretry.WithNativeToolReplay()},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newRecordingServer(t, w.responses()...)
			client, closeClient := openaiClient(t, server.url, "gpt-test", true)
			defer closeClient()
			words := w.words()
			opts := append([]llmretry.Option{
				llmretry.WithReask(func(_ context.Context, f llmretry.Failure) (string, error) {
					text := fmt.Sprintf("BUILDER %d <%s>", f.Attempt, f.ErrorMessage)
					words = append(words, text)
					return text, nil
				}),
				llmretry.WithParser(llmretry.ParserFunc[string](func(text string) (string, error) {
					if text != "good" {
						return "", errRefused
					}
					return text, nil
				})),
			}, w.opts...)
			model, err := llmretry.New(client, opts...)
			require.NoError(t, err)
			response, err := model.GenerateContent(t.Context(), w.messages)
			require.NoError(t, err)
			assert.Equal(t, "good", response.Choices[0].Content)
			require.Len(t, server.since(0), 3)
			checkWording(t, server.since(0), words)
		})
	}
}
