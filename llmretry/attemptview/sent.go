package attemptview

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// optionView is a call option in effect, and how it differs from the attempt before.
type optionView struct {
	Name   string
	Value  *text // nil when it is gone
	Was    *text // of a changed one
	Change string
}

// messageView is a message. Added is one that the attempt before had not, Echo one that is its output.
type messageView struct {
	Role  string
	Added bool
	Echo  bool
	Parts []partView
}

// partView is a part of a message: a text, or a note on what is no text.
type partView struct {
	Note string
	Text *text
}

func (b *builder) options(a, before *llmretry.Attempt) []optionView {
	now := a.Sent()
	var was map[string]any
	if before != nil {
		was = before.Sent()
	}
	names := slices.Collect(maps.Keys(now))
	for name := range was {
		if _, ok := now[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var views []optionView
	for _, name := range names {
		v := optionView{Name: name}
		value, ok := now[name]
		previous, had := was[name]
		if ok {
			v.Value = b.text(written(value))
		}
		switch {
		case before == nil:
		case !had:
			v.Change = "new"
		case !ok:
			v.Change, v.Was = "gone", b.text(written(previous))
		case !reflect.DeepEqual(value, previous):
			v.Change, v.Was = "changed", b.text(written(previous))
		}
		views = append(views, v)
	}
	return views
}

// written is an option's value as JSON, or its type when it has none. A method of it may panic.
func written(v any) (s string) {
	defer func() {
		if recover() != nil {
			s = fmt.Sprintf("%T", v)
		}
	}()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // the page does that
	if err := enc.Encode(v); err != nil {
		return fmt.Sprintf("%T", v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// messages fills in the messages that the attempt before had not.
func (b *builder) messages(v *attemptView, a, before *llmretry.Attempt) {
	if before != nil {
		for v.Before < len(a.Messages) && v.Before < len(before.Messages) && reflect.DeepEqual(a.Messages[v.Before], before.Messages[v.Before]) {
			v.Before++
		}
	}
	for i, m := range a.Messages[v.Before:] {
		if b.left <= 0 {
			v.Omitted = len(a.Messages) - v.Before - i
			return
		}
		view := messageView{Role: visible(b.redact(string(m.Role))), Added: before != nil}
		view.Echo = before != nil && isText(m, before.Output)
		for _, part := range m.Parts {
			if b.left <= 0 {
				break
			}
			view.Parts = append(view.Parts, b.part(part))
		}
		v.Messages = append(v.Messages, view)
	}
}

// isText reports whether a message is exactly that text.
func isText(m llms.MessageContent, text string) bool {
	if len(m.Parts) != 1 || text == "" {
		return false
	}
	part, ok := m.Parts[0].(llms.TextContent)
	return ok && part.Text == text
}

func (b *builder) part(part llms.ContentPart) partView {
	switch p := part.(type) {
	case llms.TextContent:
		return partView{Text: b.text(p.Text)}
	case llms.BinaryContent:
		return partView{Note: visible(b.redact(p.MIMEType)) + ", " + size(len(p.Data))}
	case llms.ImageURLContent:
		return partView{Note: "image at", Text: b.text(p.URL)}
	case llms.ToolCall:
		if p.FunctionCall == nil {
			return partView{Note: "call of no tool"}
		}
		return partView{Note: "tool call", Text: b.text(p.FunctionCall.Name + "(" + p.FunctionCall.Arguments + ")")}
	case llms.ToolCallResponse:
		return partView{Note: "tool result", Text: b.text(p.Content)}
	}
	return partView{Note: fmt.Sprintf("%T", part)}
}
