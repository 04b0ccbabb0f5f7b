package jsontext

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Append writes a decoded value as compact JSON, keys sorted.
func Append(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case json.Number:
		return append(b, v...)
	case string:
		return appendString(b, v)
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = Append(b, item)
		}
		return append(b, ']')
	case map[string]any:
		b = append(b, '{')
		for i, key := range Keys(v) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, key), ':')
			b = Append(b, v[key])
		}
		return append(b, '}')
	}
	return append(b, "null"...)
}

// appendString writes text as a JSON string, escaping only what must be.
func appendString(b []byte, text string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for i := range len(text) {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, text[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			b = append(b, `\u00`...)
			b = append(b, hex[c>>4], hex[c&15])
		}
	}
	return append(append(b, text[from:]...), '"')
}

// Clean returns the text of a value that Scan accepted as Tolerant, as RFC 8259 text: comments and trailing commas
// are dropped, line breaks and tabs in strings escaped, everything else is kept in its order and spelling.
func Clean(s string, v Value) string {
	if !v.Loose {
		return v.Text(s)
	}
	b := make([]byte, 0, v.End-v.Start)
	p := scanner{s: s, tolerant: true}
	comma := false
	for i := p.space(v.Start); i < v.End; i = p.space(i) {
		c := s[i]
		if c == ',' {
			comma = true
			i++
			continue
		}
		if comma && c != '}' && c != ']' {
			b = append(b, ',')
		}
		comma = false
		if c != '"' {
			b = append(b, c)
			i++
			continue
		}
		end, _ := p.str(i)
		b = append(b, rawBreaks.Replace(s[i:end])...)
		i = end
	}
	return string(b)
}

var rawBreaks = strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`)
