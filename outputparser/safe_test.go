package outputparser_test

import (
	"encoding/json"
	"testing"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// crashing panics in every method.
type crashing struct{}

func (crashing) Parse(string) (int, error)                             { panic("boom") }
func (crashing) ParseWithPrompt(string, llms.PromptValue) (int, error) { panic(errTooYoung) }
func (crashing) GetFormatInstructions() string                         { panic("boom") }
func (crashing) Type() string                                          { panic("boom") }
func (crashing) Schema() json.RawMessage                               { panic("boom") }
func (crashing) ToolName() string                                      { panic("boom") }

func TestSafe(t *testing.T) {
	p := outputparser.Safe[int](crashing{})
	_, err := p.Parse("x")
	require.Equal(t, "panic", issuesOf(t, err)[0].Code)
	var cause *llmretry.PanicError
	require.ErrorAs(t, err, &cause)
	_, err = p.ParseWithPrompt("x", nil)
	require.ErrorIs(t, err, errTooYoung)
	require.Empty(t, p.GetFormatInstructions())
	require.Empty(t, p.Type())
	require.Empty(t, p.(interface{ Schema() json.RawMessage }).Schema())
	require.Empty(t, p.(interface{ ToolName() string }).ToolName())

	inner := mustJSON[person](t)
	whole := outputparser.Safe[person](inner)
	v, err := whole.Parse(`{"name":"Ada","age":36}`)
	require.NoError(t, err)
	require.Equal(t, "Ada", v.Name)
	require.Equal(t, "json", whole.Type())
	require.Equal(t, inner.GetFormatInstructions(), whole.GetFormatInstructions())
	_, err = whole.Parse(`{}`)
	var own *outputparser.Error
	require.ErrorAs(t, err, &own)
}
