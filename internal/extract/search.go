package extract

import (
	"strings"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
)

// Search goes through the values of one reply, in order. Make one with [Lenient]; it belongs to one goroutine.
type Search struct {
	s      string
	i, end int

	first   jsontext.Value // read ahead by Lenient
	pending bool
	whole   bool
	over    bool // nothing further is looked at
	ended   bool // a value had begun and was broken: no further value is taken, markup still counts
	found   int
	problem Problem

	stack       jsontext.Stack
	block, line reach // memory of begun's look-ahead, which keeps it linear
}

// Lenient begins a search: it passes over what surrounds an answer. The order is the point: a whole-text value comes
// before any markup is looked for, since markup inside a string is data.
func Lenient(s string) Search {
	f := Search{s: s}
	f.i, f.end = trim(s, 0, len(s))
	if f.i == f.end {
		f.stop(Problem{Reason: Empty})
		return f
	}
	if f.tryWhole(f.i, f.end) {
		return f
	}
	from, ok := f.passReasoning()
	if !ok {
		return f
	}
	if from != f.i {
		f.pending = false // it stood within the reasoning
		if f.i, f.end = trim(s, from, f.end); f.i == f.end {
			f.stop(Problem{Reason: NoValue, Offset: f.i})
			return f
		}
		if f.tryWhole(f.i, f.end) {
			return f
		}
	}
	if begin, end, ok := fenced(s, f.i, f.end); ok && !f.pending && markAt(s, f.i) == nil {
		f.tryInside(begin, end)
	}
	return f
}

// Whole reports whether the reply, but for its shell, is one value.
func (f *Search) Whole() bool { return f.whole }

// Any reports whether the reply holds a value at all. It uses the search up.
func (f *Search) Any() bool {
	_, ok := f.Next()
	return ok
}

// Next returns the next complete value that stands by itself.
func (f *Search) Next() (jsontext.Value, bool) {
	if f.pending {
		f.pending = false
		f.i = f.first.End
		f.found++
		return f.first, true
	}
	for !f.over && f.i < f.end {
		c := f.s[f.i]
		if c != '{' {
			if marks[c] == nil {
				f.i++
				continue
			}
			if m := markAt(f.s, f.i); m != nil {
				f.pass(m)
				continue
			}
		}
		if (c == '{' || c == '[') && !f.ended && f.begun(f.i) {
			v, fault := jsontext.ScanWith(&f.stack, f.s[:f.end], f.i, jsontext.Tolerant)
			if fault.Kind == jsontext.NoFault {
				f.i = v.End
				f.found++
				return v, true
			}
			f.ended = true
			f.problem = Problem{Reason: Faulty, Offset: fault.Offset, Fault: fault}
		}
		f.i++
	}
	return jsontext.Value{}, false
}

// Problem says, after Next returned false, what the search met. OpenReasoning and ToolCall refuse the reply even
// when values were found.
func (f *Search) Problem() Problem {
	switch {
	case f.problem.Reason == None && f.found == 0:
		return Problem{Reason: NoValue}
	case f.problem.Reason == Faulty && f.found > 0 && !f.ended:
		return Problem{} // of the beginning, which turned out to be prose
	}
	return f.problem
}

func (f *Search) stop(p Problem) {
	f.over = true
	f.problem = p
}

// pass moves over a marker outside any value.
func (f *Search) pass(m *mark) {
	at := f.i
	f.i += len(m.text)
	if f.ended && f.found == 0 { // the broken value is the better thing to report
		return
	}
	switch m.kind {
	case toolMarkup:
		f.stop(Problem{Reason: ToolCall, Offset: at})
	case opensThink:
		end, closed := blockEnd(f.s, f.i, m.closes)
		if !closed {
			f.stop(Problem{Reason: OpenReasoning, Offset: at})
			return
		}
		f.i = end
	}
}

// tryWhole reads the value at begin. It decides the reply when the value is all there is, or when an object or array
// begins there and is broken: what comes later then stands inside it, and nothing is taken out of a broken value.
func (f *Search) tryWhole(begin, end int) bool {
	if !beginsValue(f.s[begin]) {
		return false
	}
	v, fault := jsontext.ScanWith(&f.stack, f.s[:end], begin, jsontext.Tolerant)
	container := f.s[begin] == '{' || f.s[begin] == '['
	switch {
	case fault.Kind == jsontext.NoFault && v.End == end:
		f.first, f.pending, f.whole = v, true, true
		f.end = end
		return true
	case fault.Kind == jsontext.NoFault && container && f.begun(begin):
		f.first, f.pending = v, true
	case fault.Kind != jsontext.NoFault && container && f.begun(begin):
		f.stop(Problem{Reason: Faulty, Offset: fault.Offset, Fault: fault})
		return true
	case container && fault.Kind != jsontext.NoFault && markAt(f.s, begin) == nil,
		fault.Kind == jsontext.Truncated, fault.Kind == jsontext.NumberRange:
		// Prose as far as the search goes, but if nothing else comes this is the better thing to report.
		f.problem = Problem{Reason: Faulty, Offset: fault.Offset, Fault: fault}
	}
	return false
}

// tryInside takes what a fence around the whole reply holds, when that is one value.
func (f *Search) tryInside(begin, end int) {
	if v, fault := jsontext.ScanWith(&f.stack, f.s[:end], begin, jsontext.Tolerant); fault.Kind == jsontext.NoFault && v.End == end {
		f.first, f.pending, f.whole = v, true, true
		f.end = end
	}
}

// passReasoning returns where the answer begins: after the reasoning blocks at the front, or after the last closing
// tag that nothing opened. It is not ok when a block at the front is not closed.
func (f *Search) passReasoning() (from int, ok bool) {
	from = f.i
	for !f.pending {
		m := markAt(f.s, from)
		if m == nil || m.kind != opensThink {
			break
		}
		end, closed := blockEnd(f.s, from+len(m.text), m.closes)
		if !closed {
			f.stop(Problem{Reason: OpenReasoning, Offset: from})
			return 0, false
		}
		from, _ = trim(f.s, end, f.end)
	}
	if !mayClose(f.s[from:f.end]) {
		return from, true
	}
	return f.lastClosing(from), true
}

// mayClose reports whether a closing mark can be in s at all; most replies have none and skip the walk.
func mayClose(s string) bool {
	for _, part := range [...]string{"</", "<|", "[/", "◁/", "<unused95>"} {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}

// lastClosing returns the end of the last closing tag that stands outside values and that nothing opened, or from.
func (f *Search) lastClosing(from int) int {
	skipValues := true
	i := from
	if f.pending {
		i = f.first.End
	}
	for i < f.end {
		c := f.s[i]
		if c != '{' && marks[c] == nil {
			i++
			continue
		}
		if m := markAt(f.s, i); m != nil {
			end, closed := i+len(m.text), true
			switch m.kind {
			case opensThink:
				if end, closed = blockEnd(f.s, end, m.closes); !closed {
					return from // Next meets it again
				}
			case closesThink:
				from = end
			case finalBegins:
				if n := strings.Index(f.s[end:min(end+maxHeader, f.end)], headerEnd); n >= 0 {
					end += n + len(headerEnd)
				}
				from = end
			}
			i = end
			continue
		}
		if skipValues && f.begun(i) {
			v, fault := jsontext.ScanWith(&f.stack, f.s[:f.end], i, jsontext.Tolerant)
			if fault.Kind == jsontext.NoFault {
				i = v.End
				continue
			}
			skipValues = false // each further try could run to the end again
		}
		i++
	}
	return from
}
