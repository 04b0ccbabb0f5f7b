package jsontext

import "strings"

// space returns the offset of the next token.
func (p *scanner) space(i int) int {
	if i < len(p.s) && byteClass[p.s[i]]&gap == 0 {
		return i
	}
	return p.slowSpace(i)
}

func (p *scanner) slowSpace(i int) int {
	for i < len(p.s) {
		switch p.s[i] {
		case ' ', '\t', '\n', '\r':
			i++
			continue
		}
		if !p.tolerant {
			return i
		}
		end := looseSpace(p.s, i)
		if end == i {
			return i
		}
		p.loose = true
		i = end
	}
	return i
}

// looseSpace returns the end of the comment or no-break space at s[i], or i. An unclosed block comment runs to the
// end of the text.
func looseSpace(s string, i int) int {
	switch {
	case strings.HasPrefix(s[i:], "\u00a0"):
		return i + len("\u00a0")
	case s[i] == '#', strings.HasPrefix(s[i:], "//"):
		if n := strings.IndexAny(s[i:], "\n\r"); n >= 0 {
			return i + n + 1
		}
		return len(s)
	case strings.HasPrefix(s[i:], "/*"):
		if n := strings.Index(s[i+2:], "*/"); n >= 0 {
			return i + 2 + n + 2
		}
		return len(s)
	}
	return i
}
