package attemptview

import (
	"strconv"
	"strings"

	"github.com/llmretry/langchaingo-llmretry/internal/extract"
	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// span is a part of a text, in bytes. absent marks the place of something that is not there.
type span struct {
	start, end int
	absent     bool
}

// locate finds the place of each issue in an output, as a parser found the value: whole, fenced or between prose. An issue
// without a place has ok false.
func locate(output string, issues llmretry.Issues) (places []span, ok []bool) {
	places, ok = make([]span, len(issues)), make([]bool, len(issues))
	if len(issues) == 0 {
		return places, ok
	}
	d := readDocument(output, issues)
	for i, issue := range issues {
		places[i], ok[i] = d.find(issue)
	}
	return places, ok
}

// document is an output with the values that issues may point into.
type document struct {
	text  string
	value jsontext.Value // the first that the issues fit
	found bool
	fault int           // where a value broke off or text stood in its way; -1 = nowhere
	calls []*innerValue // of an output that is rendered tool calls, by their number
}

// maxValues bounds how many values of one output are tried.
const maxValues = 50

func readDocument(text string, issues llmretry.Issues) document {
	d := document{text: text, fault: -1, calls: renderedCalls(text)}
	search := extract.Lenient(text)
	best := -1
	for range maxValues {
		v, ok := search.Next()
		if !ok {
			break
		}
		if n := fitting(text, v, issues); n > best {
			d.value, d.found, best = v, true, n
		}
	}
	if d.found {
		return d
	}
	switch p := search.Problem(); p.Reason {
	case extract.Faulty:
		d.fault = p.Fault.Offset
	case extract.OpenReasoning, extract.ToolCall, extract.ExtraText:
		d.fault = p.Offset
	}
	return d
}

// fitting counts the issues whose pointer leads to something in v.
func fitting(text string, v jsontext.Value, issues llmretry.Issues) int {
	n, w := 0, walker{text: text}
	for _, issue := range issues[:min(len(issues), maxValues)] {
		if _, rest := w.descend(v.Start, tokens(issue.Path)); len(rest) == 0 {
			n++
		}
	}
	return n
}

// find returns the place of one issue: the value that it points to or, of one that points to nothing, the end of the
// deepest container on the way there.
func (d *document) find(issue llmretry.Issue) (span, bool) {
	if inner := d.call(issue); inner != nil {
		s, ok := place(inner.text, inner.value, issue.Path)
		return span{inner.at[s.start], inner.at[s.end], s.absent}, ok
	}
	switch {
	case d.found && issue.Path == "" && issue.Code == "ambiguous":
		return span{}, false // of several values none is the wrong one
	case d.found:
		return place(d.text, d.value, issue.Path)
	case d.fault >= 0 && issue.Path == "" && d.text != "":
		start := min(d.fault, len(d.text)-1)
		for start > 0 && d.text[start]&0xc0 == 0x80 { // not inside a character
			start--
		}
		end := start + 1
		for end < len(d.text) && d.text[end]&0xc0 == 0x80 {
			end++
		}
		return span{start, end, d.fault >= len(d.text)}, true
	}
	return span{}, false
}

// place returns the extent of the value that a pointer leads to from v.
func place(text string, v jsontext.Value, pointer string) (span, bool) {
	w := walker{text: text}
	at, rest := w.descend(v.Start, tokens(pointer))
	end := w.skip(at)
	if len(rest) == 0 {
		return span{start: at, end: end}, true
	}
	return span{end - 1, end, true}, true // its closing bracket, or the last byte of what is no container
}

// tokens returns the path of a pointer, which may be anybody's: one that is none names a member of the whole.
func tokens(pointer string) []string {
	if pointer != "" && pointer[0] != '/' {
		return []string{pointer}
	}
	return jsontext.ParsePointer(pointer)
}

// walker goes through a value that a search has accepted. It passes over what stands before the next value on its way
// and reads nothing twice, so a path costs no more than the text, however deep it leads.
type walker struct {
	text string
	open jsontext.Stack
}

// descend follows a path from the value at start as far as it leads, and returns where the value begins that it ends at,
// and the path that is left.
func (w *walker) descend(start int, path []string) (int, []string) {
	for len(path) > 0 {
		sub, ok := w.child(start, path[0])
		if !ok {
			break
		}
		start, path = sub, path[1:]
	}
	return start, path
}

// child returns where the member or element of the container at start begins.
func (w *walker) child(start int, token string) (at int, ok bool) {
	if start >= len(w.text) {
		return 0, false
	}
	container := w.text[start]
	if container != '{' && container != '[' {
		return 0, false
	}
	element, err := strconv.Atoi(token)
	if container == '[' && (err != nil || strconv.Itoa(element) != token) {
		return 0, false
	}
	for i, n := w.gap(start+1), 0; i < len(w.text) && w.text[i] != container+2; n++ { // '{'+2 is '}', '['+2 is ']'
		here := container == '[' && n == element
		if container == '{' {
			end := w.skip(i)
			here = isKey(w.text[i:end], token)
			i = w.gap(w.gap(end) + 1) // past the colon
		}
		if here {
			return i, true
		}
		if i = w.gap(w.skip(i)); i < len(w.text) && w.text[i] == ',' {
			i = w.gap(i + 1)
		}
	}
	return 0, false
}

// skip returns the end of the value at i.
func (w *walker) skip(i int) int {
	v, fault := jsontext.ScanWith(&w.open, w.text, min(i, len(w.text)), jsontext.Tolerant)
	if fault.Kind != jsontext.NoFault {
		return len(w.text)
	}
	return v.End
}

func isKey(quoted, name string) bool {
	if len(quoted) < 2 || quoted[0] != '"' {
		return false
	}
	if !strings.Contains(quoted, `\`) {
		return quoted[1:len(quoted)-1] == name
	}
	key, _, ok := unquote(quoted)
	return ok && key == name
}

// gap returns where the next token is: behind space and comments.
func (w *walker) gap(i int) int {
	for i < len(w.text) {
		switch rest := w.text[i:]; {
		case strings.IndexByte(" \t\n\r", rest[0]) >= 0:
			i++
		case strings.HasPrefix(rest, "\u00a0"):
			i += len("\u00a0")
		case rest[0] == '#', strings.HasPrefix(rest, "//"):
			n := strings.IndexAny(rest, "\n\r")
			if n < 0 {
				return len(w.text)
			}
			i += n
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			if n < 0 {
				return len(w.text)
			}
			i += n + 4
		default:
			return i
		}
	}
	return len(w.text)
}
