package jsontext

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	ellipsis = "..."
	// maxSampleKeys bounds the sorting a sample may cost; a larger object is shown as {...}.
	maxSampleKeys = 64
)

// Sample writes a decoded value as one line of JSON of at most max bytes, cut with an ellipsis. Characters that do
// not print are escaped, so that a sample cannot hide or reorder the text around it.
func Sample(v any, max int) string {
	b := appendSample(make([]byte, 0, 64), v, max)
	return cut(b, max)
}

// Quote writes text as a JSON string of at most max bytes in all.
func Quote(text string, max int) string {
	return cut(appendQuoted(nil, text, max), max)
}

// cut shortens b to max bytes at a character's border.
func cut(b []byte, max int) string {
	if len(b) <= max {
		return string(b)
	}
	end := max - len(ellipsis)
	for end > 0 && !utf8.RuneStart(b[end]) {
		end--
	}
	return strings.TrimRight(string(b[:end]), ".") + ellipsis
}

// appendSample may pass max by the piece it is at; it begins none beyond it.
func appendSample(b []byte, v any, max int) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return fmt.Append(b, v)
	case json.Number:
		return append(b, v[:min(len(v), max+1)]...)
	case string:
		return appendQuoted(b, v, max-len(b))
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if len(b) > max {
				break
			}
			if i > 0 {
				b = append(b, ',')
			}
			b = appendSample(b, item, max)
		}
		return append(b, ']')
	case map[string]any:
		if len(v) > maxSampleKeys {
			return append(b, "{...}"...)
		}
		b = append(b, '{')
		for i, key := range Keys(v) {
			if len(b) > max {
				break
			}
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendQuoted(b, key, max-len(b)), ':')
			b = appendSample(b, v[key], max)
		}
		return append(b, '}')
	}
	return fmt.Append(b, v)
}

// Keys returns the keys of m, sorted.
func Keys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// appendQuoted writes text as a JSON string; beyond max bytes it ends with an ellipsis inside the quotes.
func appendQuoted(b []byte, text string, max int) []byte {
	limit := len(b) + max - len(`..."`)
	b = append(b, '"')
	for i, r := range text {
		mark := len(b)
		b = appendEscaped(b, text[i:], r)
		if len(b) > limit && len(text)-i > len(`..."`) {
			b = append(b[:mark], ellipsis...)
			break
		}
	}
	return append(b, '"')
}

func appendEscaped(b []byte, rest string, r rune) []byte {
	switch {
	case r == '"', r == '\\':
		return append(b, '\\', byte(r))
	case r == '\n':
		return append(b, `\n`...)
	case r == '\r':
		return append(b, `\r`...)
	case r == '\t':
		return append(b, `\t`...)
	case r == utf8.RuneError:
		if _, n := utf8.DecodeRuneInString(rest); n == 1 {
			return fmt.Appendf(b, `\x%02x`, rest[0])
		}
		return utf8.AppendRune(b, r)
	case unicode.IsPrint(r):
		return utf8.AppendRune(b, r)
	case r > 0xffff:
		return fmt.Appendf(b, `\U%08x`, r)
	}
	return fmt.Appendf(b, `\u%04x`, r)
}

// Clip cuts text to at most max bytes at a character's border, with an ellipsis.
func Clip(text string, max int) string {
	if len(text) <= max {
		return text
	}
	return cut([]byte(text), max)
}

// Line makes text printable on one line: what does not print is escaped, as in a sample. A JSON Pointer made of a
// model's own keys needs it before it stands in a message.
func Line(text string) string {
	for i, r := range text {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			b := []byte(text[:i])
			for j, r := range text[i:] {
				if r == '"' || r == '\\' {
					b = append(b, byte(r))
					continue
				}
				b = appendEscaped(b, text[i+j:], r)
			}
			return string(b)
		}
	}
	return text
}
