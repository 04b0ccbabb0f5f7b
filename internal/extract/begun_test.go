package extract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBegun(t *testing.T) {
	for text, want := range map[string]bool{
		`{"`: true, `{}`: true, `{ "`: true, "{\u00a0\n\t}": true, `{a`: false, `{`: false, `{ `: false, `{'`: false, `{{`: false, `{[`: false,
		`{1`: false, `{-`: false, "{\u200b\"": false, `{// x` + "\n\"": true, `{/* x */"`: true, `{/* x */a`: false, `{/* x`: false,
		`{//`: false, `{#`: false, `{/`: false, `{/**//**/"`: true, `{` + strings.Repeat("/**/", 9) + `"`: true,
		"{# x\n\"": true, "{# x\na": false, "{#x}": false, "[# x\n1": true,
		`[1`: true, `[-`: true, `["`: true, `[{`: true, `[[`: true, `[]`: true, `[ ]`: true, `[true`: true, `[true]`: true, `[truely`: false,
		`[true_`: false, `[nullé`: false, `[null,`: true, `[x`: false, `[ x`: false, `[`: false, `[/* */1`: true, `[^1`: false, `x`: false,
	} {
		f := Search{s: text, end: len(text)}
		require.Equal(t, want, f.begun(0), text)
	}
}

// TestReach: what is remembered is what a new look would find.
func TestReach(t *testing.T) {
	const s = "a*/b*/c"
	var r reach
	for _, i := range []int{0, 1, 2, 0, 3, 4, 5, 6, 7, 1} {
		want := len(s)
		if n := strings.Index(s[i:], "*/"); n >= 0 {
			want = i + n + 2
		}
		require.Equal(t, want, r.next(s, i, "*/"), i)
	}
}
