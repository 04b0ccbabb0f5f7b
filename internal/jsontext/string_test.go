package jsontext

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNextSpecial holds the eight-byte steps against a look at every byte.
func TestNextSpecial(t *testing.T) {
	slow := func(s string, i int) int {
		for i < len(s) && byteClass[s[i]]&special == 0 {
			i++
		}
		return i
	}
	for c := range 256 {
		for _, at := range []int{0, 1, 6, 7, 8, 9, 15, 16, 20} {
			for _, before := range []string{" ", "a", "!", "#", "[", "]", "\x7f"} {
				s := strings.Repeat(before, at) + string([]byte{byte(c)}) + "bcdefghijk"
				require.Equal(t, slow(s, 0), nextSpecial(s, 0), "%q", s)
			}
		}
	}
	require.Equal(t, 0, nextSpecial("", 0))
}

func TestInvalidUTF8(t *testing.T) {
	for text, want := range map[string]int{"a\xff": 1, "\xed\xa0\x80": 0, "é\ufffd\xc3": 5} {
		require.Equal(t, want, invalidUTF8(text), "%q", text)
	}
}
