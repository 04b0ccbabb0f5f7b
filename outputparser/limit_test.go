package outputparser_test

import (
	"strings"
	"testing"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/stretchr/testify/require"
)

func TestLimit(t *testing.T) {
	schema := []byte(`{"items":{"type":"array"}}`)
	for _, strict := range [][]outputparser.Option{nil, {outputparser.Strict()}} {
		p, err := outputparser.FromSchema(schema, append(strict, outputparser.Limit(outputparser.Limits{Bytes: 40, Depth: 3, Issues: 2}))...)
		require.NoError(t, err)
		for text, want := range map[string]string{
			"[[[]]]":                     "",
			"[[[[]]]]":                   "output: nested 4 levels deep, want at most 3 levels",
			strings.Repeat("[", 41):      "output: is 41 bytes long, want at most 40 bytes",
			"[1,2,3,4]":                  "/0: want array, got 1; /1: want array, got 2; output: 2 more issues are left out",
			"[1,2," + spaces(30) + "[]]": "/0: want array, got 1; /1: want array, got 2",
		} {
			_, err := p.Parse(text)
			if want == "" {
				require.NoError(t, err)
				continue
			}
			require.EqualError(t, err, want)
		}
	}
	p, err := outputparser.FromSchema(schema, outputparser.Limit(outputparser.Limits{Issues: 1000}))
	require.NoError(t, err)
	_, err = p.Parse("[" + strings.Repeat("1,", 2000) + "1]")
	require.Len(t, issuesOf(t, err), 1001)
	for _, l := range []outputparser.Limits{{Bytes: -1}, {Depth: 10_001}, {Issues: 1001}, {Issues: -1}, {Text: -1}, {Text: 39}} {
		_, err := outputparser.JSON[person](outputparser.Limit(l))
		require.ErrorIs(t, err, llmretry.ErrInvalidOption)
	}
}

// TestLimitText: what a schema's many allowed values, or a talkative check, put into an issue is cut; the check's own
// issues stay as they were.
func TestLimitText(t *testing.T) {
	long := strings.Repeat("é", 100)
	p, err := outputparser.FromSchema([]byte(`{"enum":["`+long+`","b"]}`), outputparser.Limit(outputparser.Limits{Text: 60}))
	require.NoError(t, err)
	_, err = p.Parse("[7]")
	for _, issue := range issuesOf(t, err) {
		require.Equal(t, "enum", issue.Code)
		require.LessOrEqual(t, len(issue.Message), 60)
		require.LessOrEqual(t, len(issue.Want), 60)
		require.True(t, strings.HasSuffix(issue.Want, "..."), issue.Want)
	}
	require.LessOrEqual(t, len(err.Error()), 60)

	own := llmretry.Issues{{Path: "/a", Code: "mine", Message: long}}
	q, err := outputparser.JSON[person](outputparser.Limit(outputparser.Limits{Text: 40}), outputparser.Check(func(person) error { return own }))
	require.NoError(t, err)
	_, err = q.Parse(`{"name":"a","age":1}`)
	require.LessOrEqual(t, len(issuesOf(t, err)[0].Message), 40)
	require.Equal(t, long, own[0].Message)
}

func spaces(n int) string { return strings.Repeat(" ", n) }
