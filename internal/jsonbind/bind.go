package jsonbind

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
)

// maxFaults bounds the faults collected for one value.
const maxFaults = 50

// Fault is one place where a value does not fit its type although the schema took it.
type Fault struct {
	Path []string
	Code string // range, type, encoding, decode
	Want string // in the language of the schema
	Got  any
	Err  error // of the type's own decoding
}

// Plan is a prepared type. It is immutable and safe for concurrent use.
type Plan struct {
	bind  binder
	spans bool
}

// binder puts a decoded value into dst, which is settable and zero or a map's or pointer's fresh element.
type binder func(s *state, v any, span *jsontext.Span, dst reflect.Value)

// Source is a decoded value and the text it was decoded from.
type Source struct {
	Tree any
	Text string
	At   jsontext.Value
}

type state struct {
	text   string // RFC 8259, what spans are of
	faults []Fault
}

// Compile prepares a type. It fails for one that JSON cannot be put into: channels, functions, complex numbers,
// interfaces with methods, maps with other keys than strings, integers and text.
func Compile(t reflect.Type) (*Plan, error) {
	c := compiler{plans: map[reflect.Type]*lazy{}}
	bind, err := c.compile(t, nil)
	if err != nil {
		return nil, err
	}
	return &Plan{bind: bind, spans: c.spans}, nil
}

// BindTo puts a value into dst, a settable zero value of the plan's type. With faults dst is not to be used.
func (p *Plan) BindTo(src Source, dst reflect.Value) []Fault {
	s := state{}
	var span *jsontext.Span
	if p.spans {
		at := src.At
		if s.text = src.Text; at.Loose {
			s.text = jsontext.Clean(src.Text, at)
			at, _ = jsontext.Scan(s.text, 0, jsontext.RFC8259)
		}
		_, span, _ = jsontext.DecodeSpans(s.text, at, jsontext.Tolerant) // an equal duplicate may be in it
	}
	p.bind(&s, src.Tree, span, dst)
	for i := range s.faults {
		slices.Reverse(s.faults[i].Path)
	}
	return s.faults
}

func (s *state) fail(code, want string, got any, err error) {
	if len(s.faults) < maxFaults {
		s.faults = append(s.faults, Fault{Code: code, Want: want, Got: got, Err: err})
	}
}

// under puts a token before the paths of the faults found since before. Paths are built on the way out, from their
// ends, and turned around at last: a value without faults, the usual one, pays nothing for them.
func (s *state) under(token string, before int) {
	for n := before; n < len(s.faults); n++ {
		s.faults[n].Path = append(s.faults[n].Path, token)
	}
}

// mismatch is the fault of a value that the type cannot hold and the schema did not refuse: the schema is wider.
func (s *state) mismatch(want string, got any) { s.fail("type", want, got, nil) }

// errUnsupported is Compile's error for a type.
func errUnsupported(t reflect.Type, path []string, why string) error {
	at := ""
	for _, name := range path {
		at += "." + name
	}
	if at != "" {
		at = " at " + at[1:]
	}
	return fmt.Errorf("type %s%s %s", t, at, why)
}
