package reaskprompt_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/reaskprompt"
)

// Semantics E1, E2: the text is the caller's, with the failure of that attempt in the placeholders.
func TestFormat(t *testing.T) {
	f := llmretry.Failure{OutputContent: "OUT", ErrorMessage: "ERR", Issues: llmretry.Issues{{Path: "/a", Code: "type"}, {Path: "/b", Code: "enum"}}}
	tests := []struct{ name, text, want string }{
		{"no placeholder", "Answer with JSON.", "Answer with JSON."},
		{"all", "{output_content}|{error_message}|{issues}", "OUT|ERR|/a: type\n/b: enum"},
		{"twice", "{error_message}{error_message}", "ERRERR"},
		{"white space kept", "\n {error_message} \n", "\n ERR \n"},
		{"not ASCII", "→{error_message}←", "→ERR←"},

		{"JSON as it is", `{"priority": "low", "tags": {}, "at": {"x": {"y": 1}}}`, `{"priority": "low", "tags": {}, "at": {"x": {"y": 1}}}`},
		{"JSON compact", `{"a":{"b":{"c":1}}}`, `{"a":{"b":{"c":1}}}`},
		{"JSON around a placeholder", `{"a":{"previous":{output_content}}}`, `{"a":{"previous":OUT}}`},
		{"JSON with a pattern", `{"pattern":"^a{2}b{1,3}$"}`, `{"pattern":"^a{2}b{1,3}$"}`},
		{"JSON doubled", `{{"a": {{"b": 1}}}}`, `{"a": {"b": 1}}`},
		{"JSON doubled around a placeholder", `{{"previous": {output_content}}}`, `{"previous": OUT}`},
		{"JSON half doubled", `{{"a":{"b":1}}}`, `{"a":{"b":1}}`},

		{"escaped placeholder", "{{issues}}", "{issues}"},
		{"escaped braces around one", "{{{issues}}}", "{/a: type\n/b: enum}"},
		{"escaped unknown", "/users/{{id}}", "/users/{id}"},
		{"lone braces", "{ } }{ {", "{ } }{ {"},
		{"escaped lone braces", "{{ }} }}", "{ } }"},
		{"not an identifier", "{ issues } {a-b} {1} {} {é}", "{ issues } {a-b} {1} {} {é}"},
		{"unclosed", "{issues", "{issues"},
		{"go template", "{{.Issues}}", "{.Issues}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := reaskprompt.Format(tt.text)
			require.NoError(t, err)
			assert.Equal(t, tt.want, build(t, b, f))
			assert.Equal(t, tt.want, build(t, b, f), "a builder holds nothing of a call")
		})
	}
}

// The inserted texts are not searched for placeholders: the model cannot make the correction repeat its own output.
func TestFormatIsOnePass(t *testing.T) {
	b, err := reaskprompt.Format("<{output_content}> <{error_message}>")
	require.NoError(t, err)
	f := llmretry.Failure{OutputContent: "{error_message} {{x}} {nope}", ErrorMessage: "{output_content}"}
	assert.Equal(t, "<{error_message} {{x}} {nope}> <{output_content}>", build(t, b, f))
}

func TestFormatWithoutIssues(t *testing.T) {
	b, err := reaskprompt.Format("Wrong: {issues}")
	require.NoError(t, err)
	assert.Equal(t, "Wrong: parsing outputs: no key priority in the text", build(t, b, foreign()), "the message, on one line")
	assert.Equal(t, "Wrong: ", build(t, b, llmretry.Failure{}))
}

func TestFormatRefuses(t *testing.T) {
	tests := []struct{ name, text, names string }{
		{"empty", "", "blank"},
		{"blank", " \n\t", "blank"},
		{"misspelt", "Wrong: {outptu}", "{outptu}"},
		{"another case", "Wrong: {Issues}", "{Issues}"},
		{"several", "{a} {issues} {b}", "{a}, {b}"},
		{"inside JSON", `{"path":"/users/{id}"}`, "{id}"},
		{"half escaped", "{{{nope}}}", "{nope}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := reaskprompt.Format(tt.text)
			assert.Nil(t, b)
			require.ErrorIs(t, err, llmretry.ErrInvalidOption)
			assert.ErrorContains(t, err, tt.names)
		})
	}
}

func FuzzFormat(f *testing.F) {
	for _, text := range []string{"{issues}", "{{issues}}", `{"a":{"b":{output_content}}}`, "{{{error_message}}}", "}}{{", "{x}", "a{", "}"} {
		f.Add(text, "out {issues} }}")
	}
	f.Fuzz(func(t *testing.T, text, output string) {
		b, err := reaskprompt.Format(text)
		if err != nil {
			require.Nil(t, b)
			require.ErrorIs(t, err, llmretry.ErrInvalidOption)
			return
		}
		const stand = "\x00stand-in\x00"
		if strings.Contains(text, "\x00") {
			return
		}
		// One pass: what is inserted never changes what is around it.
		with := build(t, b, llmretry.Failure{OutputContent: stand})
		got := build(t, b, llmretry.Failure{OutputContent: output})
		require.Equal(t, strings.ReplaceAll(with, stand, output), got)

		// Without placeholders and doubled braces, text is itself.
		if !regexp.MustCompile(`\{\{|\}\}|\{(output_content|error_message|issues)\}`).MatchString(text) {
			require.Equal(t, text, got)
		}
		// Text with all braces doubled comes out as it was.
		doubled := strings.NewReplacer("{", "{{", "}", "}}").Replace(text)
		b, err = reaskprompt.Format(doubled)
		require.NoError(t, err)
		require.Equal(t, text, build(t, b, llmretry.Failure{}))
	})
}

func ExampleFormat() {
	builder, err := reaskprompt.Format("{output_content} was refused: {error_message}\nThe form is {\"priority\": \"low\"}.")
	if err != nil {
		panic(err)
	}
	text, _ := builder(context.Background(), llmretry.Failure{
		OutputContent: `{"priority": "urgent"}`,
		ErrorMessage:  "/priority: want low or high",
	})
	fmt.Println(text)

	_, err = reaskprompt.Format("{outptu_content} was refused")
	fmt.Println(err)
	// Output:
	// {"priority": "urgent"} was refused: /priority: want low or high
	// The form is {"priority": "low"}.
	// llmretry: invalid option: reaskprompt.Format: unknown placeholder {outptu_content}; want {output_content}, {error_message}, {issues}, or doubled braces for the text itself
}
