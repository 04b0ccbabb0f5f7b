package jsontext

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEqual(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{`1`, `1.0`, true},
		{`100`, `1e2`, true},
		{`9007199254740993`, `9007199254740992`, false},
		{`0.1`, `0.10`, true},
		{`{"a":[1,null]}`, `{"a":[1.0,null]}`, true},
		{`{"a":1}`, `{"b":1}`, false},
		{`{"a":null}`, `{"b":null}`, false},
		{`[1]`, `[1,2]`, false},
		{`"1"`, `1`, false},
		{`true`, `true`, true},
		{`null`, `false`, false},
		{`{}`, `[]`, false},
	} {
		a, _ := decode(t, tc.a, RFC8259)
		b, _ := decode(t, tc.b, RFC8259)
		require.Equal(t, tc.want, Equal(a, b), "%s %s", tc.a, tc.b)
		require.Equal(t, tc.want, Equal(b, a), "%s %s", tc.b, tc.a)
	}
}
