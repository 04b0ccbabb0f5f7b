package outputparser

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/llmretry/langchaingo-llmretry/internal/extract"
	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/llmretry/langchaingo-llmretry/internal/schemacheck"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/tmc/langchaingo/llms"
)

// toolSchema judges the arguments of one tool.
type toolSchema struct {
	schema  *schemacheck.Schema
	strict  reader
	noneFit bool // no arguments at all are fine
}

// ToolArguments returns a validator for llmretry.WithToolValidator: every tool call must name one of tools and bring
// arguments that the tool's parameters accept. The caller hands the arguments to the tool as they are, so they must be
// what [Strict] takes, a JSON object and nothing around it; the one tolerance is that empty arguments are {} where
// nothing is required. A tool without parameters takes any object.
//
// Its error is an *[Error]: issue paths are inside the arguments, messages say which call it is, and Schema is that of
// the first call refused. Calls in every choice count. Tools without a name, names given twice, parameters that are
// no schema and an empty list are errors of the constructor.
func ToolArguments(tools []llms.Tool) (llmretry.Validator, error) {
	if len(tools) == 0 {
		return nil, invalid("ToolArguments: no tools are given")
	}
	set := toolSet{byName: map[string]toolSchema{}}
	for i, tool := range tools {
		if tool.Function == nil || strings.TrimSpace(tool.Function.Name) == "" {
			return nil, invalid("ToolArguments: tool %d has no name", i)
		}
		name := tool.Function.Name
		if _, twice := set.byName[name]; twice {
			return nil, invalid("ToolArguments: tool %q is given twice", name)
		}
		schema, err := parametersOf(tool.Function.Parameters)
		if err != nil {
			return nil, invalid("ToolArguments: tool %q: %w", name, err)
		}
		set.byName[name] = toolSchema{
			schema: schema, strict: newReader(schema, true), noneFit: schema.Check(map[string]any{}, 1, 1) == nil,
		}
		set.names = append(set.names, name)
	}
	set.want = oneOfText(set.names)
	return set.validate, nil
}

// parametersOf compiles what a tool declares: any value whose JSON is a schema.
func parametersOf(parameters any) (s *schemacheck.Schema, err error) {
	defer func() {
		if r := recover(); r != nil { // of a MarshalJSON
			err = invalid("its parameters cannot be written as JSON: %v", r)
		}
	}()
	raw, err := json.Marshal(parameters)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(raw, []byte("null")) {
		raw = []byte("true")
	}
	return schemacheck.Compile(raw)
}

type toolSet struct {
	byName map[string]toolSchema
	names  []string
	want   string
}

// maxToolIssues bounds the issues of one response.
const maxToolIssues = 100

func (t toolSet) validate(_ context.Context, r *llms.ContentResponse) error {
	if r == nil {
		return nil
	}
	refused := new(Error)
	n := 0
	for _, choice := range r.Choices {
		if choice == nil {
			continue
		}
		for _, call := range choice.ToolCalls {
			t.call(refused, n, call.FunctionCall)
			n++
		}
		if len(choice.ToolCalls) == 0 && choice.FuncCall != nil { // the older form, of the functions agent
			t.call(refused, n, choice.FuncCall)
			n++
		}
	}
	if refused.issues == nil {
		return nil
	}
	return refused
}

// call judges one call and adds what is wrong.
func (t toolSet) call(refused *Error, n int, call *llms.FunctionCall) {
	if len(refused.issues) >= maxToolIssues {
		return
	}
	which := "tool call " + strconv.Itoa(n)
	if call == nil {
		refused.issues = append(refused.issues, llmretry.Issue{
			Code: "no_value", Want: t.want, Message: which + ": names no tool, want " + t.want,
		})
		return
	}
	got := jsontext.Quote(call.Name, maxSample)
	tool, ok := t.byName[call.Name]
	if !ok {
		refused.issues = append(refused.issues, llmretry.Issue{
			Code: "unknown_tool", Want: t.want, Got: got, Message: which + ": unknown tool, want " + t.want + ", got " + got,
		})
		return
	}
	issues := tool.judge(call.Arguments)
	if issues == nil {
		return
	}
	if refused.schema == nil {
		refused.schema = tool.schema.Raw()
	}
	for _, issue := range issues {
		issue.Message = which + " (" + call.Name + "): " + issue.Message
		refused.issues = append(refused.issues, issue)
	}
}

func (t toolSchema) judge(arguments string) llmretry.Issues {
	if t.noneFit && strings.Trim(arguments, " \t\r\n") == "" {
		return nil
	}
	v, problem := extract.Whole(arguments)
	if problem.Reason == extract.None && arguments[v.Start] != '{' {
		got := sampleText(arguments[v.Start:])
		return llmretry.Issues{{
			Code: "type", Want: "object", Got: got, Message: "output: want object, got " + got,
		}}
	}
	_, issues := t.strict.read(arguments)
	return issues
}
