package outputparser

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWholeWord(t *testing.T) {
	for text, want := range map[string]bool{
		"no": true, "no.": true, "(no)": true, "no-": true, "a no b": true, "«no»": true, "not": false, "kno": false, "no_": false, "no1": false,
		"éno": false, "noé": false, "no-one": false, "self-no": false, "- no -": true, "no\u0301": false, "no\xff": true,
	} {
		got := false
		for i := 0; i+2 <= len(text); i++ {
			got = got || text[i:i+2] == "no" && wholeWord(text, i, i+2)
		}
		require.Equal(t, want, got, "%q", text)
	}
}

func TestUnquoted(t *testing.T) {
	for text, want := range map[string]string{`"a"`: "a", "'a'": "a", "`a`": "a", `"a'`: `"a'`, `"`: `"`, ``: ``, `""`: ``, `""a""`: `"a"`, "*a*": "*a*"} {
		require.Equal(t, want, unquoted(text))
	}
}
