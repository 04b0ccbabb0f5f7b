package adapters_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// TestProviderToolReplay: an answer of a text and two refused calls, replayed. As text, which is the default, all of it
// reaches every provider. Natively, what arrives depends on the client: docs/providers.md has the table.
// (Semantics E13.)
func TestProviderToolReplay(t *testing.T) {
	t.Parallel()
	answerOf := map[string]string{
		"openai": jsonOf(object{"choices": []object{{"message": object{"role": "assistant", "content": "Let me see.", "tool_calls": []object{
			{"id": "call_1", "type": "function", "function": object{"name": "emit", "arguments": `{"age":"many"}`}},
			{"id": "call_2", "type": "function", "function": object{"name": "emit", "arguments": `{"age":"few"}`}},
		}}, "finish_reason": "tool_calls"}}}),
		"anthropic": jsonOf(object{"stop_reason": "tool_use", "content": []object{
			{"type": "text", "text": "Let me see."},
			{"type": "tool_use", "id": "call_1", "name": "emit", "input": object{"age": "many"}},
			{"type": "tool_use", "id": "call_2", "name": "emit", "input": object{"age": "few"}},
		}}),
		"googleai": jsonOf(object{"candidates": []object{{"finishReason": "STOP", "content": object{"role": "model", "parts": []object{
			{"text": "Let me see."},
			{"functionCall": object{"name": "emit", "args": object{"age": "many"}}},
			{"functionCall": object{"name": "emit", "args": object{"age": "few"}}},
		}}}}}),
	}
	rows := [][]string{{"client", "text", "calls", "answers"}}
	for _, family := range []struct {
		body string
		d    *dialect
	}{
		{"openai", openaiDialect()}, {"openai", mistralDialect()}, {"anthropic", anthropicDialect()}, {"anthropic", bedrockDialects()[0]}, {"googleai", googleDialect()},
	} {
		d := family.d
		for _, native := range []bool{false, true} {
			r := newRig(t, d, true, func(n int, got *received) reply {
				if n == 0 {
					return reply{body: geminiBody(got, answerOf[family.body])}
				}
				return d.says("Thanks.")(got)
			})
			inBubble(t, func(t *testing.T) {
				opts := []llmretry.Option{correcting(), llmretry.WithToolValidator(func(context.Context, *llms.ContentResponse) error { return errors.New(mention) })}
				if native {
					opts = append(opts, llmretry.WithNativeToolReplay())
				}
				_, err := r.wrap(t, opts...).GenerateContent(t.Context(), question, llms.WithTools([]llms.Tool{emit}))
				require.NoError(t, err)
			})
			require.Len(t, r.received(), 2)
			if !native {
				assert.Equal(t, []wireMessage{
					{"user", ask},
					{"assistant", "Let me see.\n" + `{"name": "emit", "arguments": "{\"age\":\"many\"}"}` + "\n" + `{"name": "emit", "arguments": "{\"age\":\"few\"}"}`},
					{"user", "Correction 0: " + mention},
				}, d.messages(r.received()[1]), d.name)
				continue
			}
			raw := string(r.received()[1].Raw)
			calls := strings.Count(raw, "many") + strings.Count(raw, "few")
			rows = append(rows, []string{d.name, yes(strings.Contains(raw, "Let me see.")), fmt.Sprint(calls, " of 2"), fmt.Sprint(strings.Count(raw, "Correction 0"), " of 2")})
		}
	}
	t.Log("\n" + markdown(rows))
	document(t, "native replay", markdown(rows))
}
