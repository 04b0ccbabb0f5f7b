package outputparser_test

import (
	"encoding/json"
	"testing"

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
