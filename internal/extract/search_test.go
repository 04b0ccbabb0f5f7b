package extract

import (
	"strings"
	"testing"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/stretchr/testify/require"
)

func values(s string) (texts []string, whole bool, p Problem) {
	f := Lenient(s)
	for {
		v, ok := f.Next()
		if !ok {
			return texts, f.Whole(), f.Problem()
		}
		texts = append(texts, v.Text(s))
	}
}

func TestLenient(t *testing.T) {
	for _, tc := range []struct {
		text   string
		want   string // the values, separated by a blank
		whole  bool
		reason Reason
	}{
		// whole texts
		{`{"a":1}`, `{"a":1}`, true, None},
		{" \ufeff[1]\u200b\n", `[1]`, true, None},
		{`12`, `12`, true, None},
		{`"x"`, `"x"`, true, None},
		{"```json\n{}\n```", `{}`, true, None},
		{"```\n5\n```", `5`, true, None},
		{"<think>a</think> null", `null`, true, None},
		{`{"a":"</think>"}`, `{"a":"</think>"}`, true, None},
		// values among prose
		{`so {"a":1} or [1]`, `{"a":1} [1]`, false, None},
		{`{}{"a":1}`, `{} {"a":1}`, false, None},
		{`{"a":1}}`, `{"a":1}`, false, None},
		{`{a} [b] {{c}} {"d":1}`, `{"d":1}`, false, None},
		{`{ "a":1} [ 1] [true] [truely] [-1]`, `{ "a":1} [ 1] [true] [-1]`, false, None},
		{"x {\u00a0/* c */ // d\n\"a\":1}", "{\u00a0/* c */ // d\n\"a\":1}", false, None},
		{"x { /* c */ a}", ``, false, NoValue},
		{"x [", ``, false, NoValue},
		{"x {", ``, false, NoValue},
		// a broken value ends the search
		{`x {"a" {"b":1}`, ``, false, Faulty},
		{`x {"a":1} {"b" {"c":1}`, `{"a":1}`, false, Faulty},
		{`{"a" {"b":1}`, ``, false, Faulty},
		{`{a {"b":1}`, `{"b":1}`, false, None},
		{`tru`, ``, false, Faulty},
		{`[-]`, ``, false, Faulty},
		{`1e999`, ``, false, Faulty},
		// reasoning
		{`<think>{"a":1}</think>{"b":1}`, `{"b":1}`, true, None},
		{`<Think>{"a":1}</tHINK>x{"b":1}`, `{"b":1}`, false, None},
		{`x</think>{"b":1}`, `{"b":1}`, true, None},
		{`{"a":1}</think>{"b":1}`, `{"b":1}`, true, None},
		{`x {"a" </think>{"b":1}`, `{"b":1}`, true, None},
		{`x {"a":"</think>"} y</think>{"b":1}`, `{"b":1}`, true, None},
		{`x {"a":"</think>"} y`, `{"a":"</think>"}`, false, None},
		{`{"a" </think>{"b":1}`, ``, false, Faulty},
		{`{"a":1}<think>{"b":1}</think>`, `{"a":1}`, false, None},
		{`<think>{"a":1}`, ``, false, OpenReasoning},
		{`x <think>{"a":1}`, ``, false, OpenReasoning},
		{`{"a":1}<think>`, `{"a":1}`, false, OpenReasoning},
		{`<think>a</think><think>{"a":1}`, ``, false, OpenReasoning},
		{`<think>a</think>`, ``, false, NoValue},
		{`<thinks>{"a":1}`, `{"a":1}`, false, None},
		{`◁think▷x◁/think▷[1]`, `[1]`, true, None},
		{`<|channel|>analysis<|message|>{"a":1}<|end|>[1]`, `[1]`, true, None},
		{`<|channel|>analysis<|message|>x<|channel|>final<|message|>[1]`, `[1]`, true, None},
		{`<|channel|>final <|constrain|>json<|message|>5`, `5`, true, None},
		// tool calls
		{`<tool_call>{"a":1}</tool_call>`, ``, false, ToolCall},
		{`{"a":1}<TOOL_CALL>`, `{"a":1}`, false, ToolCall},
		{`<|channel|>commentary<|message|>{"a":1}`, ``, false, ToolCall},
		{"```tool_code\nf({\"a\":1})\n```", ``, false, ToolCall},
		{`<think><tool_call></think>{"a":1}`, `{"a":1}`, true, None},
		{`x<tool_call></think>{"a":1}`, `{"a":1}`, true, None},
		// nothing
		{``, ``, false, Empty},
		{" \u200b\ufeff\u00a0\n", ``, false, Empty},
		{`no`, ``, false, NoValue},
		{"```\n```", ``, false, NoValue},
	} {
		texts, whole, problem := values(tc.text)
		require.Equal(t, tc.want, strings.Join(texts, " "), tc.text)
		require.Equal(t, tc.whole, whole, tc.text)
		require.Equal(t, tc.reason, problem.Reason, tc.text)
	}
}

func FuzzSearch(f *testing.F) {
	for _, s := range []string{`a {"b":1} c`, "```json\n[1]\n```", `<think>{</think>{}`, `{"a":"</think>"`, `{/* */"a":1}`, `[TOOL_CALLS]`, "\u200b{}\ufeff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		search := Lenient(s)
		end := 0
		for {
			v, ok := search.Next()
			if !ok {
				break
			}
			require.GreaterOrEqual(t, v.Start, end)
			require.Greater(t, v.End, v.Start)
			again, fault := jsontext.Scan(s[:v.End], v.Start, jsontext.Tolerant)
			require.Zero(t, fault)
			require.Equal(t, again, v)
			end = v.End
		}
		_, ok := search.Next()
		require.False(t, ok, "the end stays the end")
		p := search.Problem()
		require.LessOrEqual(t, p.Offset, len(s))
		_, _ = Answer(s)
	})
}
