package retrytest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"
)

// wireMessage is a message in a form that loses nothing: langchaingo's own JSON forgets cache controls, empty texts and
// calls without a function.
type wireMessage struct {
	Role  llms.ChatMessageType `json:"role"`
	Parts []wirePart           `json:"parts,omitempty"`
}

// wirePart has exactly one of its first fields set.
type wirePart struct {
	Text         *exact        `json:"text,omitempty"`
	Image        *wireImage    `json:"image,omitempty"`
	Binary       *wireBinary   `json:"binary,omitempty"`
	ToolCall     *wireToolCall `json:"tool_call,omitempty"`
	ToolResponse *wireResult   `json:"tool_response,omitempty"`
	Cached       *wireCached   `json:"cached,omitempty"`
}

type wireImage struct {
	URL    exact  `json:"url"`
	Detail string `json:"detail,omitempty"`
}

type wireBinary struct {
	MIMEType string `json:"mime_type"`
	Data     []byte `json:"data"`
}

type wireToolCall struct {
	ID       string        `json:"id"`
	Type     string        `json:"type,omitempty"`
	Function *wireFunction `json:"function,omitempty"`
}

type wireFunction struct {
	Name      string `json:"name"`
	Arguments exact  `json:"arguments"`
}

type wireResult struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Content exact  `json:"content"`
}

type wireCached struct {
	Part     wirePart      `json:"part"`
	Type     string        `json:"type,omitempty"`
	Duration time.Duration `json:"duration,omitempty"`
	None     bool          `json:"none,omitempty"` // no cache control at all
}

// wireMessages copies messages into that form. A part of a type that langchaingo does not have is an error.
func wireMessages(messages []llms.MessageContent) ([]wireMessage, error) {
	list := make([]wireMessage, len(messages))
	for i, m := range messages {
		list[i].Role = m.Role
		for j, p := range m.Parts {
			part, err := wireOf(p, 0)
			if err != nil {
				return nil, fmt.Errorf("retrytest: message %d, part %d: %w", i, j, err)
			}
			list[i].Parts = append(list[i].Parts, part)
		}
	}
	return list, nil
}

func wireOf(p llms.ContentPart, depth int) (wirePart, error) {
	switch p := p.(type) {
	case llms.TextContent:
		text := exact(p.Text)
		return wirePart{Text: &text}, nil
	case llms.ImageURLContent:
		return wirePart{Image: &wireImage{exact(p.URL), p.Detail}}, nil
	case llms.BinaryContent:
		return wirePart{Binary: &wireBinary{p.MIMEType, append([]byte(nil), p.Data...)}}, nil
	case llms.ToolCall:
		return wirePart{ToolCall: wireCall(p)}, nil
	case llms.ToolCallResponse:
		return wirePart{ToolResponse: &wireResult{p.ToolCallID, p.Name, exact(p.Content)}}, nil
	case llms.CachedContent:
		if depth >= maxDepth {
			return wirePart{}, fmt.Errorf("cache controls nested deeper than %d", maxDepth)
		}
		inner, err := wireOf(p.ContentPart, depth+1)
		c := &wireCached{Part: inner, None: p.CacheControl == nil}
		if p.CacheControl != nil {
			c.Type, c.Duration = p.CacheControl.Type, p.CacheControl.Duration
		}
		return wirePart{Cached: c}, err
	}
	return wirePart{}, fmt.Errorf("a part of type %T", p)
}

func wireCall(c llms.ToolCall) *wireToolCall {
	w := &wireToolCall{ID: c.ID, Type: c.Type}
	if c.FunctionCall != nil {
		w.Function = &wireFunction{c.FunctionCall.Name, exact(c.FunctionCall.Arguments)}
	}
	return w
}

// call is the reverse of wireCall.
func (w *wireToolCall) call() llms.ToolCall {
	c := llms.ToolCall{ID: w.ID, Type: w.Type}
	if w.Function != nil {
		c.FunctionCall = &llms.FunctionCall{Name: w.Function.Name, Arguments: string(w.Function.Arguments)}
	}
	return c
}

// textOf joins the texts of a message.
func textOf(m llms.MessageContent) string {
	var list []string
	for _, p := range m.Parts {
		if c, ok := p.(llms.CachedContent); ok {
			p = c.ContentPart
		}
		if t, ok := p.(llms.TextContent); ok {
			list = append(list, t.Text)
		}
	}
	return strings.Join(list, "\n")
}

// canonical returns the JSON of a value of this package.
func canonical(v any) (string, error) {
	raw, err := json.Marshal(v)
	return string(raw), err
}

// validate looks for what no recorder writes.
func (p wirePart) validate(depth int) error {
	n := 0
	for _, set := range []bool{p.Text != nil, p.Image != nil, p.Binary != nil, p.ToolCall != nil, p.ToolResponse != nil, p.Cached != nil} {
		if set {
			n++
		}
	}
	switch {
	case n != 1:
		return fmt.Errorf("is of %d kinds", n)
	case depth > maxDepth:
		return fmt.Errorf("cache controls nested deeper than %d", maxDepth)
	case p.Cached != nil:
		return p.Cached.Part.validate(depth + 1)
	}
	return nil
}
