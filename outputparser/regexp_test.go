package outputparser_test

import (
	"encoding/json"
	"testing"

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
