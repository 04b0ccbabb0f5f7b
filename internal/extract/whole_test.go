package extract

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhole(t *testing.T) {
	for _, tc := range []struct {
		text   string
		reason Reason
		offset int
	}{
		{` {"a":1} `, None, 0},
		{`"x"`, None, 0},
		{``, Empty, 0},
		{" \n", Empty, 0},
		{`no`, NoValue, 0},
		{`The`, NoValue, 0},
		{`{} x`, ExtraText, 2},
		{"{}\u00a0", ExtraText, 2},
		{`007`, ExtraText, 1},
		{`{,}`, Faulty, 1},
		{`[1,`, Faulty, 3},
	} {
		_, problem := Whole(tc.text)
		require.Equal(t, tc.reason, problem.Reason, tc.text)
		require.Equal(t, tc.offset, problem.Offset, tc.text)
	}
}

func TestBare(t *testing.T) {
	for text, want := range map[string]bool{" [1,] ": true, `"x"`: true, "```\n1\n```": false, "[1] x": false, "": false, "\ufeff1": false} {
		_, ok := Bare(text)
		require.Equal(t, want, ok, text)
	}
}
