package llmretry

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// hasToolCalls reports whether any choice calls a tool: some clients put a call in a choice of its own.
func hasToolCalls(r *llms.ContentResponse) bool { return slices.ContainsFunc(r.Choices, hasCalls) }

func hasCalls(c *llms.ContentChoice) bool {
	return c != nil && (len(c.ToolCalls) > 0 || c.FuncCall != nil)
}

// toolCalls returns the calls of all choices in order.
func toolCalls(r *llms.ContentResponse) []llms.ToolCall {
	var calls []llms.ToolCall
	for _, c := range r.Choices {
		calls = append(calls, callsOf(c)...)
	}
	return calls
}

// callsOf returns the calls of one choice, which may be nil. The legacy FuncCall counts only where there is no
// ToolCalls list, whose first element it repeats. A call without a function is a call to nothing.
func callsOf(c *llms.ContentChoice) []llms.ToolCall {
	switch {
	case c == nil:
		return nil
	case len(c.ToolCalls) == 0 && c.FuncCall != nil:
		return []llms.ToolCall{{Type: "function", FunctionCall: c.FuncCall}}
	}
	calls := slices.Clone(c.ToolCalls)
	for i := range calls {
		if calls[i].FunctionCall == nil {
			calls[i].FunctionCall = new(llms.FunctionCall)
		}
	}
	return calls
}

// payloads yields what a parser may find its value in, with the index of the choice: the texts of the choices or, of
// a response that calls tools, the arguments of the calls.
func payloads(r *llms.ContentResponse, called bool) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i, c := range r.Choices {
			switch {
			case c == nil:
			case called:
				for _, call := range callsOf(c) {
					if !yield(i, call.FunctionCall.Arguments) {
						return
					}
				}
			case !yield(i, c.Content):
				return
			}
		}
	}
}

// contents returns the texts of all choices that have one, a line each.
func contents(r *llms.ContentResponse) string {
	var texts []string
	for _, c := range r.Choices {
		if c != nil && strings.TrimSpace(c.Content) != "" {
			texts = append(texts, c.Content)
		}
	}
	return strings.Join(texts, "\n")
}

// renderCalls writes tool calls as text that any provider accepts back: the content, then one JSON line per call with
// the arguments verbatim in a JSON string. (Semantics E13.)
func renderCalls(r *llms.ContentResponse) string {
	var b strings.Builder
	b.WriteString(contents(r))
	for _, call := range toolCalls(r) {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(`{"name": ` + quote(call.FunctionCall.Name) + `, "arguments": ` + quote(call.FunctionCall.Arguments) + `}`)
	}
	return b.String()
}

// quote is s as a JSON string, with <, > and & left as they are.
func quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}
