package retrytest

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// exact is a text that comes back byte for byte: JSON has no form for half a rune, and a chunk of a stream may end in
// one. Such a text is written as {"base64": "..."}.
type exact string

// MarshalJSON writes a string where that loses nothing.
func (e exact) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(e)) {
		return []byte(quote(string(e))), nil
	}
	return json.Marshal(map[string][]byte{"base64": []byte(e)})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *exact) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*e = exact(text)
		return nil
	}
	var raw struct {
		Base64 []byte `json:"base64"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	*e = exact(raw.Base64)
	return nil
}

// The generation info of a response is a map of anything. JSON has one type of number, and the code that reads usage
// asks for int: a number without point and exponent comes back as an int, one with as a float64. Other types are
// written as {"$type": value}. A struct, which is some SDK's own, comes back as a map of its exported fields.

// encodeAny returns v in a form for JSON.
func encodeAny(v any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Invalid:
		return nil, nil
	case reflect.String, reflect.Bool:
		if r.Kind() == reflect.String {
			return exact(r.String()), nil
		}
		return r.Bool(), nil
	case reflect.Int:
		return json.Number(strconv.FormatInt(r.Int(), 10)), nil
	case reflect.Float64:
		return encodeFloat(r.Float())
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32:
		return map[string]any{"$" + r.Kind().String(): fmt.Sprint(v)}, nil
	case reflect.Pointer, reflect.Interface:
		if r.IsNil() {
			return nil, nil
		}
		return encodeAny(r.Elem().Interface(), depth+1)
	case reflect.Map:
		return encodeMap(r, depth)
	case reflect.Slice, reflect.Array:
		return encodeList(r, depth)
	case reflect.Struct:
		m := map[string]any{}
		for i := range r.NumField() {
			if f := r.Type().Field(i); f.IsExported() {
				value, err := encodeAny(r.Field(i).Interface(), depth+1)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", f.Name, err)
				}
				m[f.Name] = value
			}
		}
		return m, nil
	}
	return nil, fmt.Errorf("a value of type %T cannot be recorded", v)
}

func encodeFloat(f float64) (any, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return map[string]any{"$float64": strconv.FormatFloat(f, 'g', -1, 64)}, nil
	}
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return json.Number(s), nil
}

func encodeMap(r reflect.Value, depth int) (any, error) {
	if r.Type().Key().Kind() != reflect.String {
		return nil, fmt.Errorf("a value of type %s cannot be recorded", r.Type())
	}
	m, escape := map[string]any{}, false
	for entry := r.MapRange(); entry.Next(); {
		key := entry.Key().String()
		value, err := encodeAny(entry.Value().Interface(), depth+1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		m[key] = value
		escape = escape || strings.HasPrefix(key, "$") || key == "base64"
	}
	if escape {
		return map[string]any{"$map": m}, nil
	}
	return m, nil
}

func encodeList(r reflect.Value, depth int) (any, error) {
	list := make([]any, r.Len())
	for i := range list {
		value, err := encodeAny(r.Index(i).Interface(), depth+1)
		if err != nil {
			return nil, fmt.Errorf("%d: %w", i, err)
		}
		list[i] = value
	}
	if r.Type() == reflect.TypeFor[[]string]() {
		return map[string]any{"$strings": list}, nil
	}
	return list, nil
}

// decodeAny is the reverse of encodeAny, for what a decoder with UseNumber has read.
func decodeAny(v any) (any, error) {
	switch v := v.(type) {
	case json.Number:
		if n, err := strconv.Atoi(v.String()); err == nil {
			return n, nil
		}
		return v.Float64()
	case []any:
		list := make([]any, len(v))
		for i := range v {
			value, err := decodeAny(v[i])
			if err != nil {
				return nil, err
			}
			list[i] = value
		}
		return list, nil
	case map[string]any:
		if len(v) == 1 {
			for key, value := range v {
				if strings.HasPrefix(key, "$") || key == "base64" {
					return decodeTyped(strings.TrimPrefix(key, "$"), value)
				}
			}
		}
		return decodeMap(v)
	}
	return v, nil
}

func decodeMap(v map[string]any) (any, error) {
	m := make(map[string]any, len(v))
	for key := range v {
		value, err := decodeAny(v[key])
		if err != nil {
			return nil, err
		}
		m[key] = value
	}
	return m, nil
}

// kinds are the types of numbers that are written with their name.
var kinds = map[string]reflect.Type{
	"int8": reflect.TypeFor[int8](), "int16": reflect.TypeFor[int16](), "int32": reflect.TypeFor[int32](), "int64": reflect.TypeFor[int64](),
	"uint": reflect.TypeFor[uint](), "uint8": reflect.TypeFor[uint8](), "uint16": reflect.TypeFor[uint16](), "uint32": reflect.TypeFor[uint32](),
	"uint64": reflect.TypeFor[uint64](), "float32": reflect.TypeFor[float32](), "float64": reflect.TypeFor[float64](),
}

func decodeTyped(name string, value any) (any, error) {
	switch v := value.(type) {
	case map[string]any:
		if name == "map" {
			return decodeMap(v)
		}
	case []any:
		if name == "strings" {
			list := make([]string, len(v))
			for i := range v {
				value, err := decodeAny(v[i])
				text, ok := value.(string)
				if err != nil || !ok {
					return nil, fmt.Errorf("$strings holds %T", v[i])
				}
				list[i] = text
			}
			return list, nil
		}
	case string:
		if name == "base64" {
			var e exact
			err := e.UnmarshalJSON([]byte(`{"base64":` + quote(v) + `}`))
			return string(e), err
		}
		if t, ok := kinds[name]; ok {
			return parseKind(t, v)
		}
	}
	return nil, fmt.Errorf("unknown type %q", "$"+name)
}

func parseKind(t reflect.Type, s string) (any, error) {
	r := reflect.New(t).Elem()
	var err error
	switch bits := t.Bits(); {
	case r.CanInt():
		var n int64
		n, err = strconv.ParseInt(s, 10, bits)
		r.SetInt(n)
	case r.CanUint():
		var n uint64
		n, err = strconv.ParseUint(s, 10, bits)
		r.SetUint(n)
	default:
		var f float64
		f, err = strconv.ParseFloat(s, bits)
		r.SetFloat(f)
	}
	return r.Interface(), err
}
