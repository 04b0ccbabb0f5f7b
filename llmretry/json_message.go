package llmretry

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/tmc/langchaingo/llms"
)

// messageJSON is a message in a readable form: its text, or the list of its parts when it has others.
type messageJSON struct {
	Role  string     `json:"role"`
	Text  *textJSON  `json:"text,omitempty"`
	Parts []partJSON `json:"parts,omitempty"`
}

// partJSON is one part of a message. Of binary data there is the size.
type partJSON struct {
	Type      string    `json:"type"`
	Text      *textJSON `json:"text,omitempty"`
	URL       *textJSON `json:"url,omitempty"`
	MediaType string    `json:"media_type,omitempty"`
	Bytes     *int      `json:"bytes,omitempty"`
	ID        string    `json:"id,omitempty"`
	Name      string    `json:"name,omitempty"`
	Arguments *textJSON `json:"arguments,omitempty"`
}

func (w *jsonWriter) message(m llms.MessageContent) messageJSON {
	out := messageJSON{Role: w.cut(string(m.Role))}
	if len(m.Parts) == 1 {
		if text, ok := m.Parts[0].(llms.TextContent); ok {
			out.Text = w.text(text.Text)
			return out
		}
	}
	for _, part := range m.Parts {
		if w.left <= 0 {
			break
		}
		out.Parts = append(out.Parts, w.part(part))
	}
	return out
}

func (w *jsonWriter) part(part llms.ContentPart) partJSON {
	switch p := part.(type) {
	case llms.TextContent:
		return partJSON{Type: "text", Text: w.text(p.Text)}
	case llms.BinaryContent:
		size := len(p.Data)
		return partJSON{Type: "binary", MediaType: w.cut(p.MIMEType), Bytes: &size}
	case llms.ImageURLContent:
		return partJSON{Type: "image_url", URL: w.text(redact(p.URL))}
	case llms.ToolCall:
		out := partJSON{Type: "tool_call", ID: w.cut(p.ID)}
		if p.FunctionCall != nil {
			out.Name, out.Arguments = w.cut(p.FunctionCall.Name), w.text(p.FunctionCall.Arguments)
		}
		return out
	case llms.ToolCallResponse:
		return partJSON{Type: "tool_result", ID: w.cut(p.ToolCallID), Name: w.cut(p.Name), Text: w.text(p.Content)}
	default:
		return partJSON{Type: fmt.Sprintf("%T", part)}
	}
}

// sent is what Attempt.Sent says, each value by itself: an option may hold what JSON has no word for.
func (w *jsonWriter) sent(a *Attempt) map[string]any {
	values := a.Sent()
	if len(values) == 0 {
		return nil
	}
	out := make(map[string]any, len(values))
	for name, value := range values {
		out[name] = w.value(value)
	}
	return out
}

// value returns v as JSON, or its type when it is none or too large. A method of v may panic.
func (w *jsonWriter) value(v any) (out any) {
	defer func() {
		if recover() != nil {
			out = fmt.Sprintf("%T", v)
		}
	}()
	if m, ok := v.(map[string]any); ok { // metadata: one key may hold a function
		each := make(map[string]any, len(m))
		for key, value := range m {
			if w.left <= 0 {
				break
			}
			each[w.cut(key)] = w.value(value)
		}
		return each
	}
	data, err := json.Marshal(v)
	if err != nil || len(data) > min(maxJSONText, w.left) {
		return fmt.Sprintf("%T", v)
	}
	w.left -= len(data) + perText
	return json.RawMessage(data)
}

// samePrefix returns how many messages two lists begin with in common. Attempts share them, so most comparisons end at
// the first pointer.
func samePrefix(a, b []llms.MessageContent) int {
	n := 0
	for n < len(a) && n < len(b) && reflect.DeepEqual(a[n], b[n]) {
		n++
	}
	return n
}
