package outputparser_test

import (
	"strings"
	"testing"

	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/stretchr/testify/require"
)

func TestStrictRefusals(t *testing.T) {
	p := mustJSON[map[string]any](t, outputparser.Strict())
	for text, code := range map[string]string{
		"": "no_value", "no": "no_value", "Here: {}": "extra_text", "{} x": "extra_text", "```\n{}\n```": "extra_text",
		"{,}": "syntax", `{"a":`: "truncated", `{"a":1,"a":1}`: "duplicate_key", `{"a":"\ud800"}`: "encoding",
		"{\"a\":\"\xff\"}": "encoding", `{"a":1e999}`: "number", "\ufeff{}": "extra_text", "{}\u00a0": "extra_text",
		`{"a":` + strings.Repeat("[", 10_001): "too_deep", `[]`: "type",
	} {
		_, err := p.Parse(text)
		require.Equal(t, code, issuesOf(t, err)[0].Code, text[:min(len(text), 30)])
	}
}

// TestLenientCodes are the failures that a caller tells apart.
func TestLenientCodes(t *testing.T) {
	p := mustJSON[map[string]int](t)
	for text, code := range map[string]string{
		"": "no_value", "Sorry, no.": "no_value", `{"a": 1`: "truncated", `{"a": 1, b}`: "syntax", "<think>so": "truncated", `{"a": "x"}`: "type",
		"```json\n{\"a\": 1,\n```": "truncated", `{"a":1} {"a":2}`: "ambiguous", `{"a":1,"a":2}`: "duplicate_key", `["a"]`: "type", `so ["a"]`: "no_value",
		`<tool_call>{"a":1}`: "tool_call", `{"$schema":"x","type":"object","properties":{}}`: "schema_echo", `{"a":1e999}`: "number",
	} {
		_, err := p.Parse(text)
		require.Equal(t, code, issuesOf(t, err)[0].Code, text)
	}
}
