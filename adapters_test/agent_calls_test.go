package adapters_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

var callKit = []llms.Tool{
	{Type: "function", Function: &llms.FunctionDefinition{Name: "weather", Parameters: object{
		"type": "object", "required": []string{"city"}, "properties": object{"city": object{"type": "string"}},
	}}},
	{Type: "function", Function: &llms.FunctionDefinition{Name: "health"}},
}

// callsOnWire is a completion with these calls, as name and arguments in turn.
func callsOnWire(pairs ...string) string {
	var calls []object
	for i := 0; i < len(pairs); i += 2 {
		calls = append(calls, object{
			"id": "call_" + string(rune('a'+i/2)), "type": "function", "function": object{"name": pairs[i], "arguments": pairs[i+1]},
		})
	}
	return jsonOf(object{"choices": []object{{"index": 0, "finish_reason": "tool_calls", "message": object{
		"role": "assistant", "content": nil, "tool_calls": calls,
	}}}})
}

// TestToolCallsAreChecked: every call of a response, against its own tool's schema; the reask answers every call.
// (Semantics F3, E13.)
func TestToolCallsAreChecked(t *testing.T) {
	t.Parallel()
	const rome = `{"city":"Rome"}`
	good := callsOnWire("health", "", "weather", rome)
	for name, c := range map[string]struct {
		calls []string
		code  string
	}{
		"unknown tool":         {[]string{"whether", rome}, "unknown_tool"},
		"not JSON":             {[]string{"weather", `{"city":"Rome"`}, "truncated"},
		"no JSON at all":       {[]string{"weather", `Rome`}, "no_value"},
		"against the schema":   {[]string{"weather", `{"city":7}`}, "type"},
		"nothing for a city":   {[]string{"weather", ``}, ""},
		"concatenated objects": {[]string{"weather", rome + rome}, ""},
		"one of three is bad":  {[]string{"weather", rome, "health", "", "weather", `{}`}, "required"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := openaiDialect()
			r := newRig(t, d, true, inOrder(reply{body: callsOnWire(c.calls...)}, reply{body: good}))
			m := r.wrap(t, correcting(), llmretry.WithNativeToolReplay(),
				llmretry.WithToolValidator(llmretry.Must(outputparser.ToolArguments(callKit))))
			ctx, reports := llmretry.CaptureReports(t.Context())
			response, err := m.GenerateContent(ctx, question, llms.WithTools(callKit))
			require.NoError(t, err)
			report := reports()[0]
			assert.Same(t, report.Attempts[1].Response, response, "valid calls pass through untouched")
			assert.Empty(t, response.Choices[0].ToolCalls[0].FunctionCall.Arguments)
			issues := report.LastRefused().Issues
			require.Len(t, issues, 1)
			if c.code != "" {
				assert.Equal(t, c.code, issues[0].Code)
			}
			second := (recordedRequest{Body: r.received()[1].Body}).messages()
			calls := len(c.calls) / 2
			require.Len(t, second, 2+calls, "question, calls, an answer to each")
			for i, m := range second[2:] {
				assert.Equal(t, "tool", m["role"])
				assert.Equal(t, "call_"+string(rune('a'+i)), m["tool_call_id"])
			}
		})
	}
}

// Without a tool validator calls are nobody's business here, whatever they hold. (Semantics F3.)
func TestToolCallsPassUnjudged(t *testing.T) {
	t.Parallel()
	d := openaiDialect()
	r := newRig(t, d, true, inOrder(reply{body: callsOnWire("whether", "{")}))
	response, err := r.wrap(t, byParser, correcting()).GenerateContent(t.Context(), question, llms.WithTools(callKit))
	require.NoError(t, err)
	assert.Equal(t, "{", response.Choices[0].ToolCalls[0].FunctionCall.Arguments)
	assert.Len(t, r.received(), 1)
}
