package jsontext

import (
	"math/bits"
	"unicode/utf8"
)

// str reads the string whose opening quote is at s[i].
func (p *scanner) str(i int) (int, bool) {
	s, begin := p.s, i+1
	ascii := true
	for i = begin; ; {
		if i = nextSpecial(s, i); i >= len(s) {
			return p.fail(Truncated, len(s))
		}
		c := s[i]
		switch {
		case c == '"':
			if !ascii && !utf8.ValidString(s[begin:i]) {
				return p.fail(InvalidUTF8, begin+invalidUTF8(s[begin:i]))
			}
			return i + 1, true
		case c == '\\':
			var ok bool
			if i, ok = p.escape(i); !ok {
				return i, false
			}
		case c < ' ':
			if !p.tolerant || c != '\n' && c != '\r' && c != '\t' {
				return p.fail(Syntax, i)
			}
			p.loose = true
			i++
		default:
			ascii = false
			for i < len(s) && s[i] >= utf8.RuneSelf {
				i++
			}
		}
	}
}

// nextSpecial returns the offset of the first byte at or after s[i] that is not plain in a string: a quote, a
// backslash, a control character, a byte beyond ASCII. Eight bytes at a time, by the usual bit tricks: every test
// leaves the high bit set in such a byte, and the lowest byte flagged is exact.
func nextSpecial(s string, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(s); i += 8 {
		b := s[i : i+8]
		w := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		quote, back := w^(ones*'"'), w^(ones*'\\')
		if mask := (w | (w - ones*' ') | (quote - ones) | (back - ones)) & highs; mask != 0 {
			return i + bits.TrailingZeros64(mask)>>3
		}
	}
	for i < len(s) && byteClass[s[i]]&special == 0 {
		i++
	}
	return i
}

func invalidUTF8(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return i
			}
		}
	}
	return 0
}

// escape reads the escape whose backslash is at s[i]. Half a surrogate pair is refused: Go would put U+FFFD in its
// place, which is another value.
func (p *scanner) escape(i int) (int, bool) {
	s := p.s
	if i+1 >= len(s) {
		return p.fail(Truncated, len(s))
	}
	switch s[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, true
	case 'u':
	default:
		return p.fail(Syntax, i)
	}
	r, ok := p.hex4(i)
	switch {
	case !ok:
		return i, false
	case r < 0xd800 || r > 0xdfff:
		return i + 6, true
	case r >= 0xdc00:
		return p.fail(LoneSurrogate, i)
	}
	next := i + 6
	if next >= len(s) || s[next] == '\\' && next+1 >= len(s) {
		return p.fail(Truncated, len(s))
	}
	if s[next] != '\\' || s[next+1] != 'u' {
		return p.fail(LoneSurrogate, i)
	}
	low, ok := p.hex4(next)
	if !ok {
		return i, false
	}
	if low < 0xdc00 || low > 0xdfff {
		return p.fail(LoneSurrogate, i)
	}
	return i + 12, true
}

// hex4 reads the four digits of the escape at s[i:].
func (p *scanner) hex4(i int) (r rune, ok bool) {
	for j := i + 2; j < i+6; j++ {
		if j >= len(p.s) {
			p.fail(Truncated, len(p.s))
			return 0, false
		}
		d := hexDigit(p.s[j])
		if d < 0 {
			p.fail(Syntax, i)
			return 0, false
		}
		r = r<<4 | d
	}
	return r, true
}

func hexDigit(c byte) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10
	}
	return -1
}
