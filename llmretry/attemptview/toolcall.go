package attemptview

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/llmretry/langchaingo-llmretry/internal/extract"
	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// innerValue is the JSON that a string of the output holds: the arguments of a tool call. at[i] is where in the output
// byte i of it comes from, with one more entry for its end.
type innerValue struct {
	text  string
	at    []int
	value jsontext.Value
}

// maxCalls bounds how many calls of one output are looked into.
const maxCalls = 50

// renderedCalls returns the arguments of the tool calls in an output that shows them, one line each. (Semantics E13.)
func renderedCalls(output string) []*innerValue {
	var calls []*innerValue
	offset := 0
	for line := range strings.Lines(output) {
		at := offset
		offset += len(line)
		if len(calls) == maxCalls || !strings.HasPrefix(line, `{"name": `) || !strings.Contains(line, `, "arguments": "`) {
			continue
		}
		v, problem := extract.Whole(line)
		if problem.Reason != extract.None {
			continue
		}
		w := walker{text: line}
		start, ok := w.child(v.Start, "arguments")
		if !ok {
			continue
		}
		calls = append(calls, newInnerValue(line[start:w.skip(start)], at+start))
	}
	return calls
}

// newInnerValue reads the string that stands at the offset base, nil when it holds no JSON.
func newInnerValue(quoted string, base int) *innerValue {
	text, at, ok := unquote(quoted)
	if !ok {
		return nil
	}
	v, problem := extract.Whole(text)
	if problem.Reason != extract.None {
		return nil
	}
	for i := range at {
		at[i] += base
	}
	return &innerValue{text, at, v}
}

// callNumber is how messages of a tool validator say which call they are about.
var callNumber = regexp.MustCompile(`^tool call (\d+)\b`)

// call returns the arguments that an issue is about: of the call that its message names, else of the only one.
func (d *document) call(issue llmretry.Issue) *innerValue {
	n := 0
	if m := callNumber.FindStringSubmatch(issue.Message); m != nil {
		n, _ = strconv.Atoi(m[1])
	} else if len(d.calls) != 1 {
		return nil
	}
	if n >= len(d.calls) {
		return nil
	}
	return d.calls[n]
}

// unquote returns what a JSON string holds and, for each of its bytes, where in the quoted text it comes from.
func unquote(quoted string) (text string, at []int, ok bool) {
	if len(quoted) < 2 || quoted[0] != '"' || quoted[len(quoted)-1] != '"' {
		return "", nil, false
	}
	end := len(quoted) - 1
	b := make([]byte, 0, end)
	for i := 1; i < end; {
		size := 1
		if quoted[i] == '\\' {
			var r rune
			if r, size = unescape(quoted[i:end]); size == 0 {
				return "", nil, false
			}
			b = utf8.AppendRune(b, r)
		} else {
			b = append(b, quoted[i])
		}
		for len(at) < len(b) {
			at = append(at, i)
		}
		i += size
	}
	return string(b), append(at, end), true
}

// unescape reads the escape that s begins with; size 0 means that it is none.
func unescape(s string) (r rune, size int) {
	if len(s) < 2 {
		return 0, 0
	}
	switch s[1] {
	case '"', '\\', '/':
		return rune(s[1]), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	}
	high, ok := hex4(s)
	if !ok {
		return 0, 0
	}
	if utf16.IsSurrogate(high) {
		low, ok := hex4(s[6:])
		if r := utf16.DecodeRune(high, low); ok && r != utf8.RuneError {
			return r, 12
		}
		return utf8.RuneError, 6
	}
	return high, 6
}

func hex4(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}
