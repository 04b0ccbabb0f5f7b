package outputparser_test

import (
	"testing"

	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/stretchr/testify/require"
)

func TestList(t *testing.T) {
	p, err := outputparser.List(";")
	require.NoError(t, err)
	require.Equal(t, "list", p.Type())
	require.Equal(t, ";", p.GetFormatInstructions())
	v, err := p.ParseWithPrompt(`a; "b;c" ;d,e`, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b;c", "d,e"}, v)
	for text, want := range map[string]string{
		"a;;b":  `output: item 2 is empty, want items separated by ";", got "a;;b"`,
		`a;"b`:  `output: has a quoted item that does not end, want items separated by ";", got "a;\"b"`,
		`["a"]`: `output: is JSON, want items separated by ";", got "[\"a\"]"`,
		";":     `output: item 1 is empty, want items separated by ";", got ";"`,
	} {
		_, err := p.Parse(text)
		require.EqualError(t, err, want)
	}
	lines, err := outputparser.List("\n")
	require.NoError(t, err)
	v, err = lines.Parse("1) one\r\n\r\n2) \"two\"\r\n")
	require.NoError(t, err)
	require.Equal(t, []string{"one", `"two"`}, v)
}
