package otelretry

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// message is one of gen_ai.input.messages or gen_ai.output.messages.
type message struct {
	Role         string
	Parts        []part
	FinishReason string
}

// part is one of a message: a text, a tool call, a tool's answer, or what stands for data.
type part struct {
	Type      string `json:"type"`
	ID        string `json:"id,omitempty"`
	Name      string `json:"name,omitempty"`
	Content   string `json:"content,omitempty"`
	Arguments string `json:"arguments,omitempty"`
	Response  string `json:"response,omitempty"`
	URI       string `json:"uri,omitempty"`
	MIMEType  string `json:"mime_type,omitempty"`
	Size      int    `json:"size,omitempty"` // bytes of data, which is never shown
}

// fit returns a message as JSON of at most max bytes, nil when it cannot be had; whole tells whether nothing is missing.
// Parts are kept from the first one on, and of the last that is kept as much as fits.
func (m message) fit(max int) (data []byte, whole bool) {
	rendered := struct {
		Role         string            `json:"role"`
		Parts        []json.RawMessage `json:"parts"`
		FinishReason string            `json:"finish_reason,omitempty"`
	}{m.Role, []json.RawMessage{}, m.FinishReason}
	left := max - len(encode(rendered))
	whole = left >= 0
	for i := 0; i < len(m.Parts) && whole; i++ {
		if data, whole = m.Parts[i].fit(left); data != nil {
			rendered.Parts = append(rendered.Parts, data)
			left -= len(data) + len(",")
		}
	}
	if !whole && len(rendered.Parts) == 0 {
		return nil, false
	}
	return encode(rendered), whole
}

// fit is the same for a part, whose texts are cut if need be. A byte of text is at least one of JSON: what is longer
// than max does not fit, and what is too much in JSON is enough to cut from a text.
func (p part) fit(max int) (data []byte, whole bool) {
	texts := []*string{&p.Content, &p.Arguments, &p.Response, &p.URI}
	whole = true
	for _, s := range texts {
		var cut bool
		*s, cut = clip(*s, max)
		whole = whole && !cut
	}
	if data = encode(p); len(data) <= max {
		return data, whole
	}
	for _, s := range texts {
		*s, _ = clip(*s, len(*s)-(len(data)-max))
		if data = encode(p); len(data) <= max {
			return data, false
		}
	}
	return nil, false
}

func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil // cannot be, of these types
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// ellipsis ends a text that was cut.
const ellipsis = "…"

// clip cuts a text to at most max bytes, at a character's end, and tells whether there was anything to cut.
func clip(s string, max int) (string, bool) {
	if len(s) <= max {
		return s, false
	}
	end := max - len(ellipsis)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	if end <= 0 {
		return "", true
	}
	return s[:end] + ellipsis, true
}
