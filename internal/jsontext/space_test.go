package jsontext

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSpace(t *testing.T) {
	for text, want := range map[string][2]int{ // RFC 8259, tolerant
		"": {0, 0}, "x": {0, 0}, " \t\r\nx": {4, 4}, "\u00a0x": {0, 2}, "// a\nx": {0, 5}, "# a\rx": {0, 4}, "/* */x": {0, 5}, "/* x": {0, 4},
		"// x": {0, 4}, "/x": {0, 0}, "\u00a1x": {0, 0}, " /**/\u00a0#\n x": {1, 10}, "\u200bx": {0, 0}, "\v": {0, 0},
	} {
		for i, tolerant := range []bool{false, true} {
			p := scanner{s: text, tolerant: tolerant}
			require.Equal(t, want[i], p.space(0), "%q", text)
			require.Equal(t, tolerant && want[0] != want[1], p.loose, "%q", text)
		}
	}
}
