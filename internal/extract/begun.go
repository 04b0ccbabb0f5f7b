package extract

import "strings"

// reach remembers one look-ahead: from every offset in [from, at] the next one found is at.
type reach struct{ from, at int }

// maxLeadComments bounds the comments between a bracket and what tells a value from prose.
const maxLeadComments = 8

// begun reports whether a value has clearly begun at s[i]: '{' and a quote or '}', '[' and something an array may
// begin with, space and comments between. Anything else is prose, as {name} and [note] are.
func (f *Search) begun(i int) bool {
	c := f.s[i]
	if c != '{' && c != '[' {
		return false
	}
	j := i + 1
	if j < f.end { // the usual cases, without the loop
		switch n := f.s[j]; {
		case c == '{' && (n == '"' || n == '}'):
			return true
		case n > '/' && n < 0x80 && c == '{':
			return false
		}
	}
	for comments := 0; ; comments++ {
		for j < f.end {
			if n := blank(f.s[j:f.end]); n > 0 {
				j += n
				continue
			}
			break
		}
		rest := f.s[j:f.end]
		switch {
		case rest == "":
			return false
		case comments == maxLeadComments: // nobody writes prose like that
			return true
		case strings.HasPrefix(rest, "/*"):
			j = f.block.next(f.s[:f.end], j+2, "*/")
		case strings.HasPrefix(rest, "//"):
			j = f.line.next(f.s[:f.end], j+2, "\n")
		case rest[0] == '#':
			j = f.line.next(f.s[:f.end], j+1, "\n")
		case c == '{':
			return rest[0] == '"' || rest[0] == '}'
		default:
			return beginsItem(rest)
		}
	}
}

func blank(s string) int {
	switch s[0] {
	case ' ', '\t', '\n', '\r':
		return 1
	}
	if strings.HasPrefix(s, "\u00a0") {
		return 2
	}
	return 0
}

func beginsItem(s string) bool {
	switch c := s[0]; {
	case c == '{', c == '[', c == '"', c == ']', c == '-', '0' <= c && c <= '9':
		return true
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if rest, ok := strings.CutPrefix(s, word); ok {
			return rest == "" || !wordByte(rest[0])
		}
	}
	return false
}

func wordByte(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// next returns the end of the first text at or after s[i], or len(s). A look-ahead that begins inside an earlier one
// ends where that one did.
func (r *reach) next(s string, i int, text string) int {
	if r.at > 0 && r.from <= i && i <= r.at {
		return min(r.at+len(text), len(s))
	}
	at := strings.Index(s[i:], text)
	if at < 0 {
		at = len(s) - i
	}
	*r = reach{i, i + at}
	return min(r.at+len(text), len(s))
}
