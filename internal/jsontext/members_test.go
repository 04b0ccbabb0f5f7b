package jsontext

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMerge(t *testing.T) {
	for _, tc := range []struct{ target, patch, want string }{
		{`{"z":1,"a":2}`, `{"m":3}`, `{"z":1,"a":2,"m":3}`},
		{`{"z":1,"a":2}`, `{"z":null}`, `{"a":2}`},
		{`{"z":{"x":1,"y":2},"a":2}`, `{"z":{"y":null,"w":[1]}}`, `{"z":{"x":1,"w":[1]},"a":2}`},
		{`{"z":1}`, `{"z":{"a":null,"b":1}}`, `{"z":{"b":1}}`},
		{`true`, `{"a":1}`, `{"a":1}`},
		{`{"a":1}`, `[1]`, `[1]`},
		{`{}`, `{"a":{"b":null}}`, `{"a":{}}`},
	} {
		require.Equal(t, tc.want, Merge(tc.target, tc.patch))
	}
}
