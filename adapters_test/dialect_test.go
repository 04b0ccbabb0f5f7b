package adapters_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/llms"
)

// dialect is one of langchaingo's clients and the format it speaks.
type dialect struct {
	name     string
	seam     seam
	single   bool   // sends the first part of the first message, so a correction reaches it only in a flattened transcript
	inner    string // the setting that keeps its SDK from retrying by itself, used by open
	stops    bool   // it tells why an answer ended
	counts   bool   // it reports usage
	live     string // what its stream function gets, when that is not the text
	open     func(t testing.TB, address string, hc *http.Client) llms.Model
	full     func(r *received, a answer) string
	stream   func(a answer) []string // one frame per part and what ends the stream, the last frame; nil: it does not stream
	failure  func(status int, message string) reply
	messages func(r *received) []wireMessage
	temp     func(r *received) any // the temperature sent, nil for none
	empty    string                // a body without an answer
	cells                          // what is different in the matrix
}

// wireMessage is what of a message reached the provider.
type wireMessage struct{ role, text string }

// answer is what the model says, before a dialect writes it down.
type answer struct {
	text     string
	parts    []string // of a stream; their concatenation is the text
	thinking string
	call     *llms.FunctionCall
	stop     string // the provider's word for why it ended; "" is its usual one
	in, out  int    // tokens; 0 = 11 and 7
}

// secret is the key every client is given. It must never be seen again.
const secret = "sk-8c1f0e77SECRETb2a94d5e6f"

func (d *dialect) says(text string) func(r *received) reply {
	return d.answers(answer{text: text})
}

func (d *dialect) answers(a answer) func(r *received) reply {
	if a.in == 0 && a.out == 0 {
		a.in, a.out = 11, 7
	}
	return func(r *received) reply { return reply{body: d.full(r, a)} }
}

// streams answers in the frames of a stream.
func (d *dialect) streams(parts ...string) reply {
	return reply{frames: d.stream(answer{text: strings.Join(parts, ""), parts: parts, in: 11, out: 7})}
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// jsonOf is v as JSON; what tests build always marshals.
func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

type object = map[string]any

// field follows a path of keys and indices; nil when it leads nowhere.
func field(v any, path ...any) any {
	for _, step := range path {
		switch key := step.(type) {
		case string:
			m, _ := v.(object)
			v = m[key]
		case int:
			list, _ := v.([]any)
			if key >= len(list) {
				return nil
			}
			v = list[key]
		}
	}
	return v
}

func fieldAt(path ...any) func(*received) any {
	return func(r *received) any { return field(r.Body, path...) }
}

// textOf is the text of a content that is a string, a list of strings or of objects with a text.
func textOf(content any) string {
	switch c := content.(type) {
	case string:
		return c
	case []any:
		var texts []string
		for _, part := range c {
			if text, ok := field(part, "text").(string); ok {
				texts = append(texts, text)
			}
		}
		return strings.Join(texts, "\n")
	}
	return ""
}

// chatMessages reads a list of messages with role and content.
func chatMessages(r *received) []wireMessage {
	list, _ := r.Body["messages"].([]any)
	var out []wireMessage
	for _, m := range list {
		role, _ := field(m, "role").(string)
		out = append(out, wireMessage{role, textOf(field(m, "content"))})
	}
	return out
}

// prompt reads a request that is one text.
func prompt(name string) func(*received) []wireMessage {
	return func(r *received) []wireMessage {
		text, _ := r.Body[name].(string)
		return []wireMessage{{"user", text}}
	}
}

// failing is an error body around a message.
func failing(body func(status int, message string) any) func(int, string) reply {
	return func(status int, message string) reply {
		return reply{status: status, body: jsonOf(body(status, message))}
	}
}

func arguments(call *llms.FunctionCall) any {
	var v any
	_ = json.Unmarshal([]byte(call.Arguments), &v)
	return v
}
