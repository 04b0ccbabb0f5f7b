package reaskprompt_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/reaskprompt"
)

func lines(t *testing.T, issues ...llmretry.Issue) string {
	t.Helper()
	b, err := reaskprompt.Format("[{issues}]")
	require.NoError(t, err)
	text := build(t, b, llmretry.Failure{Issues: issues})
	return strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
}

func TestIssueLine(t *testing.T) {
	tests := []struct {
		name  string
		issue llmretry.Issue
		want  string
	}{
		{"empty", llmretry.Issue{}, ""},
		{"blank message", llmretry.Issue{Message: " \n"}, ""},
		{"message names the path", llmretry.Issue{Path: "/a", Code: "type", Want: "w", Got: "g", Message: "/a: bad"}, "/a: bad"},
		{"message does not", llmretry.Issue{Path: "/a/0", Message: "bad"}, "/a/0: bad"},
		{"message, whole output", llmretry.Issue{Code: "syntax", Message: "bad"}, "bad"},
		{"path and code", llmretry.Issue{Path: "/a", Code: "required"}, "/a: required"},
		{"want", llmretry.Issue{Path: "/a", Code: "required", Want: "string"}, "/a: required: -> string"},
		{"got", llmretry.Issue{Path: "/a", Code: "type", Got: `"7"`}, `/a: type: "7"`},
		{"want and got", llmretry.Issue{Path: "/a", Code: "type", Want: "integer", Got: `"7"`}, `/a: type: "7" -> integer`},
		{"code alone", llmretry.Issue{Code: "syntax"}, "syntax"},
		{"path alone", llmretry.Issue{Path: "/a"}, "/a"},
		{"one line", llmretry.Issue{Path: "/a\nb", Code: "x\u2028y", Got: "1\r\n2\t3\x85\u00854"}, "/a b: x y: 1  2 3\ufffd 4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, lines(t, tt.issue)) })
	}
}

func TestIssueLinesAreBounded(t *testing.T) {
	many := make([]llmretry.Issue, 33)
	for i := range many {
		many[i] = llmretry.Issue{Path: "/" + strings.Repeat("é", 1000), Code: "type"}
	}
	many[3] = llmretry.Issue{} // says nothing, counts for nothing
	text := lines(t, many...)
	split := strings.Split(text, "\n")
	require.Len(t, split, 21)
	assert.Equal(t, "... +12", split[20])
	for _, line := range split {
		assert.LessOrEqual(t, len(line), 400)
		assert.NotContains(t, line, "\ufffd")
	}
	assert.NotContains(t, lines(t, many[:20]...), "+")
	assert.Equal(t, text, lines(t, many...), "deterministic")
}
