package jsontext

// FaultKind says why a text is no value.
type FaultKind uint8

const (
	NoFault       FaultKind = iota
	Syntax                  // a byte that cannot stand where it stands
	Truncated               // the text ends inside the value
	TooDeep                 // more than MaxDepth open containers
	NumberRange             // a number that no float64 can hold, or an absurdly long one
	InvalidUTF8             // a string with bytes that are no UTF-8
	LoneSurrogate           // a \u escape that is half a character
)

// Fault is a kind and where it was found. The zero value is no fault.
type Fault struct {
	Kind   FaultKind
	Offset int
}

// Value is the extent of a scanned value in its text.
type Value struct {
	Start, End int
	Nodes      int  // values inside, itself included
	Depth      int  // deepest nesting of containers
	Loose      bool // a tolerance was used: the text is not RFC 8259 as it stands
}

// Text returns the value's own text.
func (v Value) Text(s string) string { return s[v.Start:v.End] }
