package llmretry_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/outputparser"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// schemaParser is a parser with a schema and issues.
type schemaParser struct{ llmretry.ParserFunc[string] }

func (schemaParser) Schema() json.RawMessage { return json.RawMessage(`{"type":"string"}`) }

// schemaError is a validator's error with a schema and issues of its own.
type schemaError struct{}

func (schemaError) Error() string           { return "not like that" }
func (schemaError) Issues() llmretry.Issues { return llmretry.Issues{{Path: "/x", Code: "required"}} }
func (schemaError) Schema() json.RawMessage { return json.RawMessage(`{"required":["x"]}`) }

// Semantics F1, F2: what a refusal carries, from parser and from validator.
func TestFailureSurface(t *testing.T) {
	output := " ```json\n\"bad\"\n``` "
	_, _, err := ask(t, decorate(t, newScript(t, stops(output, "length")), llmretry.WithParser(schemaParser{want("good")})))
	var refusal *llmretry.StructuredOutputError
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, output, refusal.OutputContent, "verbatim")
	assert.Contains(t, refusal.ErrorMessage, "/word")
	assert.Equal(t, "check", refusal.Issues[0].Code)
	assert.JSONEq(t, `{"type":"string"}`, string(refusal.Schema))
	assert.Equal(t, llmretry.FinishLength, refusal.FinishReason)
	assert.Equal(t, llmretry.Usage{
		Input: llmretry.Count{N: 10, Known: true}, Output: llmretry.Count{N: len(output), Known: true}, Total: llmretry.Count{N: 10 + len(output), Known: true},
	}, refusal.Usage)
	assert.Equal(t, 0, refusal.Attempt)
	assert.Equal(t, output, refusal.Response.Choices[refusal.Choice].Content)
	assert.NotContains(t, err.Error(), "```", "Error() is short")

	_, _, err = ask(t, decorate(t, newScript(t, says("x")), llmretry.WithValidator(func(context.Context, *llms.ContentResponse) error { return schemaError{} })))
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, llmretry.Issues{{Path: "/x", Code: "required"}}, refusal.Issues)
	assert.JSONEq(t, `{"required":["x"]}`, string(refusal.Schema))
	assert.Equal(t, "not like that", refusal.ErrorMessage)
	assert.ErrorIs(t, err, schemaError{})
}

// Semantics F1: validators run once per response, in the order given, after the parser; the accepted choice is first.
func TestValidators(t *testing.T) {
	var order []string
	validator := func(name string, err error) llmretry.Option {
		return llmretry.WithValidator(func(_ context.Context, r *llms.ContentResponse) error {
			order = append(order, name+" "+r.Choices[0].Content)
			return err
		})
	}
	s := newScript(t, choices(choice("bad", "stop"), choice("good", "stop")))
	_, report, err := ask(t, decorate(t, s, validator("v1", nil), llmretry.WithParser(want("good")), validator("v2", errors.New("no")), validator("v3", nil)))
	assert.ErrorIs(t, err, llmretry.ErrStructuredOutputInvalid)
	assert.Equal(t, []string{"v1 good", "v2 good"}, order)
	var refusal *llmretry.StructuredOutputError
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, 1, refusal.Choice)
	assert.Equal(t, "good", report.Attempts[0].Output)
}

// Semantics F3: a response with tool calls is returned as it is, never judged as structured output, unless a tool
// validator was given; the typed entry says so.
func TestToolCallsPass(t *testing.T) {
	calling := choices(choice("some text", "tool_calls"))
	calling.response.Choices[0].ToolCalls = []llms.ToolCall{callsTool("t1", "weather", "{")}
	legacy := choices(&llms.ContentChoice{FuncCall: &llms.FunctionCall{Name: "weather"}})
	block := choices(choice("text block", "tool_use"), calling.response.Choices[0])
	judges := []llmretry.Option{llmretry.WithParser(want("good")), llmretry.WithReask(words),
		llmretry.WithValidator(func(context.Context, *llms.ContentResponse) error { return errors.New("judged") })}
	for name, r := range map[string]reply{"tool calls": calling, "legacy function call": legacy, "a block of its own": block} {
		t.Run(name, func(t *testing.T) {
			response, _, err := ask(t, decorate(t, newScript(t, r), judges...))
			require.NoError(t, err)
			assert.Same(t, r.response, response)

			result, err := llmretry.Generate(t.Context(), decorate(t, newScript(t, r), judges...), want("good"), hello)
			assert.Same(t, llmretry.ErrToolCalls, err)
			assert.Same(t, r.response, result.Response)
			assert.NoError(t, result.Report.Err)
			assert.Empty(t, result.Value)
		})
	}
	_, _, err := ask(t, decorate(t, newScript(t, calling), llmretry.WithToolValidator(func(context.Context, *llms.ContentResponse) error { return errors.New("judged") })))
	assert.ErrorIs(t, err, llmretry.ErrStructuredOutputInvalid)
}

