package outputparser_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

func TestTool(t *testing.T) {
	tool := mustJSON[person](t).Tool("person", "a person")
	require.Equal(t, "function", tool.Type)
	require.Equal(t, "person", tool.Function.Name)
	require.Equal(t, "a person", tool.Function.Description)
	raw, err := json.Marshal(tool)
	require.NoError(t, err)
	require.Contains(t, string(raw), `"required":["name","age"]`)
	validate, err := outputparser.ToolArguments([]llms.Tool{tool})
	require.NoError(t, err)
	require.NotNil(t, validate)
}

// A parser that declares its tool hears the decorator hand it the call's arguments, and text where a model prefers
// that; the names are kept by Any and Safe.
func TestAsTool(t *testing.T) {
	p, err := outputparser.JSON[person](outputparser.AsTool("person"))
	require.NoError(t, err)
	require.Equal(t, "person", p.ToolName())
	require.Empty(t, mustJSON[person](t).ToolName())
	for _, named := range []any{outputparser.Any(p), outputparser.Safe(p)} {
		require.Equal(t, "person", named.(interface{ ToolName() string }).ToolName())
	}
	_, err = outputparser.JSON[person](outputparser.AsTool(""))
	require.ErrorIs(t, err, llmretry.ErrInvalidOption)
	_, err = outputparser.Bool(outputparser.AsTool("x"))
	require.ErrorIs(t, err, llmretry.ErrInvalidOption)

	called := &llms.ContentResponse{Choices: []*llms.ContentChoice{
		{Content: "Here you are."},
		{ToolCalls: []llms.ToolCall{{ID: "1", FunctionCall: &llms.FunctionCall{Name: "person", Arguments: `{"name":"Ada","age":36}`}}}},
	}}
	m := llmretry.Must(llmretry.New(answering{called}))
	result, err := llmretry.Generate(t.Context(), m, p, nil, llms.WithTools([]llms.Tool{p.Tool("person", "a person")}))
	require.NoError(t, err)
	require.Equal(t, "Ada", result.Value.Name)
	_, err = llmretry.Generate(t.Context(), m, mustJSON[person](t), nil)
	require.Equal(t, llmretry.ErrToolCalls, err, "undeclared, it is the caller's business")
}

// answering is a model with one answer.
type answering struct{ response *llms.ContentResponse }

func (a answering) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	return a.response, nil
}

func (a answering) Call(context.Context, string, ...llms.CallOption) (string, error) { return "", nil }
