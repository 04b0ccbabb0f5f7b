package jsontext

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSample(t *testing.T) {
	for _, tc := range []struct {
		v    any
		max  int
		want string
	}{
		{nil, 10, `null`},
		{"short", 10, `"short"`},
		{"a longer text", 10, `"a lon..."`},
		{"äöüäöüäöü", 10, `"äö..."`},
		{"zero\u200bwidth\u202e\x00", 60, `"zero\u200bwidth\u202e\u0000"`},
		{"bad \xff byte", 60, `"bad \xff byte"`},
		{[]any{json.Number("1"), "x"}, 20, `[1,"x"]`},
		{[]any{json.Number("1"), "xxxxxxxxxxxxxxxxxxxxxxxxxxxx"}, 12, `[1,"xxxx...`},
		{map[string]any{"b": true, "a": nil}, 30, `{"a":null,"b":true}`},
		{json.Number(strings.Repeat("1", 99)), 8, `11111...`},
	} {
		got := Sample(tc.v, tc.max)
		require.LessOrEqual(t, len(got), tc.max)
		require.Equal(t, tc.want, got)
	}
	large := map[string]any{}
	for i := range 1000 {
		large[strings.Repeat("k", i)] = i
	}
	require.Equal(t, `{...}`, Sample(large, 30))
}