// toolParser reads its value from the arguments of its own tool.
type toolParser struct{ llmretry.ParserFunc[string] }

func (toolParser) ToolName() string { return "answer" }

// Semantics F1, F3, E13: the payload may be the call of the parser's own declared tool, in any choice, in ToolCalls or
// FuncCall; a response that calls anything else too is the caller's business.
func TestOwnTool(t *testing.T) {
	calls := func(list ...llms.ToolCall) reply {
		return choices(choice("a block of text", "tool_use"), &llms.ContentChoice{ToolCalls: list})
	}
	legacy := choices(&llms.ContentChoice{FuncCall: &llms.FunctionCall{Name: "answer", Arguments: "good"}})
	for name, good := range map[string]reply{
		"tool call": calls(callsTool("1", "answer", "good")), "legacy call": legacy, "text": says("good"),
		"the second of two": calls(callsTool("1", "answer", "bad"), callsTool("2", "answer", "good")),
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t, calls(callsTool("1", "answer", "bad")), good)
			result, err := llmretry.Generate(t.Context(), decorate(t, s, llmretry.WithReask(words)), toolParser{want("good")}, hello)
			require.NoError(t, err)
			assert.Equal(t, "good", result.Value)
			assert.Equal(t, []string{"human: hello", "ai: a block of text\n{\"name\": \"answer\", \"arguments\": \"bad\"}", "human: wrong 0: /word: want good, got bad"}, texts(s.requests()[1].messages))
		})
	}
	mixed := calls(callsTool("1", "answer", "bad"), callsTool("2", "weather", "{}"))
	result, err := llmretry.Generate(t.Context(), decorate(t, newScript(t, mixed), llmretry.WithReask(words)), toolParser{want("good")}, hello)
	assert.Same(t, llmretry.ErrToolCalls, err)
	assert.Same(t, mixed.response, result.Response)

	empty := calls(callsTool("1", "answer", ""))
	_, err = llmretry.Generate(t.Context(), decorate(t, newScript(t, empty)), toolParser{want("good")}, hello)
	assert.ErrorIs(t, err, llmretry.ErrStructuredOutputInvalid, "arguments that are blank are an answer, and a wrong one")
}

// Semantics F5: the value is decoded fresh per attempt; value, response and usage belong to the accepted one.
func TestGenerateIsFresh(t *testing.T) {
	type record struct{ A, B string }
	parser := llmretry.ParserFunc[record](func(text string) (record, error) {
		var v record
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			return v, err
		}
		if v.A == "" {
			return v, errors.New("A is missing")
		}
		return v, nil
	})
	s := newScript(t, says(`{"B":"leaked"}`), says(`{"A":"x"}`))
	m := decorate(t, s, llmretry.WithReask(words), llmretry.WithParser(want("replaced by Generate's parser")))
	result, err := llmretry.Generate(t.Context(), m, parser, hello)
	require.NoError(t, err)
	assert.Equal(t, record{A: "x"}, result.Value)
	assert.Same(t, s.replies[1].response, result.Response)
	assert.Equal(t, "0 structured_output_invalid, 1 reask ok", summary(result.Report))

	m = decorate(t, newScript(t, says(`{"A":"x"}`)), llmretry.WithValidator(func(context.Context, *llms.ContentResponse) error { return errors.New("no") }))
	result, err = llmretry.Generate(t.Context(), m, parser, hello)
	assert.ErrorIs(t, err, llmretry.ErrStructuredOutputInvalid)
	assert.Zero(t, result.Value, "what a validator refused is nobody's")
	assert.NotNil(t, result.Report)
}

