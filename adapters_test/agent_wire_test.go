package adapters_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	toolkit "github.com/tmc/langchaingo/tools"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	llmcompose "github.com/llmretry/langchaingo-llmretry/llmretry/compose"
)

// The functions agent over HTTP: what the server sees of a refused call is gone from the next plan. By default calls
// are replayed as text, on request as calls, each of them answered. (Semantics E13.)
func TestAgentFunctionsOnTheWire(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]llmretry.Option{"as text": nil, "natively": {llmretry.WithNativeToolReplay()}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := openaiDialect()
			r := newRig(t, d, true, func(n int, r *received) reply {
				switch n {
				case 0:
					return reply{body: twoCalls(`{"__arg1":"2+2"}`, `{"b":2}`)}
				case 1:
					return d.answers(answer{call: &llms.FunctionCall{Name: "sum", Arguments: `{"__arg1":"2+2"}`}})(r)
				}
				return d.says("4")(r)
			})
			var got []string
			list := []toolkit.Tool{sumTool{&got}}
			model := r.wrap(t, append(opts, llmretry.WithReask(plainWords),
				llmretry.WithToolValidator(llmretry.Must(llmcompose.FunctionCalls(list))))...)
			executor := agents.NewExecutor(agents.NewOpenAIFunctionsAgent(model, list))
			out, err := chains.Run(t.Context(), executor, "What is 2+2?")
			require.NoError(t, err)
			assert.Equal(t, "4", out)
			assert.Equal(t, []string{"2+2"}, got, "neither of the refused response's calls was made")

			requests := r.received()
			require.Len(t, requests, 3)
			for _, request := range requests {
				declared, _ := request.Body["tools"].([]any)
				assert.Len(t, declared, 1, "the agent's functions are there on every attempt")
			}
			const correction = "tool call 1 (sum): /__arg1: required property is missing"
			switch second := (recordedRequest{Body: requests[1].Body}).messages(); name {
			case "as text":
				require.Equal(t, "system user assistant user", r.roles(1))
				assert.Contains(t, second[2]["content"], `{"name": "sum", "arguments": "{\"b\":2}"}`)
				assert.Contains(t, second[3]["content"], correction)
			default:
				require.Equal(t, "system user assistant tool tool", r.roles(1))
				assert.Len(t, second[2]["tool_calls"], 2)
				for i, id := range []string{"call_1", "call_2"} {
					assert.Equal(t, id, second[3+i]["tool_call_id"])
					assert.Contains(t, second[3+i]["content"], correction)
				}
			}
			assert.Equal(t, "system user assistant tool", r.roles(2), "the scratchpad has the good call and its result")
			assert.NotContains(t, string(requests[2].Raw), correction)
		})
	}
}

// twoCalls is a completion that calls sum twice.
func twoCalls(first, second string) string {
	call := func(id, arguments string) object {
		return object{"id": id, "type": "function", "function": object{"name": "sum", "arguments": arguments}}
	}
	return jsonOf(object{"choices": []object{{"index": 0, "finish_reason": "tool_calls", "message": object{
		"role": "assistant", "content": nil, "tool_calls": []object{call("call_1", first), call("call_2", second)},
	}}}})
}

// A one shot agent over HTTP with a server that does not know the stop word: the invented observation is cut off by
// nobody, and refused.
func TestAgentOneShotOnTheWire(t *testing.T) {
	t.Parallel()
	d := openaiDialect()
	const invents = "Action: sum\nAction Input: 2+2\nObservation: 5\nThought: I know.\nFinal Answer: 5"
	r := newRig(t, d, true, func(n int, r *received) reply {
		switch said := d.saidIn(r); {
		case strings.Contains(said, "Observation: 4"):
			return d.says("Final Answer: 4")(r)
		case n > 0 && strings.Contains(said, "not the model's to make"), n > 0 && strings.Contains(said, "an action and a final answer"):
			return d.says("Action: sum\nAction Input: 2+2")(r)
		}
		return d.says(invents)(r)
	})
	var got []string
	list := []toolkit.Tool{sumTool{&got}}
	model := r.wrap(t, llmretry.WithReask(plainWords), llmretry.WithValidator(llmretry.Must(llmcompose.OneShotStep(list))))
	out, err := chains.Run(t.Context(), agents.NewExecutor(agents.NewOneShotAgent(model, list)), "What is 2+2?")
	require.NoError(t, err)
	assert.Equal(t, "4", out)
	require.Len(t, r.received(), 3)
	assert.Equal(t, "user assistant user", r.roles(1))
	assert.Equal(t, "user", r.roles(2))
	assert.NotContains(t, r.said(2), "Observation: 5")
	assert.Equal(t, []any{"\nObservation:", "\n\tObservation:"}, r.received()[1].Body["stop"])
}
