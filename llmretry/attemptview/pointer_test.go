package attemptview

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// An issue's place is the value that its pointer leads to, in the verbatim output.
func TestLocate(t *testing.T) {
	for _, c := range []struct {
		name, output, pointer, want string // want "" = no place
		absent                      bool
	}{
		{name: "whole", output: `{"a": 1}`, pointer: "", want: `{"a": 1}`},
		{name: "member", output: `{"b": 0, "a": [1, {"c": "x"}]}`, pointer: "/a/1/c", want: `"x"`},
		{name: "fenced", output: "Here:\n```json\n{\"a\": true}\n```\nBye {friend}.", pointer: "/a", want: "true"},
		{name: "prose", output: `I think {"a": null} is right.`, pointer: "/a", want: "null"},
		{name: "after reasoning", output: "<think>{\"a\": 1}</think>\n{\"a\": 2}", pointer: "/a", want: "2"},
		{name: "the value that fits", output: "{\"x\": 1}\nor rather\n{\"a\": 2}", pointer: "/a", want: "2"},
		{name: "comments", output: "{ // \"a\": 0\n /* b */ \"a\" /* : */ : # x\n 3 , }", pointer: "/a", want: "3"},
		{name: "escapes in pointer", output: `{"a/b~c": 4}`, pointer: "/a~1b~0c", want: "4"},
		{name: "escapes in key", output: `{"\u0061\"": 5}`, pointer: `/a"`, want: "5"},
		{name: "empty key", output: `{"": {"": 6}}`, pointer: "//", want: "6"},
		{name: "multi-byte", output: `{"ö": "日本"}`, pointer: "/ö", want: `"日本"`},
		{name: "missing member", output: `{"a": {"b": 1}}`, pointer: "/a/c", want: "}", absent: true},
		{name: "missing element", output: `[1, 2]`, pointer: "/2/x", want: "]", absent: true},
		{name: "leading zero", output: `[1, 2]`, pointer: "/01", want: "]", absent: true},
		{name: "into a scalar", output: `{"a": 1}`, pointer: "/a/b", want: "1", absent: true},
		{name: "no pointer", output: `{"a": 1}`, pointer: "a", want: "1"},
		{name: "broken", output: `{"a": 1,, "b": 2}`, pointer: "", want: ","},
		{name: "cut", output: `{"a": "x`, pointer: "", want: "x", absent: true},
		{name: "cut in a character", output: "{\"a\": \"日", pointer: "", want: "日", absent: true},
		{name: "broken, with a path", output: `{"a": 1,, "b": 2}`, pointer: "/a"},
		{name: "prose only", output: "I cannot do that.", pointer: "/a"},
		{name: "empty", output: "", pointer: ""},
		{name: "tool call", output: `{"name": "f", "arguments": "{\"a\": \"x\\ny\", \"b\": [1, 2]}"}`, pointer: "/a", want: `\"x\\ny\"`},
		{name: "text, then a tool call", output: "Well:\n" + `{"name": "f", "arguments": "{\"b\": [1, 2]}"}`, pointer: "/b/1", want: "2"},
		{name: "tool call, missing", output: `{"name": "f", "arguments": "{\"b\": 1}"}`, pointer: "/c", want: "}", absent: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			places, ok := locate(c.output, llmretry.Issues{{Path: c.pointer}})
			assert.Equal(t, c.want != "", ok[0])
			assert.Equal(t, c.want, c.output[places[0].start:places[0].end])
			assert.Equal(t, c.absent, places[0].absent)
		})
	}
}

// A message of a tool validator says which of several calls it is about.
func TestLocateInSeveralCalls(t *testing.T) {
	output := `{"name": "f", "arguments": "{\"a\": 1}"}` + "\n" + `{"name": "g", "arguments": "{\"a\": 2}"}`
	places, ok := locate(output, llmretry.Issues{
		{Path: "/a", Message: "tool call 1 (g): /a: no"}, {Path: "/a", Message: "tool call 0 (f): /a: no"}, {Path: "/a", Message: "tool call 7: no"},
	})
	assert.Equal(t, "2", output[places[0].start:places[0].end])
	assert.Equal(t, "1", output[places[1].start:places[1].end])
	assert.Equal(t, []bool{true, true, true}, ok, "the last one's is that of a value with this member")
}

// Of several answers none is the wrong one.
func TestLocateAmbiguous(t *testing.T) {
	_, ok := locate("{\"a\": 1}\n{\"a\": 2}", llmretry.Issues{{Code: "ambiguous"}})
	assert.Equal(t, []bool{false}, ok)
}

// Linear in the output, whatever is to be found in it.
func TestLocateMany(t *testing.T) {
	deep := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	wide := "{" + strings.Repeat(`"k": 1, `, 30_000) + `"age": "old"}`
	for _, c := range []struct{ output, pointer, want string }{{deep, strings.Repeat("/0", 9000), "]"}, {wide, "/age", `"old"`}} {
		issues := make(llmretry.Issues, maxIssues)
		for i := range issues {
			issues[i].Path = c.pointer
		}
		begin := time.Now()
		places, ok := locate(c.output, issues)
		assert.Less(t, time.Since(begin), 10*time.Second, "a matter of milliseconds, and not of minutes")
		assert.True(t, ok[maxIssues-1])
		assert.Equal(t, c.want, c.output[places[0].start:places[0].end])
	}
}
