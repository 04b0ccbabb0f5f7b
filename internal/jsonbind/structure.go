package jsonbind

import (
	"reflect"
	"slices"
	"strings"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
)

// field is one property of a struct.
type field struct {
	name   string
	index  []int // through embedded structs
	bind   binder
	tagged bool
	typ    reflect.Type
	quoted bool
}

func (c *compiler) structure(t reflect.Type, path []string) (binder, error) {
	fields, err := fieldsOf(t, path)
	if err != nil {
		return nil, err
	}
	for i := range fields {
		f := &fields[i]
		if f.bind, err = c.compile(f.typ, append(path, f.name)); err != nil {
			return nil, err
		}
		if f.quoted {
			f.bind = bindQuoted(f.bind)
		}
	}
	return func(s *state, v any, span *jsontext.Span, dst reflect.Value) {
		m, ok := v.(map[string]any)
		if !ok {
			if v != nil {
				s.mismatch("object", v)
			}
			return
		}
		for i := range fields {
			f := &fields[i]
			item, ok := m[f.name]
			if !ok {
				continue
			}
			var sub *jsontext.Span
			if span != nil {
				sub = span.Members[f.name]
			}
			before := len(s.faults)
			f.bind(s, item, sub, reach(dst, f.index))
			s.under(f.name, before)
		}
	}, nil
}

// Field returns the field that a struct has for a property: its type and the way to it through embedded structs.
func Field(t reflect.Type, name string) (typ reflect.Type, index []int, ok bool) {
	fields, err := fieldsOf(t, nil)
	if err != nil {
		return nil, nil, false
	}
	for _, f := range fields {
		if f.name == name {
			return f.typ, f.index, true
		}
	}
	return nil, nil, false
}

// reach returns the field at index, making the embedded pointers on the way.
func reach(dst reflect.Value, index []int) reflect.Value {
	for i, n := range index {
		if i > 0 && dst.Kind() == reflect.Pointer {
			if dst.IsNil() {
				dst.Set(reflect.New(dst.Type().Elem()))
			}
			dst = dst.Elem()
		}
		dst = dst.Field(n)
	}
	return dst
}

// fieldsOf lists the properties of a struct as encoding/json sees them: the fields of embedded structs are the outer
// one's, the shallowest of one name wins, then a tagged one.
func fieldsOf(t reflect.Type, path []string) ([]field, error) {
	type level struct {
		typ   reflect.Type
		index []int
	}
	var all []field
	seen := map[reflect.Type]bool{}
	for current := []level{{typ: t}}; len(current) > 0; {
		var next []level
		count := map[reflect.Type]int{}
		for _, l := range current {
			count[l.typ]++
		}
		for _, l := range current {
			if seen[l.typ] {
				continue
			}
			for i := range l.typ.NumField() {
				sf := l.typ.Field(i)
				name, opts, _ := strings.Cut(sf.Tag.Get("json"), ",")
				index := append(slices.Clone(l.index), i)
				if sf.Tag.Get("json") == "-" {
					continue
				}
				inner := sf.Type
				if inner.Kind() == reflect.Pointer {
					inner = inner.Elem()
				}
				embedded := sf.Anonymous && inner.Kind() == reflect.Struct
				if !sf.IsExported() && !embedded {
					continue
				}
				if embedded && name == "" {
					if !sf.IsExported() && sf.Type.Kind() == reflect.Pointer {
						return nil, errUnsupported(t, path, "embeds a pointer to an unexported struct, which cannot be set")
					}
					next = append(next, level{inner, index})
					continue
				}
				if !sf.IsExported() {
					continue
				}
				f := field{name: name, index: index, tagged: name != "", typ: sf.Type, quoted: isQuoted(opts, sf.Type)}
				if name == "" {
					f.name = sf.Name
				}
				all = append(all, f)
				if count[l.typ] > 1 {
					all = append(all, f) // embedded twice on one level
				}
			}
		}
		for _, l := range current {
			seen[l.typ] = true
		}
		current = next
	}
	return dominant(t, path, all)
}

func isQuoted(opts string, t reflect.Type) bool {
	if !slices.Contains(strings.Split(opts, ","), "string") {
		return false
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return true
	}
	return false
}

// dominant picks the field for each name. Where encoding/json drops a name because two fields have an equal claim to
// it, this is an error: the schema has the property, and its value would be lost.
func dominant(t reflect.Type, path []string, all []field) ([]field, error) {
	byName := map[string][]field{}
	var names []string
	for _, f := range all {
		if byName[f.name] == nil {
			names = append(names, f.name)
		}
		byName[f.name] = append(byName[f.name], f)
	}
	var fields []field
	for _, name := range names {
		same := byName[name]
		slices.SortStableFunc(same, func(a, b field) int {
			if d := len(a.index) - len(b.index); d != 0 {
				return d
			}
			switch {
			case a.tagged == b.tagged:
				return 0
			case a.tagged:
				return -1
			}
			return 1
		})
		if len(same) > 1 && len(same[0].index) == len(same[1].index) && same[0].tagged == same[1].tagged {
			return nil, errUnsupported(t, path, "has two fields for the property "+name)
		}
		fields = append(fields, same[0])
	}
	return fields, nil
}
