package compose_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/compose"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

func TestFunctionCalls(t *testing.T) {
	query := llmretry.Must(outputparser.FromSchema([]byte(`{"type":"object","required":["q"]}`)))
	v := llmretry.Must(compose.FunctionCalls(twoTools, compose.ToolInput("search", query)))
	for _, tt := range []struct{ tool, arguments, says string }{
		{"Shell", `{"__arg1": "ls"}`, ""},
		{"search", `{"__arg1": "{\"q\": 1}"}`, ""},
		{"search", `{"__arg1": "{}"}`, `input of "search": /q: required property is missing`},
		{"search", `{"q": 1}`, `tool call 0 (search): /__arg1: required property is missing, want string`},
		{"Shell", `{"__arg1": 1}`, `tool call 0 (Shell): /__arg1: want string, got 1`},
		{"Shell", `2+2`, `tool call 0 (Shell): output: has text around the value`},
		{"Shell", ``, `tool call 0 (Shell): output: `},
		{"dig", `{"__arg1": "x"}`, `tool call 0: unknown tool, want one of "search", "Shell", got "dig"`},
	} {
		for _, choice := range []*llms.ContentChoice{
			calls(tt.tool, tt.arguments), {FuncCall: &llms.FunctionCall{Name: tt.tool, Arguments: tt.arguments}},
		} {
			err := v(t.Context(), &llms.ContentResponse{Choices: []*llms.ContentChoice{nil, choice}})
			if tt.says == "" {
				require.NoError(t, err, tt.arguments)
				continue
			}
			require.ErrorContains(t, err, tt.says, tt.arguments)
			assert.NotEmpty(t, codeOf(err))
		}
	}
	assert.Error(t, v(t.Context(), nil))
	assert.NoError(t, v(t.Context(), answer("a final answer is nobody's call")))
	assert.Error(t, v(t.Context(), &llms.ContentResponse{Choices: []*llms.ContentChoice{{ToolCalls: make([]llms.ToolCall, 1)}}}))
}
