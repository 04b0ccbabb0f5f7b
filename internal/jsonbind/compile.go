package jsonbind

import (
	"encoding"
	"encoding/json"
	"net/url"
	"reflect"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
)

var (
	unmarshalerType     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
	numberType          = reflect.TypeFor[json.Number]()
	rawType             = reflect.TypeFor[json.RawMessage]()
	urlType             = reflect.TypeFor[url.URL]()
)

type compiler struct {
	plans map[reflect.Type]*lazy
	spans bool // some type wants the text of an object or array
}

// lazy stands for a type that is being compiled, so that a recursive one ends.
type lazy struct{ bind binder }

func (l *lazy) run(s *state, v any, span *jsontext.Span, dst reflect.Value) { l.bind(s, v, span, dst) }

// compile returns the binder of a type; path is where it is, for errors.
func (c *compiler) compile(t reflect.Type, path []string) (binder, error) {
	if l, ok := c.plans[t]; ok {
		if l.bind != nil {
			return l.bind, nil
		}
		return l.run, nil
	}
	l := new(lazy)
	c.plans[t] = l
	bind, err := c.build(t, path)
	if err != nil {
		return nil, err
	}
	l.bind = bind
	return bind, nil
}

func (c *compiler) build(t reflect.Type, path []string) (binder, error) {
	if t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface {
		// The order is that of encoding/json: a type's own decoding comes before its kind.
		switch ptr := reflect.PointerTo(t); {
		case t == numberType:
			return bindNumber, nil
		case t == rawType:
			c.spans = true
			return bindRaw, nil
		case ptr.Implements(unmarshalerType):
			c.spans = c.spans || !scalarType(t)
			return bindUnmarshaler, nil
		case t == urlType:
			return bindURL, nil
		case ptr.Implements(textUnmarshalerType):
			return bindText, nil
		}
	}
	switch t.Kind() {
	case reflect.Bool:
		return bindBool, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return bindInt, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return bindUint, nil
	case reflect.Float32, reflect.Float64:
		return bindFloat, nil
	case reflect.String:
		return bindString, nil
	case reflect.Interface:
		if t.NumMethod() != 0 {
			return nil, errUnsupported(t, path, "has methods: JSON does not say which type to put in")
		}
		return bindAny, nil
	case reflect.Pointer:
		return c.pointer(t, path)
	case reflect.Slice:
		return c.slice(t, path)
	case reflect.Array:
		return c.array(t, path)
	case reflect.Map:
		return c.mapping(t, path)
	case reflect.Struct:
		return c.structure(t, path)
	}
	return nil, errUnsupported(t, path, "cannot hold JSON")
}

// scalarType reports a type that is hardly ever written as an object or array: its text, written again from the
// decoded value, then is the same, and no spans need be kept.
func scalarType(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		return t.PkgPath() == "time" || t.PkgPath() == "math/big" || t.PkgPath() == "net/netip"
	case reflect.Slice, reflect.Array, reflect.Map:
		return false
	}
	return true
}
