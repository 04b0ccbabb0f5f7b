package llmretry

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxErrorText bounds a foreign text inside one of our Error() strings, in bytes: parsers of other libraries put the
// whole model output there.
const maxErrorText = 400

// maxProviderText bounds a provider's own text there: a proxy's error page is one too, and it is in every line that
// wraps the error.
const maxProviderText = 2000

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

// oneLine returns s with the characters escaped that would end a line or hide text: names that a model made up stand in
// lines of ours.
func oneLine(s string) string {
	odd := func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }
	if strings.IndexFunc(s, odd) < 0 {
		return s
	}
	quoted := strconv.Quote(s)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}
