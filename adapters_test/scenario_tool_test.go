package adapters_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

// toolScenarios are about arguments of tool calls.
var toolScenarios = []scenario{
	{"tool-01", "F3", noArguments},
	{"tool-03", "E13, F2", twoArgumentObjects},
	{"tool-04", "E13", brokenArgumentsAreNotReplayed},
}

// judging makes the tool's arguments part of what is judged.
func judging(parameters object, name string) llmretry.Option {
	return llmretry.WithToolValidator(llmretry.Must(outputparser.ToolArguments([]llms.Tool{
		{Type: "function", Function: &llms.FunctionDefinition{Name: name, Parameters: parameters}},
	})))
}

func noArguments(t *testing.T) {
	c := scene{turns: []turn{tooled(toolCall("t1", "health", ""))}, opts: []llmretry.Option{judging(object{"type": "object", "properties": object{}}, "health")}}.play(t)
	require.NoError(t, c.err)
	assert.Len(t, c.asked, 1)
	assert.Empty(t, c.response.Choices[0].ToolCalls[0].FunctionCall.Arguments, "it is the caller's tool that reads them")
}

// Both objects are seen, neither is chosen: the call is refused for being two, and its own text is replayed.
func twoArgumentObjects(t *testing.T) {
	c := scene{turns: []turn{tooled(toolCall("t1", "f", `{"a":1}{"a":2}`)), tells(blue)}, opts: []llmretry.Option{judging(object{"type": "object"}, "f")}}.play(t)
	require.NoError(t, c.err)
	require.Len(t, c.asked, 2)
	replayed := c.asked[1].messages[1].Parts[0].(llms.TextContent).Text
	var call struct{ Name, Arguments string }
	require.NoError(t, json.Unmarshal([]byte(replayed), &call))
	assert.Equal(t, `{"a":1}{"a":2}`, call.Arguments)
	refusal := c.report.LastRefused()
	require.NotNil(t, refusal)
	require.Len(t, refusal.Issues, 1)
	assert.NotEmpty(t, refusal.Issues[0].Code)
	assert.Contains(t, c.asked[1].messages[2].Parts[0].(llms.TextContent).Text, refusal.Issues[0].Message, "the reason is told")
}

// The server refuses a history with arguments that are no JSON. The default replays them as text, natively they are
// replaced.
func brokenArgumentsAreNotReplayed(t *testing.T) {
	const broken = `{"p":"C:\Users"}`
	server := func(n int, r *received) reply {
		for _, m := range (recordedRequest{Body: r.Body}).messages() {
			calls, _ := m["tool_calls"].([]any)
			for _, c := range calls {
				arguments, _ := c.(map[string]any)["function"].(map[string]any)["arguments"].(string)
				if !json.Valid([]byte(arguments)) {
					return openaiDialect().fails(http.StatusBadRequest, "arguments must be valid JSON", "")
				}
			}
		}
		if n == 0 {
			return reply{body: chatCompletion(r, answer{call: &llms.FunctionCall{Name: "f", Arguments: broken}})}
		}
		return reply{body: chatCompletion(r, answer{text: blue})}
	}
	for name, opts := range map[string][]llmretry.Option{"as text": nil, "natively": {llmretry.WithNativeToolReplay()}} {
		r := newRig(t, openaiDialect(), true, server)
		c := scene{client: r.client, opts: append(opts, judging(object{"type": "object"}, "f"))}.play(t)
		require.NoError(t, c.err, name)
		assert.Equal(t, blue, c.response.Choices[0].Content, name)
		assert.Len(t, r.received(), 2, name)
		assert.Equal(t, name == "as text", containsText(r.received()[1], `C:\Users`), name)
	}
}

// containsText reports whether some message says text.
func containsText(r *received, text string) bool {
	for _, m := range (recordedRequest{Body: r.Body}).messages() {
		if said, _ := m["content"].(string); json.Valid([]byte(said)) {
			var call struct{ Arguments string }
			if json.Unmarshal([]byte(said), &call) == nil && call.Arguments == `{"p":"`+text+`"}` {
				return true
			}
		}
	}
	return false
}
