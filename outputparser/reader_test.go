package outputparser

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/llmretry/langchaingo-llmretry/internal/extract"
	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/llmretry/langchaingo-llmretry/internal/schemacheck"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/stretchr/testify/require"
)

func readerFor(tb testing.TB, schema string, strict bool) reader {
	tb.Helper()
	s, err := schemacheck.Compile([]byte(schema))
	require.NoError(tb, err)
	return newReader(s, strict)
}

var replies = []string{
	`{"a":1}`, "```json\n{\"a\": [1, 2]}\n```", `x {"a":1} y {"a":1.0}`, `{"a":1}{"b":2}`, `<think>x</think>{"a":"</think>"}`,
	`"{\"a\":1}"`, `{"a":1,}`, `[1] {"a":"b"}`, `{"a":"<tool_call>"}`, `{a} [b] {"a"`, `</think>{"x":"</think>{}"}`, `{"a":1,"a":1}`,
	"{\u00a0\"a\":\"b\nc\" /* d */}", `<|channel|>analysis<|message|>x<|end|><|channel|>final<|message|>{"a":1}`, `{/* c */"a":1}`,
	"\ufeff{\"a\":\"\\ud83d\\ude00\"}\u200b", `[THINK]x[/THINK][1]`, `{"a":"` + "\xff" + `"}`, `text {"a":1e999}`,
}

// FuzzLenient: whatever a lenient reader accepts stands in the reply as one JSON value (or is the one decoding of a
// reply that is a JSON string), and what a strict one accepts a lenient one does.
func FuzzLenient(f *testing.F) {
	for _, s := range replies {
		f.Add(s)
	}
	anything := readerFor(f, `true`, false)
	object := readerFor(f, `{"type":"object"}`, false)
	strict := readerFor(f, `true`, true)
	f.Fuzz(func(t *testing.T, reply string) {
		for _, r := range []reader{anything, object} {
			got, issues := r.read(reply)
			if issues != nil {
				checkIssues(t, issues)
				continue
			}
			piece := got.at.Text(got.text)
			if got.text == reply {
				require.Contains(t, reply, piece)
			} else {
				whole, fault := jsontext.Scan(reply, strings.IndexByte(reply, '"'), jsontext.Tolerant)
				require.Zero(t, fault)
				inner, _ := jsontext.Decode(reply, whole, jsontext.Tolerant)
				require.Equal(t, inner, got.text)
			}
			clean := jsontext.Clean(got.text, got.at)
			v, problem := extract.Whole(clean)
			require.Zero(t, problem)
			tree, _ := jsontext.Decode(clean, v, jsontext.Tolerant)
			require.Equal(t, tree, got.tree)
		}
		if got, issues := strict.read(reply); issues == nil {
			loose, issues := anything.read(reply)
			require.Nil(t, issues)
			require.Equal(t, got.tree, loose.tree)
		} else {
			checkIssues(t, issues)
		}
	})
}

func checkIssues(t *testing.T, issues llmretry.Issues) {
	require.NotEmpty(t, issues)
	for _, issue := range issues {
		require.NotEmpty(t, issue.Code)
		require.NotEmpty(t, issue.Message)
		require.LessOrEqual(t, len(issue.Got), 2*maxSample, issue.Got)
		require.True(t, utf8.ValidString(issue.Message), issue.Message)
		require.NotContains(t, issue.Message, "\n")
	}
}

// FuzzPrefix: no part of an object that ends early is taken for an answer.
func FuzzPrefix(f *testing.F) {
	for _, s := range replies {
		f.Add(s)
	}
	f.Add(`{"a":"</think>{}","b":"<|channel|>final<|message|>{}"}`)
	f.Add(`{"a":"<think>","b":"</think>[1]","c":["{}"]}`)
	object := readerFor(f, `{"type":"object"}`, false)
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.Trim(text, " \t\r\n")
		v, problem := extract.Whole(text)
		if problem.Reason != extract.None || text[v.Start] != '{' || len(text) > 200 {
			return
		}
		for n := range len(text) {
			_, issues := object.read(text[:n])
			require.NotNil(t, issues, text[:n])
		}
	})
}

