package llmretry

import (
	"net/http"
	"reflect"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// maxHeld bounds how much of a model is looked at: wrappers are a few levels deep, whatever hangs off them may be a
// whole program.
const maxHeld = 2000

// holds reports whether a Transport or another decorator is found inside a model: in the fields of wrappers and
// clients, at any depth, exported or not. It follows pointers, interfaces and slices, and into structs only where such
// things are kept: models and transports, what their own packages declare, langchaingo's clients, an http.Client's
// transport. Anything else - an SDK with its connections, a test's own state - may be written to at the same time. It
// reads no map for the same reason, and cannot see into closures.
func holds(model any) bool {
	h := held{seen: make(map[reflect.Value]bool)}
	return h.in(reflect.ValueOf(model), "")
}

type held struct {
	seen map[reflect.Value]bool // pointers followed
	n    int
}

// in looks into v, which is kept by something of the package home.
func (h *held) in(v reflect.Value, home string) bool {
	if h.n++; h.n > maxHeld || !v.IsValid() {
		return false
	}
	switch t := v.Type(); t {
	case reflect.TypeFor[*Transport](), reflect.TypeFor[Transport](), reflect.TypeFor[*Model](), reflect.TypeFor[Model]():
		return true
	case reflect.TypeFor[http.Client]():
		return h.in(v.FieldByName("Transport"), home)
	}
	switch v.Kind() {
	case reflect.Interface:
		return h.in(v.Elem(), home)
	case reflect.Pointer:
		if v.IsNil() || h.seen[v] || !opens(v.Type().Elem(), home) {
			return false
		}
		h.seen[v] = true
		return h.in(v.Elem(), home)
	case reflect.Struct:
		if !opens(v.Type(), home) {
			return false
		}
		if keeps(v.Type()) {
			home = v.Type().PkgPath()
		}
		for i := range v.NumField() {
			if h.in(v.Field(i), home) {
				return true
			}
		}
	case reflect.Slice, reflect.Array:
		switch v.Type().Elem().Kind() {
		case reflect.Interface, reflect.Pointer, reflect.Struct:
			for i := range v.Len() {
				if h.in(v.Index(i), home) {
					return true
				}
			}
		}
	}
	return false
}

// opens reports whether a type is one that holds looks into.
func opens(t reflect.Type, home string) bool {
	path := t.PkgPath()
	return t == reflect.TypeFor[http.Client]() || keeps(t) || path != "" && path == home || strings.HasPrefix(path, "github.com/tmc/langchaingo/")
}

// keeps reports whether a type is a model or a transport outside of the standard library: what it is made of may be
// others of them.
func keeps(t reflect.Type) bool {
	if first, _, _ := strings.Cut(t.PkgPath(), "/"); first != "main" && !strings.Contains(first, ".") {
		return false
	}
	for _, kept := range []reflect.Type{reflect.TypeFor[llms.Model](), reflect.TypeFor[http.RoundTripper]()} {
		if t.Implements(kept) || reflect.PointerTo(t).Implements(kept) {
			return true
		}
	}
	return false
}