// Semantics F6: a truncated output is reasked like any other; with WithTruncationOverride it is retried with that
// override, which stays in force, or ends the call; one that validates is a success.
func TestTruncation(t *testing.T) {
	judges := []llmretry.Option{llmretry.WithParser(want("good")), llmretry.WithReask(words), llmretry.WithMaxAttempts(4)}
	larger := llmretry.WithTruncationOverride(llmretry.Set(llms.WithMaxTokens(200)), llmretry.Set(llms.WithMaxTokens(400)))

	_, report, err := ask(t, decorate(t, newScript(t, stops("go", "length"), says("good")), judges...))
	require.NoError(t, err)
	assert.Equal(t, "0 structured_output_invalid, 1 reask ok", summary(report), "no handling configured")

	s := newScript(t, stops("go", "length"), says("bad"), stops("go", "max_tokens"), says("good"))
	_, report, err = ask(t, decorate(t, s, append(judges, larger, llmretry.WithPerAttemptOverride(llmretry.Set(llms.WithTemperature(0.5), llms.WithMaxTokens(50))))...), llms.WithMaxTokens(100))
	require.NoError(t, err)
	assert.Equal(t, "0 truncated, 1 transient structured_output_invalid, 2 reask truncated, 3 transient ok", summary(report))
	var limits []int
	for _, r := range s.requests() {
		limits = append(limits, r.options.MaxTokens)
	}
	assert.Equal(t, []int{100, 200, 200, 400}, limits, "after the schedule's entry, and staying in force")
	assert.Equal(t, []float64{0, 0.5, 0.5, 0.5}, s.temperatures())
	assert.Equal(t, []string{"human: hello"}, texts(s.requests()[1].messages), "nothing appended")

	_, report, err = ask(t, decorate(t, newScript(t, stops("go", "length"), says("good")), llmretry.WithParser(want("good")), larger))
	require.NoError(t, err, "no builder needed")
	assert.Equal(t, "0 truncated, 1 transient ok", summary(report))

	_, report, err = ask(t, decorate(t, newScript(t, stops("", "length"), says("good")), llmretry.WithParser(want("good")), larger))
	require.NoError(t, err, "the limit was spent before the answer began")
	assert.Equal(t, "0 truncated, 1 transient ok", summary(report))

	_, report, err = ask(t, decorate(t, newScript(t, stops("go", "length")), append(judges, llmretry.WithTruncationOverride(llmretry.Stop()))...))
	assert.Equal(t, llmretry.CategoryTruncated, llmretry.Category(err))
	assert.NotErrorIs(t, err, llmretry.ErrStructuredOutputInvalid)
	var refusal *llmretry.StructuredOutputError
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, "go", refusal.OutputContent)
	assert.Equal(t, "0 truncated", summary(report))

	_, report, err = ask(t, decorate(t, newScript(t, stops("good", "length")), append(judges, larger)...))
	require.NoError(t, err)
	assert.Equal(t, "0 ok", summary(report))
}

// Semantics F7: filtered content is final and never accepted, even when it validates; another valid choice is. Without
// a judge it is returned as it is.
func TestContentFilter(t *testing.T) {
	judges := []llmretry.Option{llmretry.WithParser(want("good")), llmretry.WithReask(words)}
	for _, reason := range []string{"content_filter", "refusal", "content_filtered", "CONTENT_FILTERED"} {
		for _, content := range []string{"good", "bad", ""} {
			_, report, err := ask(t, decorate(t, newScript(t, stops(content, reason)), judges...))
			assert.Equal(t, llmretry.CategoryContentFiltered, llmretry.Category(err))
			assert.NotErrorIs(t, err, llmretry.ErrStructuredOutputInvalid)
			var refusal *llmretry.StructuredOutputError
			require.ErrorAs(t, err, &refusal)
			assert.Equal(t, content, refusal.OutputContent)
			assert.Equal(t, llmretry.FinishContentFilter, refusal.FinishReason)
			assert.True(t, refusal.Usage.Total.Known)
			assert.Equal(t, "0 content_filtered", summary(report))
		}
	}
	response, _, err := ask(t, decorate(t, newScript(t, choices(choice("good", "content_filter"), choice("good", "stop"))), judges...))
	require.NoError(t, err)
	assert.Equal(t, "stop", response.Choices[0].StopReason)

	_, _, err = ask(t, decorate(t, newScript(t, stops("", "content_filter"))))
	assert.NoError(t, err, "nobody judges")
}

