package adapters_test

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/tmc/langchaingo/llms"
	"go.yaml.in/yaml/v3"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// reporter is the part of testing.TB that checks use: with a recording one the runner is tested itself.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Logf(format string, args ...any)
}

// check holds a played call against its expectation, and against what holds for every call.
func check(r reporter, c *fixtureCall, p *played) {
	r.Helper()
	checkOutcome(r, c.Expected, p)
	checkCount(r, c, p)
	checkWire(r, c, p)
	checkSpans(r, c.Expected.LLMSpans, p.attemptSpans())
	checkRecordedSpans(r, p)
	checkRules(r, c, p)
	checkInvariants(r, c, p)
}

func checkOutcome(r reporter, e *expectation, p *played) {
	r.Helper()
	switch {
	case e.Response != nil && p.err != nil:
		r.Errorf("want a response, got the error %q of category %q", p.err, llmretry.Category(p.err))
	case e.Response != nil:
		checkResponse(r, e.Response, p)
	case p.err == nil:
		r.Errorf("want an error of category %q, got a response", e.Raises.Category)
	default:
		checkError(r, e.Raises, p.err)
	}
}

func checkResponse(r reporter, e *expectedResponse, p *played) {
	r.Helper()
	if p.response == nil || len(p.response.Choices) == 0 || p.response.Choices[0] == nil {
		r.Errorf("the response has no choice")
		return
	}
	choice, last := p.response.Choices[0], p.attempts[len(p.attempts)-1]
	if e.Message != nil {
		checkAnswer(r, e.Message, choice)
	}
	checkFinish(r, "finish_reason", e.FinishReason, last.FinishReason)
	checkUsage(r, "usage", e.Usage, last.Usage)
	checkUsage(r, "usage of the response itself", e.Usage, usageIn(choice.GenerationInfo))
	if !isSet(e.Parsed) {
		return
	}
	if want := valueOf(e.Parsed); want == nil {
		assert.False(r, p.hasValue, "parsed: want none, got %s", show(p.value))
	} else {
		assert.True(r, p.hasValue && sameJSON(want, p.value), "parsed: want %s, got %s", show(want), show(p.value))
	}
}

// checkAnswer compares a message with a choice, which has no role: an answer is the assistant's.
func checkAnswer(r reporter, m *fixtureMessage, choice *llms.ContentChoice) {
	r.Helper()
	if m.Role != "" {
		assert.Equal(r, "assistant", m.Role, "role of the answer")
	}
	if text, _ := m.content(); text != nil {
		assert.Equal(r, *text, choice.Content, "content")
	}
	for _, part := range m.ContentContains {
		assert.Contains(r, choice.Content, part, "content")
	}
	if !assert.Len(r, choice.ToolCalls, len(m.ToolCalls), "tool_calls") {
		return
	}
	for i, want := range m.ToolCalls {
		got := choice.ToolCalls[i]
		assert.Equal(r, want.ID, got.ID, "id of tool call %d", i)
		if !assert.NotNil(r, got.FunctionCall, "function of tool call %d", i) {
			continue
		}
		assert.Equal(r, want.Name, got.FunctionCall.Name, "name of tool call %d", i)
		if want.Arguments != nil {
			assert.True(r, sameJSON(want.Arguments, json.RawMessage(got.FunctionCall.Arguments)),
				"arguments of tool call %d: want %s, got %s", i, show(want.Arguments), got.FunctionCall.Arguments)
		}
	}
}

func checkError(r reporter, e *expectedError, err error) {
	r.Helper()
	if e.Category != "" {
		assert.Equal(r, e.Category, string(llmretry.Category(err)), "category of %q", err)
	}
	assert.Contains(r, err.Error(), e.Message, "the error's text")
	if e.Carries == nil {
		return
	}
	var surface *llmretry.StructuredOutputError
	if !errors.As(err, &surface) {
		r.Errorf("carries: %T carries no failure surface", err)
		return
	}
	checkSurface(r, e.Carries, &surface.Failure)
}

// checkSurface is semantics F2.
func checkSurface(r reporter, e *expectedSurface, f *llmretry.Failure) {
	r.Helper()
	if e.ResponseSchemaPresent != nil {
		assert.Equal(r, *e.ResponseSchemaPresent, json.Valid(f.Schema), "response_schema_present")
	}
	if e.OutputContent != nil {
		assert.Equal(r, *e.OutputContent, f.OutputContent, "output_content")
	}
	if e.ErrorMessagePresent != nil {
		assert.Equal(r, *e.ErrorMessagePresent, strings.TrimSpace(f.ErrorMessage) != "", "error_message_present")
	}
	for _, part := range e.ErrorMessageMentions {
		assert.Contains(r, f.ErrorMessage, part, "error_message_mentions")
	}
	checkFinish(r, "finish_reason carried", e.FinishReason, f.FinishReason)
	checkUsage(r, "usage carried", e.Usage, f.Usage)
}

// checkFinish reads a null as "the provider gave none".
func checkFinish(r reporter, what string, n yaml.Node, got llmretry.FinishReason) {
	r.Helper()
	if !isSet(n) {
		return
	}
	want, ok := valueOf(n).(string)
	if !ok {
		want = string(llmretry.FinishUnknown)
	}
	assert.Equal(r, want, string(got), what)
}

// checkUsage compares the counters that are named; null is not reported, for one counter or for all. (Semantics F10.)
func checkUsage(r reporter, what string, n yaml.Node, got llmretry.Usage) {
	r.Helper()
	if !isSet(n) {
		return
	}
	counts := map[string]llmretry.Count{
		"prompt_tokens": got.Input, "completion_tokens": got.Output, "total_tokens": got.Total,
	}
	want, _ := valueOf(n).(map[string]any)
	if want == nil {
		want = map[string]any{"prompt_tokens": nil, "completion_tokens": nil, "total_tokens": nil}
	}
	for name, v := range want {
		expected := llmretry.Count{}
		if n, ok := v.(int); ok {
			expected = llmretry.Count{N: n, Known: true}
		}
		assert.Equal(r, expected.String(), counts[name].String(), "%s: %s", what, name)
	}
}

// usageIn reads the clients' GenerationInfo, which makes zeros of a usage that did not come. anthropic's has no total.
func usageIn(info map[string]any) llmretry.Usage {
	count := func(keys ...string) llmretry.Count {
		for _, key := range keys {
			if n, ok := info[key].(int); ok {
				return llmretry.Count{N: n, Known: true}
			}
		}
		return llmretry.Count{}
	}
	u := llmretry.Usage{Input: count("PromptTokens", "InputTokens"), Output: count("CompletionTokens", "OutputTokens"), Total: count("TotalTokens")}
	if !u.Total.Known {
		u.Total = llmretry.Count{N: u.Input.N + u.Output.N, Known: u.Input.Known && u.Output.Known}
	}
	if u.Input.N == 0 && u.Output.N == 0 && u.Total.N == 0 {
		return llmretry.Usage{}
	}
	return u
}
