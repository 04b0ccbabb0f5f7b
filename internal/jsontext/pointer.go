package jsontext

import "strings"

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// Pointer writes the JSON Pointer (RFC 6901) of a path.
func Pointer(path []string) string {
	var b strings.Builder
	for _, token := range path {
		b.WriteByte('/')
		b.WriteString(escapeToken(token))
	}
	return b.String()
}

func escapeToken(token string) string {
	if strings.ContainsAny(token, "~/") {
		return pointerEscaper.Replace(token)
	}
	return token
}

// ParsePointer returns the path of a JSON Pointer.
func ParsePointer(pointer string) []string {
	if pointer == "" {
		return nil
	}
	path := strings.Split(pointer[1:], "/")
	for i, token := range path {
		path[i] = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	}
	return path
}

// Lookup returns the value at path inside v.
func Lookup(v any, path []string) (any, bool) {
	for _, token := range path {
		switch c := v.(type) {
		case map[string]any:
			sub, ok := c[token]
			if !ok {
				return nil, false
			}
			v = sub
		case []any:
			i, ok := index(token, len(c))
			if !ok {
				return nil, false
			}
			v = c[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// index reads an array index below n, in the one form a pointer may have it.
func index(token string, n int) (int, bool) {
	if token == "" || len(token) > 9 || token[0] == '0' && token != "0" {
		return 0, false
	}
	i := 0
	for _, c := range []byte(token) {
		if c < '0' || c > '9' {
			return 0, false
		}
		i = i*10 + int(c-'0')
	}
	return i, i < n
}
