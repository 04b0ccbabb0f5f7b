package llmretry

import (
	"strconv"
	"unicode/utf8"
)

// maxErrorText bounds a foreign text inside one of our Error() strings, in bytes: parsers of other libraries put the
// whole model output there.
const maxErrorText = 400

// clip cuts s to at most max bytes on a rune's border and marks the cut.
func clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	cut := max - len("...")
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "..."
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
