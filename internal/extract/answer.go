package extract

// Answer returns a reply without the space and the closed reasoning blocks around what it says, for parsers of plain
// text. A reply that is one fenced block gives what the block holds.
func Answer(s string) (string, Problem) {
	f := Search{s: s}
	if f.i, f.end = trim(s, 0, len(s)); f.i == f.end {
		return "", Problem{Reason: Empty}
	}
	from, ok := f.passReasoning()
	if !ok {
		return "", f.problem
	}
	begin, end := trim(s, from, f.end)
	if begin == end {
		return "", Problem{Reason: NoValue, Offset: begin}
	}
	if inner, innerEnd, ok := fenced(s, begin, end); ok {
		begin, end = inner, innerEnd
	}
	return s[begin:end], Problem{}
}