// shells are what may stand around a value without being part of it; alone marks those that leave a scalar alone.
var shells = []struct {
	before, after string
	alone         bool
}{
	{"", "", true},
	{" \n\t", "\r\n ", true},
	{"\ufeff", "\u200b\n", true},
	{"\u00a0", "\u00a0", true},
	{"```json\n", "\n```", true},
	{"```\n", "```", true},
	{"\n```python\n", "\n```\n", true},
	{"<think>well {\"a\": 1}? no</think>\n", "", true},
	{"<think>\n\n</think>\n<reflection>fine</reflection>```json\n", "\n```", true},
	{"so {it} was</think>", "", true},
	{"<|channel|>analysis<|message|>hm {<|end|><|start|>assistant<|channel|>final<|message|>", "", true},
	{"Sure, here it is:\n", "\nTell me if you need more.", false},
	{"First `{pkg}` and [note], then:\n```json\n", "\n```\nbye {name}", false},
	{"Answer: ", "}", false},
	{"<answer>", "</answer>", false},
	{"(1) ", " [see below]", false},
}

// FuzzShell: a value is the same value in every shell.
func FuzzShell(f *testing.F) {
	for _, s := range append([]string{`1`, `"x"`, `null`, `[]`, `{}`, ` [ "a"]`, `"<think>"`, "\"```\""}, replies...) {
		f.Add(s)
	}
	anything := readerFor(f, `true`, false)
	f.Fuzz(func(t *testing.T, text string) {
		v, problem := extract.Whole(text)
		if problem.Reason != extract.None {
			return
		}
		want, dup := jsontext.Decode(text, v, jsontext.RFC8259)
		if dup != nil {
			return
		}
		container := text[v.Start] == '{' || text[v.Start] == '['
		for _, shell := range shells {
			if !shell.alone && !container {
				continue
			}
			got, issues := anything.read(shell.before + text + shell.after)
			require.Nil(t, issues, "%q %q", shell.before, shell.after)
			require.Equal(t, want, got.tree, "%q %q", shell.before, shell.after)
		}
	})
}

// FuzzText: the parsers of plain text never panic and always say why.
func FuzzText(f *testing.F) {
	for _, s := range append([]string{
		"Thought: x\nAction: search\nAction Input: y", "**Final Answer:** 3", "YES", `"a, b", c`, "1. a\n2. b", "<think>a</think>no",
		"name=Ada age=36", "\"", "", "'", "-", "*", "a,,b", "Action: search Action Input: x\nObservation:",
	}, replies...) {
		f.Add(s)
	}
	type pair struct {
		Name string `json:"name"`
		Age  *int   `json:"age"`
	}
	var parsers []func(string) error
	for _, opts := range [][]Option{nil, {Strict()}} {
		oneOf, err := OneOf([]string{"yes", "not sure", "sure", "C++"}, opts...)
		require.NoError(f, err)
		boolean, err := Bool(opts...)
		require.NoError(f, err)
		comma, err := List(",", opts...)
		require.NoError(f, err)
		lines, err := List("\n", opts...)
		require.NoError(f, err)
		pattern, err := Regexp[pair](`name=(?P<name>\w+)(?: age=(?P<age>\S+))?`, opts...)
		require.NoError(f, err)
		step, err := ReActStep([]string{"search", "terminal"}, opts...)
		require.NoError(f, err)
		parsers = append(parsers,
			func(s string) error { _, err := oneOf.Parse(s); return err },
			func(s string) error { _, err := boolean.Parse(s); return err },
			func(s string) error { _, err := comma.Parse(s); return err },
			func(s string) error { _, err := lines.Parse(s); return err },
			func(s string) error { _, err := pattern.Parse(s); return err },
			func(s string) error { _, err := step.Parse(s); return err },
		)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		for _, parse := range parsers {
			if err := parse(reply); err != nil {
				var issues llmretry.Issues
				require.ErrorAs(t, err, &issues)
				checkIssues(t, issues)
			}
		}
	})
}
