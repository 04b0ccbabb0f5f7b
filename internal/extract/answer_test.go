package extract

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnswer(t *testing.T) {
	for text, want := range map[string]string{
		" yes\n": "yes", "<think>no</think>yes": "yes", "hm</think> yes": "yes", "```\nyes\n```": "yes", "a\n```\nb\n```": "a\n```\nb\n```",
	} {
		got, problem := Answer(text)
		require.Zero(t, problem)
		require.Equal(t, want, got)
	}
	for text, want := range map[string]Reason{"": Empty, "\u200b": Empty, "<think>x": OpenReasoning, "<think>x</think>": NoValue} {
		_, problem := Answer(text)
		require.Equal(t, want, problem.Reason, text)
	}
}
