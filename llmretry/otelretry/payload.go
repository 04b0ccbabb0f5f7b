package otelretry

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"
	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// payload is what may be shown of contents. The zero value shows nothing.
type payload struct {
	max    int // bytes of one attribute
	redact func(string) string
}

func (p payload) on() bool { return p.max > 0 }

// attributes are the messages of an attempt and its output, in the JSON form of the conventions.
func (p payload) attributes(a *llmretry.Attempt) []attribute.KeyValue {
	input, clippedIn := p.render(p.input(a.Messages))
	output, clippedOut := p.render(p.output(a.Response))
	var attrs []attribute.KeyValue
	if input != "" {
		attrs = append(attrs, semconv.GenAIInputMessagesKey.String(input))
	}
	if output != "" {
		attrs = append(attrs, semconv.GenAIOutputMessagesKey.String(output))
	}
	if clippedIn || clippedOut {
		attrs = append(attrs, clippedKey.Bool(true))
	}
	return attrs
}

// text is one text, as it may be shown. It is made valid, since exporters reject what is not, together with whatever
// else they were to send.
func (p payload) text(s string) string {
	s, _ = clip(strings.ToValidUTF8(p.redacted(s), "\uFFFD"), p.max)
	return s
}

func (p payload) redacted(s string) string {
	if p.redact == nil {
		return s
	}
	return p.redact(s)
}

// roles are the conventions' names.
var roles = map[llms.ChatMessageType]string{
	llms.ChatMessageTypeSystem:   "system",
	llms.ChatMessageTypeHuman:    "user",
	llms.ChatMessageTypeGeneric:  "user",
	llms.ChatMessageTypeAI:       "assistant",
	llms.ChatMessageTypeTool:     "tool",
	llms.ChatMessageTypeFunction: "tool",
}

func (p payload) input(messages []llms.MessageContent) []message {
	list := make([]message, 0, len(messages))
	for _, m := range messages {
		role, ok := roles[m.Role]
		if !ok {
			role = string(m.Role)
		}
		parts := make([]part, 0, len(m.Parts))
		for _, content := range m.Parts {
			parts = append(parts, p.part(content))
		}
		list = append(list, message{Role: role, Parts: parts})
	}
	return list
}

func (p payload) part(content llms.ContentPart) part {
	switch c := content.(type) {
	case llms.TextContent:
		return part{Type: "text", Content: p.redacted(c.Text)}
	case llms.ToolCall:
		return p.call(c.ID, c.FunctionCall)
	case llms.ToolCallResponse:
		return part{Type: "tool_call_response", ID: c.ToolCallID, Name: p.redacted(c.Name), Response: p.redacted(c.Content)}
	case llms.ImageURLContent:
		return part{Type: "uri", URI: p.redacted(c.URL)}
	case llms.BinaryContent:
		return part{Type: "binary", MIMEType: c.MIMEType, Size: len(c.Data)}
	default:
		return part{Type: fmt.Sprintf("%T", content)}
	}
}

func (p payload) call(id string, f *llms.FunctionCall) part {
	if f == nil {
		f = new(llms.FunctionCall)
	}
	return part{Type: "tool_call", ID: id, Name: p.redacted(f.Name), Arguments: p.redacted(f.Arguments)}
}

func (p payload) output(r *llms.ContentResponse) []message {
	if r == nil {
		return nil
	}
	var list []message
	for _, c := range r.Choices {
		if c == nil {
			continue
		}
		m := message{Role: "assistant", Parts: []part{}, FinishReason: c.StopReason}
		if c.ReasoningContent != "" {
			m.Parts = append(m.Parts, part{Type: "reasoning", Content: p.redacted(c.ReasoningContent)})
		}
		if c.Content != "" {
			m.Parts = append(m.Parts, part{Type: "text", Content: p.redacted(c.Content)})
		}
		for _, call := range c.ToolCalls {
			m.Parts = append(m.Parts, p.call(call.ID, call.FunctionCall))
		}
		if c.FuncCall != nil && len(c.ToolCalls) == 0 {
			m.Parts = append(m.Parts, p.call("", c.FuncCall))
		}
		list = append(list, m)
	}
	return list
}

// render returns messages as a JSON list of at most max bytes: the newest ones, which differ from attempt to attempt,
// and of the oldest among them what still fits. "" when there are none or nothing fits.
func (p payload) render(messages []message) (text string, clipped bool) {
	left := p.max - len("[]")
	var kept [][]byte
	for _, m := range slices.Backward(messages) {
		data, whole := m.fit(left)
		clipped = clipped || !whole
		if data != nil {
			kept = append(kept, data)
			left -= len(data) + len(",")
		}
		if !whole {
			break
		}
	}
	if len(kept) == 0 {
		return "", clipped
	}
	slices.Reverse(kept)
	return "[" + string(bytes.Join(kept, []byte(","))) + "]", clipped
}
