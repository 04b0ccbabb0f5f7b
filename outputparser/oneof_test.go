package outputparser_test

import (
	"testing"

	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/stretchr/testify/require"
)

// The corpus holds what the text parsers accept and refuse; here is what they say and what it does not cover.

type mood string

func TestOneOf(t *testing.T) {
	p, err := outputparser.OneOf([]mood{"good", "not good", "C++"})
	require.NoError(t, err)
	require.Equal(t, "one_of", p.Type())
	require.Equal(t, `"good", "not good", "C++"`, p.GetFormatInstructions())
	for text, want := range map[string]mood{
		"good": "good", "`good`": "good", "It is not good!": "not good", "écrit en C++.": "C++", "**good**, _so_ good": "good", "goods": "",
		"good is good": "good", "(good)": "good",
	} {
		v, err := p.ParseWithPrompt(text, nil)
		require.Equal(t, want == "", err != nil, text)
		require.Equal(t, want, v, text)
	}
	for text, want := range map[string]string{
		"":                    `output: is empty, want one of "good", "not good", "C++"`,
		"bad":                 `output: names none of the words, want one of "good", "not good", "C++", got "bad"`,
		"good, or not good?":  `output: names more than one of the words, want one of "good", "not good", "C++", got "good, or not good?"`,
		"<think>good":         `output: ends inside a reasoning block, want one of "good", "not good", "C++", got "<think>good"`,
		"<think>good</think>": `output: holds no answer, want one of "good", "not good", "C++", got "<think>good</think>"`,
	} {
		_, err := p.Parse(text)
		require.EqualError(t, err, want)
	}
	strict, err := outputparser.OneOf([]mood{"good"}, outputparser.Strict())
	require.NoError(t, err)
	_, err = strict.Parse("good.")
	require.EqualError(t, err, `output: is not one of the words, want "good", got "good."`)
}

func TestOneOfKeepsItsOwnValues(t *testing.T) {
	values := []string{"a", "b"}
	p, err := outputparser.OneOf(values)
	require.NoError(t, err)
	values[0] = "c"
	v, err := p.Parse("a")
	require.NoError(t, err)
	require.Equal(t, "a", v)
}
