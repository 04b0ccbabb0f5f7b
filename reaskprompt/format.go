package reaskprompt

import (
	"context"
	"strings"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Format returns a builder that puts the failure into the placeholders of text:
//
//	{output_content}  the model's output, verbatim
//	{error_message}   what was wrong, as the parser or validator said it
//	{issues}          the issues, one a line; the error message when there are none
//
// The inserted texts are not searched for placeholders. An identifier in braces that is none of the three is an error
// here, since it is a misspelt one; blank text is another. Both match [llmretry.ErrInvalidOption].
//
// Every other brace stands for itself, so a JSON example needs no escaping: {"priority": "low", "tags": {}}. Where an
// identifier in braces is meant literally, double them: {{ is {, and the }} that closes it is }. That way text escaped
// for other formatters, with all its braces doubled, comes out right as well.
func Format(text string) (llmretry.Builder, error) {
	if strings.TrimSpace(text) == "" {
		return nil, invalid("Format: blank text")
	}
	pieces, unknown := parseFormat(text)
	if len(unknown) > 0 {
		return nil, invalid("Format: unknown placeholder %s; want %s, or doubled braces for the text itself",
			strings.Join(unknown, ", "), strings.Join(placeholderNames, ", "))
	}
	return func(_ context.Context, f llmretry.Failure) (string, error) {
		var b strings.Builder
		for _, p := range pieces {
			b.WriteString(p.render(&f))
		}
		return b.String(), nil
	}, nil
}

// piece is a literal or a placeholder.
type piece struct {
	literal string
	value   func(f *llmretry.Failure) string // nil for a literal
}

func (p piece) render(f *llmretry.Failure) string {
	if p.value == nil {
		return p.literal
	}
	return p.value(f)
}

var placeholderNames = []string{"{output_content}", "{error_message}", "{issues}"}

// placeholderValue returns what a placeholder stands for, nil if it is none of ours.
func placeholderValue(name string) func(f *llmretry.Failure) string {
	switch name {
	case "{output_content}":
		return func(f *llmretry.Failure) string { return f.OutputContent }
	case "{error_message}":
		return func(f *llmretry.Failure) string { return f.ErrorMessage }
	case "{issues}":
		return issuesOf
	}
	return nil
}

// parseFormat splits text in one pass. It remembers which braces are open, and whether they were doubled: the }} at
// the end of {"a":{"b":1}} closes two single ones and stays, the one at the end of {{issues}} closes a doubled one.
func parseFormat(text string) (pieces []piece, unknown []string) {
	var literal strings.Builder
	flush := func() {
		if literal.Len() > 0 {
			pieces = append(pieces, piece{literal: literal.String()})
			literal.Reset()
		}
	}
	var doubled []bool // of the open braces, the innermost last
	for i := 0; i < len(text); {
		rest, open := text[i:], len(doubled)
		switch {
		case strings.HasPrefix(rest, "{{"):
			doubled = append(doubled, true)
			literal.WriteByte('{')
			i += 2
		case rest[0] == '{':
			if name := placeholder(rest); name != "" {
				flush()
				pieces = append(pieces, piece{value: placeholderValue(name)})
				if placeholderValue(name) == nil {
					unknown = append(unknown, name)
				}
				i += len(name)
				continue
			}
			doubled = append(doubled, false)
			literal.WriteByte('{')
			i++
		case strings.HasPrefix(rest, "}}") && (open == 0 || doubled[open-1]):
			doubled = doubled[:max(0, open-1)]
			literal.WriteByte('}')
			i += 2
		case rest[0] == '}':
			if open > 0 && !doubled[open-1] {
				doubled = doubled[:open-1]
			}
			literal.WriteByte('}')
			i++
		default:
			literal.WriteByte(rest[0])
			i++
		}
	}
	flush()
	return pieces, unknown
}

// placeholder returns the identifier in braces that s begins with, braces included, or "".
func placeholder(s string) string {
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '_', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		case '0' <= c && c <= '9' && i > 1:
		case c == '}' && i > 1:
			return s[:i+1]
		default:
			return ""
		}
	}
	return ""
}
