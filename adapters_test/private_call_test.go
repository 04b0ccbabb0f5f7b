package adapters_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

// privately is one way for a call to end. quotes means that the provider puts what it was sent into its error: then the
// error's text is the provider's and the only thing that may have it.
type privately struct {
	name    string
	ends    llmretry.ErrorCategory
	answer  func(r *received) reply // nil: nobody listens
	quotes  bool
	options []llmretry.Option
}

func privateCalls(t *testing.T) []privately {
	t.Helper()
	return append(append(privateOutputs(t), privateTroubles()...), privateStatuses()...)
}

// privateOutputs are answers that a parser or validator is asked about.
func privateOutputs(t *testing.T) []privately {
	t.Helper()
	const refused = llmretry.CategoryStructuredOutputInvalid
	output := private["output"]
	quoting := llmretry.ParserFunc[string](func(text string) (string, error) { return "", fmt.Errorf("no use: %q", text) })
	blank := func(context.Context, llmretry.Failure) (string, error) { return " ", nil }
	return []privately{
		{name: "accepted", answer: answered(`{"Name": "`+output+`", "Age": 1}`, "stop")},
		{name: "wrong type", ends: refused, answer: answered(`{"Name": "x", "Age": "`+output+`"}`, "stop")},
		{name: "a property too many", ends: refused, answer: answered(`{"Name": "x", "Age": 1, "`+private["property"]+`": "`+output+`"}`, "stop")},
		{name: "broken", ends: refused, answer: answered(`{"Name": "`+output+`",, }`, "stop")},
		{name: "prose", ends: refused, answer: answered("I will not, "+output, "stop")},
		{name: "cut at the limit", ends: refused, answer: answered(`{"Name": "`+output, "length")},
		{name: "truncated", ends: llmretry.CategoryTruncated, answer: answered(`{"Name": "`+output, "length"),
			options: []llmretry.Option{llmretry.WithTruncationOverride(llmretry.Stop())}},
		{name: "filtered", ends: llmretry.CategoryContentFiltered, answer: answered("Never, "+output, "content_filter")},
		{name: "a parser that quotes", ends: refused, answer: answered("Well, "+output, "stop"), options: []llmretry.Option{llmretry.WithParser(quoting)}},
		{name: "tool arguments", ends: refused, answer: privateToolCall, options: []llmretry.Option{llmretry.WithToolValidator(saves(t))}},
		{name: "the builder fails", ends: refused, answer: answered(output, "stop"), options: []llmretry.Option{llmretry.WithReask(blank)}},
		{name: "empty", ends: llmretry.CategoryEmptyResponse, answer: answered("", "stop")},
	}
}

// privateTroubles are those of the connection and of what comes over it.
func privateTroubles() []privately {
	answers := func(r reply) func(*received) reply { return func(*received) reply { return r } }
	return []privately{
		{name: "gone", ends: llmretry.CategoryUnavailable},
		{name: "dropped", ends: llmretry.CategoryUnavailable, answer: answers(reply{fault: drop})},
		{name: "cut off", ends: llmretry.CategoryUnavailable, answer: answers(reply{body: `{"choices": [{"message": {"content": "` + private["output"], fault: cut})},
		{name: "no JSON", ends: llmretry.CategoryInvalidResponse, answer: answers(reply{body: "<p>" + private["output"] + "</p>"})},
		{name: "timeout", ends: llmretry.CategoryAttemptTimeout, answer: answers(reply{fault: hang}),
			options: []llmretry.Option{llmretry.WithAttemptTimeout(30 * time.Millisecond)}},
	}
}

func privateStatuses() []privately {
	var calls []privately
	for status, ends := range map[int]llmretry.ErrorCategory{
		400: llmretry.CategoryInvalidRequest, 401: llmretry.CategoryAuthentication, 404: llmretry.CategoryInvalidModel,
		429: llmretry.CategoryRateLimit, 500: llmretry.CategoryUnavailable, 503: llmretry.CategoryUnavailable,
	} {
		for _, quotes := range []bool{false, true} {
			name := map[bool]string{false: "", true: " quoting"}[quotes]
			calls = append(calls, privately{name: fmt.Sprint(status) + name, ends: ends, quotes: quotes, answer: privateError(status, quotes)})
		}
	}
	return calls
}

// answered is an answer with that text.
func answered(text, finish string) func(*received) reply {
	return func(r *received) reply {
		return reply{body: chatCompletion(r, answer{text: text, stop: finish, in: 9, out: 5})}
	}
}

func privateError(status int, quotes bool) func(*received) reply {
	return func(r *received) reply {
		message := "it did not work"
		if quotes {
			message = "it did not work with " + string(r.Raw) + " of " + r.Header.Get("Authorization") + " at " + r.Path
		}
		body, _ := json.Marshal(openaiError(status, message))
		return reply{status: status, body: string(body), header: map[string]string{"X-Private": private["reply header"]}}
	}
}

func privateToolCall(*received) reply {
	call := object{"id": "1", "type": "function", "function": object{"name": "save", "arguments": `{"n": "` + private["argument"] + `"}`}}
	message := object{"role": "assistant", "content": private["output"], "tool_calls": []any{call}}
	body, _ := json.Marshal(object{"choices": []any{object{"finish_reason": "tool_calls", "message": message}}})
	return reply{body: string(body)}
}

// saves accepts calls of save with a number.
func saves(t *testing.T) llmretry.Validator {
	t.Helper()
	v, err := outputparser.ToolArguments([]llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{
		Name: "save",
		Parameters: map[string]any{
			"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer"}}, "additionalProperties": false,
		},
	}}})
	require.NoError(t, err)
	return v
}
