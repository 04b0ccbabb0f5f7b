package reaskprompt

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

func TestQuoted(t *testing.T) {
	for in, want := range map[string]string{
		"":             `""`,
		"plain":        `"plain"`,
		`say "hi" \`:   `"say \"hi\" \\"`,
		"a\nb\tc\x00":  `"a\nb\tc\u0000"`,
		"<a> & é 😀":    `"<a> & é 😀"`,
		"\u2028":       `"\u2028"`,
		"bad \xff end": `"bad \ufffd end"`,
	} {
		assert.Equal(t, want, quoted(in))
	}
}

func TestFenced(t *testing.T) {
	for in, want := range map[string]string{
		"":                    "```\n```",
		"x":                   "```\nx\n```",
		"x\n":                 "```\nx\n```",
		"`x` ``y``":           "```\n`x` ``y``\n```",
		"```json\n{}\n```":    "````\n```json\n{}\n```\n````",
		"````\n```\nescape":   "`````\n````\n```\nescape\n`````",
		"ends in ```":         "````\nends in ```\n````",
		"~~~\nnot our kind":   "```\n~~~\nnot our kind\n```",
		"``\u200b` not a run": "```\n``\u200b` not a run\n```",
	} {
		assert.Equal(t, want, fenced(in))
	}
}

func TestTextOf(t *testing.T) {
	type named string
	assert.Empty(t, textOf(nil))
	assert.Equal(t, "a", textOf("a"))
	assert.Equal(t, "a", textOf(named("a")))
	assert.Equal(t, "stop", textOf(llmretry.FinishStop))
	assert.Equal(t, "{}", textOf(json.RawMessage("{}")))
	assert.Equal(t, "a", textOf([]byte("a")))
	assert.Equal(t, "no", textOf(errors.New("no")))
	assert.Equal(t, "-", textOf(llmretry.Count{}))
	assert.Equal(t, "7", textOf(7))
	assert.Equal(t, "/a: type", textOf(newIssueList(llmretry.Issues{{Path: "/a", Code: "type"}})))
	assert.Empty(t, textOf(issueList(nil)))
}

// Semantics E1: whatever a helper is given, the letters it renders are the input's. The inputs here consist of the
// letter Q and of nothing.
func TestNoWordsOfOurs(t *testing.T) {
	issue := llmretry.Issue{Path: "Q", Code: "Q", Want: "Q", Got: "Q", Message: ""}
	many := make(llmretry.Issues, 40)
	for i := range many {
		many[i] = issue
	}
	q := strings.Repeat("Q", 1000)
	failures := []llmretry.Failure{
		{},
		{Issues: llmretry.Issues{{}}},
		{Issues: llmretry.Issues{issue, {Path: "Q", Message: "Q"}, {Message: q}, {Want: "Q"}}},
		{OutputContent: q, ErrorMessage: q, Issues: many, Schema: json.RawMessage(q), Err: errors.New(q)},
		{OutputContent: "Q`````\n\"Q\\", ErrorMessage: "Q"},
	}
	templates := []string{
		`{{issues .}}`, `{{issues .Issues}}`, `{{.Issues}}`, `{{range .Issues}}{{.}}{{end}}`, `{{.Schema}}`,
		`{{clip 7 .OutputContent}}`, `{{clip 9 .ErrorMessage}}`, `{{clip 9 .Issues}}`, `{{clip 9 .Schema}}`, `{{clip 9 .Err}}`,
		`{{fence .OutputContent}}`, `{{fence .Issues}}`, `{{quote .ErrorMessage}}`, `{{quote .Schema}}`, `{{quote .Issues}}`, `{{fence .Err}}`,
		`{{.OutputContent | clip 20 | quote | fence}}`,
	}
	builders := make(map[string]llmretry.Builder)
	for _, text := range templates {
		b, err := Template("Q" + text) // a Q, since a correction must not be blank
		require.NoError(t, err)
		builders[text] = b
	}
	for _, text := range placeholderNames {
		b, err := Format(text)
		require.NoError(t, err)
		builders[text] = b
		builders["clip "+text] = Clip(b, 10)
	}
	for text, b := range builders {
		for _, f := range failures {
			got, err := b(t.Context(), f)
			require.NoError(t, err, text)
			// A quoted line break is the letter n after a backslash; JSON's, not ours.
			letters := strings.ReplaceAll(got, `\n`, "")
			for _, r := range letters {
				require.True(t, r == 'Q' || !unicode.IsLetter(r), "%s renders %q", text, got)
			}
		}
	}
}

func FuzzTemplateHelpers(f *testing.F) {
	f.Add("```\nescape\n", 7)
	f.Add("say \"hi\"\u2028\x00\xff", 9)
	f.Add("😀😀😀", 8)
	f.Add("", -1)
	helper := func(text string) llmretry.Builder { return llmretry.Must(Template(text)) }
	fencing, quoting, issues := helper("{{fence .OutputContent}}"), helper("{{quote .OutputContent}}"), helper("{{issues .Issues}}|")
	f.Fuzz(func(t *testing.T, text string, n int) {
		failure := llmretry.Failure{OutputContent: text, Issues: llmretry.Issues{{Path: text, Code: "x"}, {Message: text}, {Got: text, Want: text}}}
		render := func(b llmretry.Builder) string {
			s, err := b(t.Context(), failure)
			require.NoError(t, err)
			return s
		}

		// fence: the first and last line are the same backticks, and no run inside is as long.
		got := render(fencing)
		fence, rest, ok := strings.Cut(got, "\n")
		require.True(t, ok)
		require.Equal(t, strings.Repeat("`", len(fence)), fence)
		require.GreaterOrEqual(t, len(fence), 3)
		body, ok := strings.CutSuffix(rest, fence)
		require.True(t, ok)
		require.NotContains(t, body, fence)
		require.True(t, body == text || body == text+"\n")
		require.True(t, body == "" || strings.HasSuffix(body, "\n"))

		// quote: JSON, on one line, and the text again when read.
		got = render(quoting)
		require.NotContains(t, got, "\n")
		var back string
		require.NoError(t, json.Unmarshal([]byte(got), &back))
		require.Equal(t, string([]rune(text)), back, "bytes that are not UTF-8 are U+FFFD")

		// issues: one line each, bounded.
		got = strings.TrimSuffix(render(issues), "|")
		require.LessOrEqual(t, strings.Count(got, "\n"), 2)
		require.LessOrEqual(t, len(got), 3*maxIssueLine+2)

		// clip.
		clipped, err := clipHelper(n, text)
		if n < minClip {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		require.LessOrEqual(t, len(clipped), n)
		require.True(t, clipped == text || strings.HasPrefix(text, strings.TrimSuffix(clipped, mark)))
		if utf8.ValidString(text) {
			require.True(t, utf8.ValidString(clipped))
		}
	})
}
