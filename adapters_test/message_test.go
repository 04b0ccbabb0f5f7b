package adapters_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tmc/langchaingo/llms"
)

var roles = map[string]llms.ChatMessageType{
	"system":    llms.ChatMessageTypeSystem,
	"user":      llms.ChatMessageTypeHuman,
	"assistant": llms.ChatMessageTypeAI,
	"tool":      llms.ChatMessageTypeTool,
}

// content is the message's text; null reads as "", which is what langchaingo's types make of it. nil = not given.
func (m *fixtureMessage) content() (*string, error) {
	if !isSet(m.Content) {
		return nil, nil
	}
	switch v := valueOf(m.Content).(type) {
	case nil:
		return new(string), nil
	case string:
		return &v, nil
	default:
		return nil, fmt.Errorf("content is a %T, not text", v)
	}
}

// lower makes a message of the caller's what langchaingo takes.
func (m *fixtureMessage) lower() (llms.MessageContent, error) {
	role, ok := roles[m.Role]
	text, err := m.content()
	switch {
	case err != nil:
		return llms.MessageContent{}, err
	case !ok:
		return llms.MessageContent{}, fmt.Errorf("role %q is unknown", m.Role)
	case m.ContentContains != nil:
		return llms.MessageContent{}, errors.New("content_contains is for requests, not for the caller's messages")
	}
	out := llms.MessageContent{Role: role}
	switch {
	case role == llms.ChatMessageTypeTool:
		response := llms.ToolCallResponse{ToolCallID: m.ToolCallID, Name: m.Name}
		if text != nil {
			response.Content = *text
		}
		out.Parts = append(out.Parts, response)
	case text != nil && (*text != "" || len(m.ToolCalls) == 0):
		out.Parts = append(out.Parts, llms.TextContent{Text: *text})
	}
	for _, c := range m.ToolCalls {
		arguments, err := json.Marshal(c.Arguments)
		if err != nil {
			return out, err
		}
		out.Parts = append(out.Parts, llms.ToolCall{
			ID: c.ID, Type: "function",
			FunctionCall: &llms.FunctionCall{Name: c.Name, Arguments: string(arguments)},
		})
	}
	return out, nil
}

// sentinel stands behind the caller's messages, in the spare capacity of their slice. (Semantics E7.)
var sentinel = llms.TextParts(llms.ChatMessageTypeGeneric, "behind the slice")

// lowerAll makes the caller's messages anew on each call. The outer slice and each message's parts have spare
// capacity, where a careless append would write.
func lowerAll(list []fixtureMessage) ([]llms.MessageContent, error) {
	out := make([]llms.MessageContent, 0, len(list)+4)
	for i := range list {
		m, err := list[i].lower()
		if err != nil {
			return nil, err
		}
		parts := append(make([]llms.ContentPart, 0, len(m.Parts)+2), m.Parts...)
		spare := parts[:cap(parts)]
		for j := len(parts); j < len(spare); j++ {
			spare[j] = sentinel.Parts[0]
		}
		m.Parts = parts
		out = append(out, m)
	}
	spare := out[:cap(out)]
	for i := len(out); i < len(spare); i++ {
		spare[i] = sentinel
	}
	return out, nil
}

// whole shows the messages with everything in their spare capacity.
func whole(messages []llms.MessageContent) []llms.MessageContent {
	all := append([]llms.MessageContent(nil), messages[:cap(messages)]...)
	for i := range messages {
		all[i].Parts = append([]llms.ContentPart(nil), all[i].Parts[:cap(all[i].Parts)]...)
	}
	return all
}

func (t fixtureTool) lower() llms.Tool {
	if t.Function != nil {
		t = *t.Function
	}
	f := &llms.FunctionDefinition{Name: t.Name, Description: t.Description}
	if t.Parameters != nil {
		f.Parameters = t.Parameters
	}
	return llms.Tool{Type: "function", Function: f}
}
