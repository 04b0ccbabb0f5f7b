package outputparser_test

import (
	"testing"

	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/stretchr/testify/require"
)

func TestBool(t *testing.T) {
	p, err := outputparser.Bool()
	require.NoError(t, err)
	require.Equal(t, "bool", p.Type())
	require.Equal(t, "yes, no, true, false", p.GetFormatInstructions())
	v, err := p.ParseWithPrompt("```\nTRUE\n```", nil)
	require.NoError(t, err)
	require.True(t, v)
	_, err = p.Parse("know")
	require.EqualError(t, err, `output: names none of the words, want one of yes, no, true, false, got "know"`)
}
