package jsonbind

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFaults(t *testing.T) {
	for _, tc := range []struct {
		text       string
		path       []string
		code, want string
	}{
		{`{"num":"200"}`, []string{"num"}, "range", "integer from -128 to 127"},
		{`{"U":65536}`, []string{"U"}, "range", "integer from 0 to 65535"},
		{`{"U":-1}`, []string{"U"}, "range", "integer from 0 to 65535"},
		{`{"U":1.5}`, []string{"U"}, "type", "integer"},
		{`{"U":1e30}`, []string{"U"}, "range", "integer from 0 to 65535"},
		{`{"matrix":[[],[1e300]]}`, []string{"matrix", "1", "0"}, "range", "number of 32-bit precision"},
		{`{"matrix":[[]]}`, []string{"matrix"}, "type", "array of 2 items"},
		{`{"list":[{"a":1},{"a":"x"}]}`, []string{"list", "1", "a"}, "type", "integer"},
		{`{"map":{"k":{"a":true}}}`, []string{"map", "k", "a"}, "type", "integer"},
		{`{"ints":{"x":"y"}}`, []string{"ints", "x"}, "property_name", ""},
		{`{"bytes":"!"}`, []string{"bytes"}, "encoding", "string in base64"},
		{`{"when":"yesterday"}`, []string{"when"}, "decode", ""},
		{`{"flag":true}`, []string{"flag"}, "type", "string"},
		{`{"flag":"1 2"}`, []string{"flag"}, "decode", "string that holds one value"},
		{`{"inner":[]}`, []string{"inner"}, "type", "object"},
		{`{"list":{}}`, []string{"list"}, "type", "array"},
		{`{"list":"aGk="}`, []string{"list"}, "type", "array"},
	} {
		_, faults := bind[wide](t, tc.text)
		require.Len(t, faults, 1, tc.text)
		require.Equal(t, tc.path, faults[0].Path, tc.text)
		require.Equal(t, tc.code, faults[0].Code, tc.text)
		require.Equal(t, tc.want, faults[0].Want, tc.text)
	}
}
