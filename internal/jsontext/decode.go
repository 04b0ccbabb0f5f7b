package jsontext

import (
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Duplicate is an object key that occurs twice with different values, or at all where that is not tolerated.
type Duplicate struct {
	Path   []string // of the object
	Key    string
	Offset int // of the second key
}

// Span is where a value stands in its text. Members is set for an object, Items for an array.
type Span struct {
	Start, End int
	Members    map[string]*Span
	Items      []*Span
}

// Decode turns a value that Scan accepted into map[string]any, []any, string, json.Number, bool and nil. Strings
// without escapes and numbers share the text's memory. In Tolerant mode an equal duplicate of a key is dropped.
func Decode(s string, v Value, mode Mode) (any, *Duplicate) {
	d := decoder{p: scanner{s: s[:v.End], tolerant: mode == Tolerant}, i: v.Start}
	val := d.value(nil)
	return val, d.duplicate()
}

// DecodeSpans is Decode that also returns where each value stands.
func DecodeSpans(s string, v Value, mode Mode) (any, *Span, *Duplicate) {
	d := decoder{p: scanner{s: s[:v.End], tolerant: mode == Tolerant}, i: v.Start}
	root := new(Span)
	val := d.value(root)
	return val, root, d.duplicate()
}

type decoder struct {
	p     scanner
	i     int
	dup   *Duplicate
	items []any // scratch of all open arrays, so that each array is allocated once and exactly
}

// duplicate returns what was found; its path was collected from the inside out.
func (d *decoder) duplicate() *Duplicate {
	if d.dup != nil {
		slices.Reverse(d.dup.Path)
	}
	return d.dup
}

// value reads the value at the cursor; span, when not nil, receives its extent.
func (d *decoder) value(span *Span) (val any) {
	begin := d.i
	switch d.p.s[d.i] {
	case '{':
		val = d.object(span)
	case '[':
		val = d.array(span)
	case '"':
		val = d.str()
	case 't':
		d.i += len("true")
		val = true
	case 'f':
		d.i += len("false")
		val = false
	case 'n':
		d.i += len("null")
	default:
		val = d.number()
	}
	if span != nil {
		span.Start, span.End = begin, d.i
	}
	return val
}

func (d *decoder) number() any {
	begin := d.i
	for d.i < len(d.p.s) {
		switch c := d.p.s[d.i]; {
		case byteClass[c]&digit != 0, c == '.', c == '-', c == '+', c|0x20 == 'e':
			d.i++
			continue
		}
		break
	}
	return json.Number(d.p.s[begin:d.i])
}

func (d *decoder) object(span *Span) any {
	m := make(map[string]any)
	if span != nil {
		span.Members = make(map[string]*Span)
	}
	d.i = d.p.space(d.i + 1)
	for d.p.s[d.i] != '}' {
		at := d.i
		key := d.str()
		d.i = d.p.space(d.i)
		d.i = d.p.space(d.i + 1) // the colon
		var sub *Span
		if span != nil {
			sub = new(Span)
		}
		val := d.value(sub)
		if d.dup != nil {
			d.dup.Path = append(d.dup.Path, key)
			return m
		}
		if old, twice := m[key]; twice && (!d.p.tolerant || !Equal(old, val)) {
			d.dup = &Duplicate{Key: key, Offset: at}
			return m
		}
		m[key] = val
		if span != nil {
			span.Members[key] = sub
		}
		d.comma()
	}
	d.i++
	return m
}

func (d *decoder) array(span *Span) any {
	base := len(d.items)
	d.i = d.p.space(d.i + 1)
	for d.p.s[d.i] != ']' {
		var sub *Span
		if span != nil {
			sub = new(Span)
			span.Items = append(span.Items, sub)
		}
		val := d.value(sub)
		if d.dup != nil {
			d.dup.Path = append(d.dup.Path, strconv.Itoa(len(d.items)-base))
			return nil
		}
		d.items = append(d.items, val)
		d.comma()
	}
	d.i++
	list := make([]any, len(d.items)-base)
	copy(list, d.items[base:])
	clear(d.items[base:])
	d.items = d.items[:base]
	return list
}

// comma moves to the next element, or to the closing bracket.
func (d *decoder) comma() {
	d.i = d.p.space(d.i)
	if d.p.s[d.i] == ',' {
		d.i = d.p.space(d.i + 1)
	}
}

// str reads the string at the cursor.
func (d *decoder) str() string {
	s := d.p.s
	begin := d.i + 1
	for i := begin; ; i++ {
		i = nextSpecial(s, i)
		switch s[i] {
		case '"':
			d.i = i + 1
			return s[begin:i]
		case '\\':
			return d.escaped(begin, i)
		}
	}
}

// escaped reads the rest of a string with escapes: s[begin:i] is plain, s[i] is the first backslash.
func (d *decoder) escaped(begin, i int) string {
	s := d.p.s
	b := make([]byte, 0, 2*(i-begin)+32)
	b = append(b, s[begin:i]...)
	for s[i] != '"' {
		if s[i] != '\\' {
			from := i
			for s[i] != '"' && s[i] != '\\' {
				i++
			}
			b = append(b, s[from:i]...)
			continue
		}
		i++
		switch c := s[i]; c {
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case 'n':
			b = append(b, '\n')
		case 'r':
			b = append(b, '\r')
		case 't':
			b = append(b, '\t')
		case 'u':
			r, _ := d.p.hex4(i - 1)
			i += 4
			if utf16.IsSurrogate(r) {
				low, _ := d.p.hex4(i + 1)
				r = utf16.DecodeRune(r, low)
				i += 6
			}
			b = utf8.AppendRune(b, r)
		default: // a quote, a backslash, a slash
			b = append(b, c)
		}
		i++
	}
	d.i = i + 1
	return string(b)
}