// Semantics F8: nothing where an answer should be is empty_response, transient, never a panic and never (nil, nil).
func TestEmptyResponse(t *testing.T) {
	judge := llmretry.WithValidator(func(context.Context, *llms.ContentResponse) error { return nil })
	for name, tt := range map[string]struct {
		reply  reply
		judged bool // only with a judge
	}{
		"nil response":    {reply{}, false},
		"no choices":      {choices(), false},
		"all choices nil": {choices(nil, nil), false},
		"blank content":   {says(" \n"), true},
		"blank and nil":   {choices(nil, choice("", "")), true},
	} {
		t.Run(name, func(t *testing.T) {
			response, report, err := ask(t, decorate(t, newScript(t, tt.reply, tt.reply), llmretry.WithMaxAttempts(2), judge))
			assert.Nil(t, response)
			assert.Equal(t, llmretry.CategoryEmptyResponse, llmretry.Category(err))
			assert.Equal(t, "0 empty_response, 1 transient empty_response", summary(report))

			response, err = decorate(t, newScript(t, tt.reply), llmretry.WithMaxAttempts(1)).GenerateContent(t.Context(), hello)
			if tt.judged {
				require.NoError(t, err)
				require.NotNil(t, response.Choices[0])
			} else {
				assert.Equal(t, llmretry.CategoryEmptyResponse, llmretry.Category(err))
			}
		})
	}
	text, err := decorate(t, newScript(t, choices(nil, choice("a", "stop")))).Call(t.Context(), "hello")
	require.NoError(t, err, "chains read choice 0")
	assert.Equal(t, "a", text)
}

// Semantics F9: choices are looked at in order, the first valid one is accepted; when all are refused the first one
// that is not blank is judged and replayed.
func TestChoices(t *testing.T) {
	s := newScript(t, choices(nil, choice("", ""), choice("bad 1", "stop"), choice("bad 2", "stop")), choices(choice("", ""), choice("good", "stop")))
	response, report, err := ask(t, decorate(t, s, llmretry.WithParser(want("good")), llmretry.WithReask(words)))
	require.NoError(t, err)
	assert.Equal(t, []string{"human: hello", "ai: bad 1", "human: wrong 0: /word: want good, got bad 1"}, texts(s.requests()[1].messages))
	assert.Equal(t, 1, report.Choice)
	assert.Equal(t, "good", response.Choices[0].Content)
	assert.Len(t, response.Choices, 2)
}

// Semantics J2: a panic in a parser refuses the output (langchaingo's own Defined panics on a short one); one in a
// validator or in the model is a bug: final, typed, with the stack.
func TestPanics(t *testing.T) {
	defined, err := outputparser.NewDefined(struct{ A string }{})
	require.NoError(t, err)
	_, report, err := ask(t, decorate(t, newScript(t, says("{}"), says("```json\n{\"A\":\"x\"}\n```")), llmretry.WithParser(defined), llmretry.WithReask(words)))
	require.NoError(t, err)
	assert.Equal(t, "0 structured_output_invalid, 1 reask ok", summary(report))
	var panicked *llmretry.PanicError
	assert.ErrorAs(t, report.Attempts[0].Err, &panicked)

	cause := errors.New("index out of range")
	for name, m := range map[string]*llmretry.Model{
		"model":          decorate(t, newScript(t, reply{panics: cause})),
		"validator":      decorate(t, newScript(t, says("a")), llmretry.WithReask(words), llmretry.WithValidator(func(context.Context, *llms.ContentResponse) error { panic(cause) })),
		"tool validator": decorate(t, newScript(t, choices(&llms.ContentChoice{ToolCalls: []llms.ToolCall{{}}})), llmretry.WithReask(words), llmretry.WithToolValidator(func(context.Context, *llms.ContentResponse) error { panic(cause) })),
	} {
		t.Run(name, func(t *testing.T) {
			_, report, err := ask(t, m)
			require.ErrorAs(t, err, &panicked)
			assert.ErrorIs(t, err, cause)
			assert.Contains(t, string(panicked.Stack), "_test.go")
			assert.Equal(t, "0 panic", summary(report))
			assert.NotErrorIs(t, err, llmretry.ErrStructuredOutputInvalid)
		})
	}

	for name, opt := range map[string]llmretry.Option{
		"builder":  llmretry.WithReask(func(context.Context, llmretry.Failure) (string, error) { panic(cause) }),
		"hook":     llmretry.WithOnRetry(func(context.Context, error, int) { panic(cause) }),
		"observer": llmretry.WithObserver(llmretry.Observer{Retry: func(context.Context, llmretry.Attempt, time.Duration) { panic(cause) }}),
	} {
		t.Run(name+" propagates", func(t *testing.T) {
			m := decorate(t, newScript(t, says("bad")), llmretry.WithParser(want("good")), llmretry.WithReask(words), opt)
			assert.PanicsWithValue(t, cause, func() { _, _ = m.GenerateContent(t.Context(), hello) })
		})
	}
}
