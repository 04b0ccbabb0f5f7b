package llmretry

import (
	"net/http"
	"reflect"
	"strings"
)

// maxHeld bounds how much of a model is looked at: wrappers are a few levels deep, whatever hangs off them may be a
// whole program.
const maxHeld = 2000

// holds reports whether a Transport or another decorator is found inside a model: in the fields of wrappers and
// clients, at any depth, exported or not. It follows pointers, interfaces and slices of types that are not the
// standard library's, and of an http.Client the transport. It reads no map, which somebody may be writing to, and
// cannot see into closures.
func holds(model any) bool {
	h := held{seen: make(map[reflect.Value]bool)}
	return h.in(reflect.ValueOf(model))
}

type held struct {
	seen map[reflect.Value]bool // pointers followed
	n    int
}

func (h *held) in(v reflect.Value) bool {
	if h.n++; h.n > maxHeld || !v.IsValid() {
		return false
	}
	switch t := v.Type(); t {
	case reflect.TypeFor[*Transport](), reflect.TypeFor[Transport](), reflect.TypeFor[*Model](), reflect.TypeFor[Model]():
		return true
	case reflect.TypeFor[http.Client]():
		return h.in(v.FieldByName("Transport"))
	}
	switch v.Kind() {
	case reflect.Interface:
		return h.in(v.Elem())
	case reflect.Pointer:
		if v.IsNil() || h.seen[v] {
			return false
		}
		h.seen[v] = true
		return h.in(v.Elem())
	case reflect.Struct:
		if isStandard(v.Type()) {
			return false
		}
		for i := range v.NumField() {
			if h.in(v.Field(i)) {
				return true
			}
		}
	case reflect.Slice, reflect.Array:
		switch v.Type().Elem().Kind() {
		case reflect.Interface, reflect.Pointer, reflect.Struct:
			for i := range v.Len() {
				if h.in(v.Index(i)) {
					return true
				}
			}
		}
	}
	return false
}

// isStandard reports whether a type is declared in the standard library, whose paths have no dot before the first
// slash.
func isStandard(t reflect.Type) bool {
	first, _, _ := strings.Cut(t.PkgPath(), "/")
	return first != "" && first != "main" && !strings.Contains(first, ".")
}
