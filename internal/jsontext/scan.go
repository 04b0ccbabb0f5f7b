package jsontext

import "strings"

// MaxDepth bounds how deep containers may nest, so that whatever walks a value afterwards has a bound too.
const MaxDepth = 10_000

// Mode says which text is a value.
type Mode uint8

const (
	// RFC8259 takes JSON as the standard has it.
	RFC8259 Mode = iota
	// Tolerant also takes what cannot change a value: trailing commas, comments, line breaks and tabs in strings,
	// no-break spaces between tokens.
	Tolerant
)

// Stack holds one bit per open container, set for an object: 1.3 KB however deep a value is. It needs no reset.
type Stack [MaxDepth/64 + 1]uint64

func (o *Stack) push(depth int, object bool) {
	bit := uint64(1) << (depth & 63)
	if object {
		o[depth>>6] |= bit
	} else {
		o[depth>>6] &^= bit
	}
}

func (o *Stack) object(depth int) bool { return o[depth>>6]&(1<<(depth&63)) != 0 }

// Scan reads the one value that begins at s[start], after spaces, and returns its extent. What follows the value is
// not looked at.
func Scan(s string, start int, mode Mode) (Value, Fault) {
	var open Stack
	return ScanWith(&open, s, start, mode)
}

// ScanWith is Scan with the memory for open containers given, for callers that scan many small values.
func ScanWith(open *Stack, s string, start int, mode Mode) (Value, Fault) {
	var (
		depth int
		p     = scanner{s: s, tolerant: mode == Tolerant}
		v     Value
		ok    bool
	)
	i := p.space(start)
	v.Start = i

value:
	if i >= len(s) {
		return v, Fault{Truncated, len(s)}
	}
	v.Nodes++
	switch c := s[i]; c {
	case '{', '[':
		if depth == MaxDepth {
			return v, Fault{TooDeep, i}
		}
		open.push(depth, c == '{')
		depth++
		v.Depth = max(v.Depth, depth)
		i = p.space(i + 1)
		if i < len(s) && s[i] == c+2 { // '{'+2 is '}', '['+2 is ']'
			goto closing
		}
		if c == '{' {
			goto key
		}
		goto value
	case '"':
		i, ok = p.str(i)
	case 't':
		i, ok = p.literal(i, "true")
	case 'f':
		i, ok = p.literal(i, "false")
	case 'n':
		i, ok = p.literal(i, "null")
	default:
		i, ok = p.number(i)
	}
	if !ok {
		return v, p.fault
	}

after:
	if depth == 0 {
		v.End, v.Loose = i, p.loose
		return v, Fault{}
	}
	i = p.space(i)
	if i >= len(s) {
		return v, Fault{Truncated, len(s)}
	}
	if open.object(depth - 1) {
		switch s[i] {
		case '}':
			goto closing
		case ',':
			i = p.space(i + 1)
			if i < len(s) && s[i] == '}' && p.tolerant {
				p.loose = true
				goto closing
			}
			goto key
		}
		return v, Fault{Syntax, i}
	}
	switch s[i] {
	case ']':
		goto closing
	case ',':
		i = p.space(i + 1)
		if i < len(s) && s[i] == ']' && p.tolerant {
			p.loose = true
			goto closing
		}
		goto value
	}
	return v, Fault{Syntax, i}

key:
	if i >= len(s) {
		return v, Fault{Truncated, len(s)}
	}
	if s[i] != '"' {
		return v, Fault{Syntax, i}
	}
	if i, ok = p.str(i); !ok {
		return v, p.fault
	}
	i = p.space(i)
	if i >= len(s) {
		return v, Fault{Truncated, len(s)}
	}
	if s[i] != ':' {
		return v, Fault{Syntax, i}
	}
	i = p.space(i + 1)
	goto value

closing:
	depth--
	i++
	goto after
}

type scanner struct {
	s        string
	tolerant bool
	loose    bool
	fault    Fault
}

func (p *scanner) fail(kind FaultKind, i int) (int, bool) {
	p.fault = Fault{kind, i}
	return i, false
}

func (p *scanner) literal(i int, word string) (int, bool) {
	rest := p.s[i:]
	if strings.HasPrefix(rest, word) {
		return i + len(word), true
	}
	if strings.HasPrefix(word, rest) {
		return p.fail(Truncated, len(p.s))
	}
	return p.fail(Syntax, i)
}
