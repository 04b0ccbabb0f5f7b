package attemptview

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "",
		"plain\n\ttext":    "plain\n\ttext",
		"a\u202eb":         "a[U+202E]b",
		"\u2066\u2069":     "[U+2066][U+2069]",
		"x\x00\x1b[31m":    "x[U+0000][U+001B][31m",
		"a\r\nb":           "a[CR]\nb",
		"\xff\xfeé":        "[0xFF][0xFE]é",
		"\ufffd":           "\ufffd",
		"soft\u00adhyphen": "soft[U+00AD]hyphen",
		"\u200b\ufeff":     "[U+200B][U+FEFF]",
		"\U000e0041":       "[U+E0041]",
		"👩\u200d💻 می\u200cخواهم שלום": "👩\u200d💻 می\u200cخواهم שלום",
		"line\u2028paragraph\u2029":   "line[U+2028]paragraph[U+2029]",
		"no\u00a0break":               "no\u00a0break",
	} {
		assert.Equal(t, want, visible(text), "%q", text)
	}
	assert.Equal(t, []run{{"a", false}, {"[U+0001][U+0002]", true}, {"b", false}}, runs("a\x01\x02b"))
}
