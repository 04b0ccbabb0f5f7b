package outputparser_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/stretchr/testify/require"
)

func TestRegexp(t *testing.T) {
	type match struct {
		Name  string      `json:"name"`
		Age   *int        `json:"age"`
		Ratio float64     `json:"ratio"`
		OK    bool        `json:"ok"`
		Level level       `json:"level"`
		Other json.Number `json:"other"`
	}
	p, err := outputparser.Regexp[match](`(?P<name>\w+)(?: \((?P<age>[^)]*)\))?: (?P<ratio>\S+) (?P<ok>\S+) (?P<level>\w+)`)
	require.NoError(t, err)
	require.Equal(t, "regexp", p.Type())
	require.Contains(t, p.GetFormatInstructions(), `(?P<name>`)
	v, err := p.ParseWithPrompt("It was Ada (36): 0.5 true high.", nil)
	require.NoError(t, err)
	require.Equal(t, 36, *v.Age)
	v.Age = nil
	require.Equal(t, match{Name: "Ada", Ratio: 0.5, OK: true, Level: 2}, v)
	v, err = p.Parse("Ada: 1 false low")
	require.NoError(t, err)
	require.Equal(t, match{Name: "Ada", Ratio: 1, Level: 1}, v)
	for text, want := range map[string]string{
		"Ada (old): 0,5 yes low": `/age: want number, got "old"; /ratio: want number, got "0,5"; /ok: want true or false, got "yes"`,
		"Ada (1.5): 1 true low":  `/age: want integer, got 1.5`,
		"Ada: 1 true medium":     `/level: value is not accepted, got "medium"`,
		"Ada":                    `output: does not match, want text matching ` + p.GetFormatInstructions() + `, got "Ada"`,
	} {
		_, err := p.Parse(text)
		require.EqualError(t, err, want)
	}
}

// A pattern may ask for the fence that an answer stands in, a group may be there once, and more matches than can be
// compared are ambiguous.
func TestRegexpEdges(t *testing.T) {
	p, err := outputparser.Regexp[map[string]string]("(?s)```\\w*\n(?P<code>.*?)\n```")
	require.NoError(t, err)
	for _, text := range []string{"```go\nx := 1\n```", " ```go\nx := 1\n```\n", "Here:\n```go\nx := 1\n```"} {
		v, err := p.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, "x := 1", v["code"])
	}
	_, err = outputparser.Regexp[map[string]string](`(?P<n>a)|(?P<n>b)`)
	require.ErrorIs(t, err, llmretry.ErrInvalidOption)
	p, err = outputparser.Regexp[map[string]string](`n=(?P<n>\d)`)
	require.NoError(t, err)
	_, err = p.Parse(strings.Repeat("n=1 ", 1000) + "n=2")
	require.Error(t, err)
}
