package outputparser_test

import (
	"context"
	"errors"
	"testing"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

func call(name, arguments string) llms.ToolCall {
	return llms.ToolCall{Type: "function", FunctionCall: &llms.FunctionCall{Name: name, Arguments: arguments}}
}

func TestToolArguments(t *testing.T) {
	free := llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: "free"}}
	validate, err := outputparser.ToolArguments([]llms.Tool{mustJSON[person](t).Tool("person", ""), free})
	require.NoError(t, err)
	judge := func(calls ...llms.ToolCall) error {
		return validate(context.Background(), &llms.ContentResponse{Choices: []*llms.ContentChoice{nil, {ToolCalls: calls}}})
	}
	require.NoError(t, judge(call("person", ` {"name":"Ada","age":36} `)))
	require.NoError(t, judge(call("free", ""), call("free", `{"any":[1]}`)))
	require.NoError(t, judge())
	require.NoError(t, validate(context.Background(), nil))

	err = judge(call("person", `{"name":"Ada"}`), call("nobody", `{}`), llms.ToolCall{}, call("free", `[]`), call("free", `{`))
	require.Equal(t, []string{
		`tool call 0 (person): /age: required property is missing, want integer`,
		`tool call 1: unknown tool, want one of "person", "free", got "nobody"`,
		`tool call 2: names no tool, want one of "person", "free"`,
		`tool call 3 (free): output: want object, got "[]"`,
		`tool call 4 (free): output: ends inside the JSON value, got "{"`,
	}, messages(issuesOf(t, err)))
	var own *outputparser.Error
	require.ErrorAs(t, err, &own)
	require.Contains(t, string(own.Schema()), `"age"`)

	old := &llms.ContentResponse{Choices: []*llms.ContentChoice{{FuncCall: &llms.FunctionCall{Name: "person", Arguments: "{}"}}}}
	require.Len(t, issuesOf(t, validate(context.Background(), old)), 2)
}

func messages(issues llmretry.Issues) (all []string) {
	for _, issue := range issues {
		all = append(all, issue.Message)
	}
	return all
}

type unwritable struct{}

func (unwritable) MarshalJSON() ([]byte, error) { panic("boom") }

func TestToolArgumentsConstructor(t *testing.T) {
	tool := func(name string, parameters any) llms.Tool {
		return llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: name, Parameters: parameters}}
	}
	for name, tools := range map[string][]llms.Tool{
		"none": nil, "no function": {{}}, "blank": {tool(" ", nil)}, "twice": {tool("a", nil), tool("a", nil)},
		"no schema": {tool("a", 1)}, "bad schema": {tool("a", map[string]any{"type": "strin"})},
		"channel": {tool("a", make(chan int))}, "panic": {tool("a", unwritable{})},
	} {
		_, err := outputparser.ToolArguments(tools)
		require.True(t, errors.Is(err, llmretry.ErrInvalidOption), name)
	}
}
