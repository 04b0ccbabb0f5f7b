package jsontext

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func decode(t *testing.T, text string, mode Mode) (any, *Duplicate) {
	t.Helper()
	v, fault := Scan(text, 0, mode)
	require.Zero(t, fault, text)
	return Decode(text, v, mode)
}

func TestDecode(t *testing.T) {
	got, dup := decode(t, `{"a":[1,12345678901234567890,-0.10,[]],"b":{"c":"x\té\ud83d\ude00"},"d":null,"e":[true,false]}`, RFC8259)
	require.Nil(t, dup)
	require.Equal(t, map[string]any{
		"a": []any{json.Number("1"), json.Number("12345678901234567890"), json.Number("-0.10"), []any{}},
		"b": map[string]any{"c": "x\té😀"}, "d": nil, "e": []any{true, false},
	}, got)
}

func TestDecodeTolerant(t *testing.T) {
	got, dup := decode(t, "{\u00a0\"a\" /* x */ : [1, // one\n 2,],\n\"b\": \"x\ny\",}", Tolerant)
	require.Nil(t, dup)
	require.Equal(t, map[string]any{"a": []any{json.Number("1"), json.Number("2")}, "b": "x\ny"}, got)
}

func TestDuplicates(t *testing.T) {
	for _, tc := range []struct {
		text             string
		strict, tolerant bool // refused
		path             []string
	}{
		{`{"a":1,"b":1}`, false, false, nil},
		{`{"a":1,"a":1}`, true, false, nil},
		{`{"a":1,"a":1.0}`, true, false, nil},
		{`{"a":1,"a":2}`, true, true, nil},
		{`{"a":1,"\u0061":2}`, true, true, nil},
		{`{"x":[0,{"a":{"b":1},"a":{"b":2}}]}`, true, true, []string{"x", "1"}},
		{`{"a":{"b":1},"a":{"c":2}}`, true, true, nil},
	} {
		_, dup := decode(t, tc.text, RFC8259)
		require.Equal(t, tc.strict, dup != nil, tc.text)
		_, dup = decode(t, tc.text, Tolerant)
		require.Equal(t, tc.tolerant, dup != nil, tc.text)
		if dup != nil {
			require.Equal(t, "a", dup.Key)
			require.Equal(t, tc.path, dup.Path, tc.text)
		}
	}
}

func TestSpans(t *testing.T) {
	text := ` {"a": [1, {"b" : "x"}], "c":null} `
	v, _ := Scan(text, 0, RFC8259)
	_, span, _ := DecodeSpans(text, v, RFC8259)
	piece := func(s *Span) string { return text[s.Start:s.End] }
	require.Equal(t, `[1, {"b" : "x"}]`, piece(span.Members["a"]))
	require.Equal(t, `{"b" : "x"}`, piece(span.Members["a"].Items[1]))
	require.Equal(t, `"x"`, piece(span.Members["a"].Items[1].Members["b"]))
	require.Equal(t, `null`, piece(span.Members["c"]))
}
