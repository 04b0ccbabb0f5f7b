package jsontext

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPointer(t *testing.T) {
	path := []string{"a/b", "m~n", "0", ""}
	require.Equal(t, "/a~1b/m~0n/0/", Pointer(path))
	require.Equal(t, path, ParsePointer("/a~1b/m~0n/0/"))
	require.Nil(t, ParsePointer(""))
	tree := map[string]any{"a": []any{nil, map[string]any{"b": "x"}}}
	v, ok := Lookup(tree, []string{"a", "1", "b"})
	require.True(t, ok)
	require.Equal(t, "x", v)
	for _, bad := range [][]string{{"b"}, {"a", "2"}, {"a", "01"}, {"a", "-1"}, {"a", ""}, {"a", "0", "x"}, {"a", "99999999999"}} {
		_, ok := Lookup(tree, bad)
		require.False(t, ok, bad)
	}
}
