package jsonbind

import (
	"encoding/json"
	"reflect"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
)

// rawText is the value's text: as the model wrote it where spans are kept, written again otherwise.
func (s *state) rawText(v any, span *jsontext.Span) []byte {
	if span != nil {
		return []byte(s.text[span.Start:span.End])
	}
	return jsontext.Append(nil, v)
}

func bindRaw(s *state, v any, span *jsontext.Span, dst reflect.Value) {
	dst.SetBytes(s.rawText(v, span))
}

// bindUnmarshaler hands the value to the type's own UnmarshalJSON, which is the caller's code and may panic: the
// parser recovers.
func bindUnmarshaler(s *state, v any, span *jsontext.Span, dst reflect.Value) {
	if err := dst.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(s.rawText(v, span)); err != nil {
		s.fail("decode", "", v, err)
	}
}
