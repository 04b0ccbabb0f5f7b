package jsonbind

import (
	"encoding"
	"encoding/json"
	"net/url"
	"reflect"
	"strconv"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
)

// A null leaves every kind but pointers, maps, slices and interfaces as it is, as encoding/json has it; it gets here
// only when the schema takes it.

func bindBool(s *state, v any, _ *jsontext.Span, dst reflect.Value) {
	switch v := v.(type) {
	case nil:
	case bool:
		dst.SetBool(v)
	default:
		s.mismatch("boolean", v)
	}
}

func bindString(s *state, v any, _ *jsontext.Span, dst reflect.Value) {
	switch v := v.(type) {
	case nil:
	case string:
		dst.SetString(v)
	default:
		s.mismatch("string", v)
	}
}

func bindAny(_ *state, v any, _ *jsontext.Span, dst reflect.Value) {
	if v != nil {
		dst.Set(reflect.ValueOf(v))
	}
}

func bindNumber(s *state, v any, _ *jsontext.Span, dst reflect.Value) {
	switch v := v.(type) {
	case nil:
	case json.Number:
		dst.SetString(string(v))
	default:
		s.mismatch("number", v)
	}
}

func bindInt(s *state, v any, _ *jsontext.Span, dst reflect.Value) {
	num, ok := v.(json.Number)
	if !ok {
		if v != nil {
			s.mismatch("integer", v)
		}
		return
	}
	n, err := strconv.ParseInt(string(num), 10, 64)
	if err != nil { // 36.0, 3.6e1, or too large
		whole, ok := jsontext.Integer(num)
		if !ok {
			s.mismatch("integer", v)
			return
		}
		if !whole.IsInt64() {
			s.fail("range", intRange(dst), v, nil)
			return
		}
		n = whole.Int64()
	}
	if dst.OverflowInt(n) {
		s.fail("range", intRange(dst), v, nil)
		return
	}
	dst.SetInt(n)
}

func intRange(dst reflect.Value) string {
	bits := dst.Type().Bits()
	top := int64(1)<<(bits-1) - 1
	return "integer from " + strconv.FormatInt(-top-1, 10) + " to " + strconv.FormatInt(top, 10)
}

func bindUint(s *state, v any, _ *jsontext.Span, dst reflect.Value) {
	num, ok := v.(json.Number)
	if !ok {
		if v != nil {
			s.mismatch("integer", v)
		}
		return
	}
	n, err := strconv.ParseUint(string(num), 10, 64)
	if err != nil {
		whole, ok := jsontext.Integer(num)
		if !ok {
			s.mismatch("integer", v)
			return
		}
		if !whole.IsUint64() {
			s.fail("range", uintRange(dst), v, nil)
			return
		}
		n = whole.Uint64()
	}
	if dst.OverflowUint(n) {
		s.fail("range", uintRange(dst), v, nil)
		return
	}
	dst.SetUint(n)
}

func uintRange(dst reflect.Value) string {
	return "integer from 0 to " + strconv.FormatUint(1<<dst.Type().Bits()-1, 10)
}

func bindFloat(s *state, v any, _ *jsontext.Span, dst reflect.Value) {
	num, ok := v.(json.Number)
	if !ok {
		if v != nil {
			s.mismatch("number", v)
		}
		return
	}
	f, err := strconv.ParseFloat(string(num), dst.Type().Bits())
	if err != nil {
		s.fail("range", "number of "+strconv.Itoa(dst.Type().Bits())+"-bit precision", v, nil)
		return
	}
	dst.SetFloat(f)
}

func bindURL(s *state, v any, _ *jsontext.Span, dst reflect.Value) {
	switch v := v.(type) {
	case nil:
	case string:
		u, err := url.Parse(v)
		if err != nil {
			s.fail("format", "string in uri format", v, err)
			return
		}
		dst.Set(reflect.ValueOf(*u))
	default:
		s.mismatch("string in uri format", v)
	}
}

func bindText(s *state, v any, _ *jsontext.Span, dst reflect.Value) {
	switch v := v.(type) {
	case nil:
	case string:
		if err := dst.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(v)); err != nil {
			s.fail("decode", "", v, err)
		}
	default:
		s.mismatch("string", v)
	}
}

// bindQuoted reads a value that the json tag's string option puts between quotes.
func bindQuoted(inner binder) binder {
	return func(s *state, v any, _ *jsontext.Span, dst reflect.Value) {
		if v == nil {
			inner(s, nil, nil, dst)
			return
		}
		text, ok := v.(string)
		if !ok {
			s.mismatch("string", v)
			return
		}
		at, fault := jsontext.Scan(text, 0, jsontext.RFC8259)
		if fault.Kind != jsontext.NoFault || at.Start != 0 || at.End != len(text) || at.Depth > 0 {
			s.fail("decode", "string that holds one value", v, nil)
			return
		}
		val, _ := jsontext.Decode(text, at, jsontext.RFC8259)
		inner(s, val, nil, dst)
	}
}
