package extract

import (
	"strings"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
)

// Whole reads a text that must be one RFC 8259 value and nothing else but white space.
func Whole(s string) (jsontext.Value, Problem) {
	end := len(strings.TrimRight(s, " \t\r\n"))
	v, fault := jsontext.Scan(s[:end], 0, jsontext.RFC8259)
	switch {
	case end == 0:
		return v, Problem{Reason: Empty}
	case fault.Kind == jsontext.Syntax && fault.Offset == v.Start: // not even one token
		return v, Problem{Reason: NoValue, Offset: v.Start}
	case fault.Kind != jsontext.NoFault:
		return v, Problem{Reason: Faulty, Offset: fault.Offset, Fault: fault}
	case v.End != end:
		return v, Problem{Reason: ExtraText, Offset: v.End}
	}
	return v, Problem{}
}

// Bare reads a text that is one value and nothing else but white space, with the tolerances for what cannot change a
// value and without any for shells.
func Bare(s string) (jsontext.Value, bool) {
	end := len(strings.TrimRight(s, " \t\r\n"))
	v, fault := jsontext.Scan(s[:end], 0, jsontext.Tolerant)
	return v, fault.Kind == jsontext.NoFault && v.End == end
}

// trim returns the bounds of s without white space, no-break spaces, byte order marks and zero-width characters.
func trim(s string, begin, end int) (int, int) {
	for begin < end {
		n := invisible(s[begin:end])
		if n == 0 {
			break
		}
		begin += n
	}
	for begin < end {
		n := 1
		if s[end-1]&0xc0 == 0x80 { // inside a character: the longest of ours has three bytes
			for n < 3 && n < end-begin && s[end-n]&0xc0 == 0x80 {
				n++
			}
		}
		if invisible(s[end-n:end]) != n {
			break
		}
		end -= n
	}
	return begin, end
}

// invisible returns the length of the character at the beginning of s when it is one that trim drops.
func invisible(s string) int {
	switch s[0] {
	case ' ', '\t', '\n', '\r':
		return 1
	case 0xc2:
		if strings.HasPrefix(s, "\u00a0") {
			return 2
		}
	case 0xe2, 0xef:
		for _, c := range [...]string{"\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\u2060", "\ufeff"} {
			if strings.HasPrefix(s, c) {
				return 3
			}
		}
	}
	return 0
}

// beginsValue reports whether c can be the first byte of a JSON value.
func beginsValue(c byte) bool {
	switch c {
	case '{', '[', '"', '-', 't', 'f', 'n':
		return true
	}
	return '0' <= c && c <= '9'
}

// fenced returns the bounds of what a fence holds when s[begin:end] is exactly one fenced block.
func fenced(s string, begin, end int) (int, int, bool) {
	const fence = "```"
	if end-begin < 2*len(fence) || !strings.HasPrefix(s[begin:end], fence) || !strings.HasSuffix(s[begin:end], fence) {
		return 0, 0, false
	}
	line := strings.IndexByte(s[begin:end], '\n')
	if line < 0 || strings.Contains(s[begin+len(fence):begin+line], "`") {
		return 0, 0, false
	}
	begin, end = trim(s, begin+line, end-len(fence))
	return begin, end, begin < end
}
