package jsonbind

import (
	"encoding"
	"encoding/base64"
	"reflect"
	"strconv"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
)

func (c *compiler) pointer(t reflect.Type, path []string) (binder, error) {
	inner, err := c.compile(t.Elem(), path)
	if err != nil {
		return nil, err
	}
	return func(s *state, v any, span *jsontext.Span, dst reflect.Value) {
		if v == nil {
			return // stays nil
		}
		dst.Set(reflect.New(t.Elem()))
		inner(s, v, span, dst.Elem())
	}, nil
}

func (c *compiler) slice(t reflect.Type, path []string) (binder, error) {
	inner, err := c.compile(t.Elem(), append(path, "[]"))
	if err != nil {
		return nil, err
	}
	bytesType := t.Elem().Kind() == reflect.Uint8 && !reflect.PointerTo(t.Elem()).Implements(unmarshalerType) &&
		!reflect.PointerTo(t.Elem()).Implements(textUnmarshalerType)
	return func(s *state, v any, span *jsontext.Span, dst reflect.Value) {
		switch v := v.(type) {
		case nil:
		case string:
			if !bytesType {
				s.mismatch("array", v)
				return
			}
			raw, err := base64.StdEncoding.DecodeString(v)
			if err != nil {
				s.fail("encoding", "string in base64", v, nil)
				return
			}
			dst.SetBytes(raw)
		case []any:
			dst.Set(reflect.MakeSlice(t, len(v), len(v)))
			bindItems(s, v, span, dst, inner)
		default:
			s.mismatch("array", v)
		}
	}, nil
}

func bindItems(s *state, items []any, span *jsontext.Span, dst reflect.Value, inner binder) {
	for i, item := range items {
		var sub *jsontext.Span
		if span != nil {
			sub = span.Items[i]
		}
		before := len(s.faults)
		inner(s, item, sub, dst.Index(i))
		if len(s.faults) > before {
			s.under(strconv.Itoa(i), before)
		}
	}
}

func (c *compiler) array(t reflect.Type, path []string) (binder, error) {
	inner, err := c.compile(t.Elem(), append(path, "[]"))
	if err != nil {
		return nil, err
	}
	return func(s *state, v any, span *jsontext.Span, dst reflect.Value) {
		switch v := v.(type) {
		case nil:
		case []any:
			if len(v) != t.Len() { // encoding/json drops what is too much: a silent loss
				s.fail("type", "array of "+strconv.Itoa(t.Len())+" items", v, nil)
				return
			}
			bindItems(s, v, span, dst, inner)
		default:
			s.mismatch("array", v)
		}
	}, nil
}

func (c *compiler) mapping(t reflect.Type, path []string) (binder, error) {
	inner, err := c.compile(t.Elem(), append(path, "{}"))
	if err != nil {
		return nil, err
	}
	key := keyBinder(t.Key())
	if key == nil {
		return nil, errUnsupported(t, path, "cannot hold JSON: its keys are no strings, integers or text")
	}
	return func(s *state, v any, span *jsontext.Span, dst reflect.Value) {
		m, ok := v.(map[string]any)
		if !ok {
			if v != nil {
				s.mismatch("object", v)
			}
			return
		}
		dst.Set(reflect.MakeMapWithSize(t, len(m)))
		for _, name := range jsontext.Keys(m) { // sorted, so that faults are too
			var sub *jsontext.Span
			if span != nil {
				sub = span.Members[name]
			}
			k := reflect.New(t.Key()).Elem()
			before := len(s.faults)
			switch {
			case !key(name, k):
				s.fail("property_name", "", name, nil)
			case dst.MapIndex(k).IsValid(): // "7" and "007"
				s.fail("duplicate_key", "every key once", name, nil)
			default:
				elem := reflect.New(t.Elem()).Elem()
				inner(s, m[name], sub, elem)
				dst.SetMapIndex(k, elem)
			}
			s.under(name, before)
		}
	}, nil
}

// keyBinder returns what turns an object's key into a map's, nil for a type that cannot be one.
func keyBinder(t reflect.Type) func(name string, dst reflect.Value) bool {
	if reflect.PointerTo(t).Implements(textUnmarshalerType) {
		return func(name string, dst reflect.Value) bool {
			return dst.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(name)) == nil
		}
	}
	switch t.Kind() {
	case reflect.String:
		return func(name string, dst reflect.Value) bool { dst.SetString(name); return true }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(name string, dst reflect.Value) bool {
			n, err := strconv.ParseInt(name, 10, 64)
			if err != nil || dst.OverflowInt(n) {
				return false
			}
			dst.SetInt(n)
			return true
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return func(name string, dst reflect.Value) bool {
			n, err := strconv.ParseUint(name, 10, 64)
			if err != nil || dst.OverflowUint(n) {
				return false
			}
			dst.SetUint(n)
			return true
		}
	}
	return nil
}
