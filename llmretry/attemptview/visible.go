package attemptview

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// run is a part of a text as the page shows it. A special one stands for a character that would be unseen or would
// change how others are seen.
type run struct {
	Text    string
	Special bool
}

// runs splits a text into what can be shown as it is and names for what cannot: control characters, invalid bytes,
// and the invisible ones that reorder text or hide in it. The joiners of emoji and of several scripts stay.
func runs(text string) []run {
	var list []run
	var special strings.Builder
	plain := 0
	flush := func(end int) {
		if special.Len() > 0 {
			list = append(list, run{special.String(), true})
			special.Reset()
		}
		if plain < end {
			list = append(list, run{Text: text[plain:end]})
		}
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		name := nameOf(r, text[i:i+size])
		if name != "" {
			if plain < i {
				flush(i)
			}
			special.WriteString(name)
			plain = i + size
		} else if special.Len() > 0 {
			list = append(list, run{special.String(), true})
			special.Reset()
		}
		i += size
	}
	flush(len(text))
	return list
}

// nameOf returns what to show for a character, "" when it can be shown itself.
func nameOf(r rune, bytes string) string {
	const zeroWidthNonJoiner, zeroWidthJoiner = '\u200c', '\u200d'
	switch {
	case r == '\n', r == '\t', r == zeroWidthJoiner, r == zeroWidthNonJoiner:
		return ""
	case r == utf8.RuneError && len(bytes) == 1:
		return fmt.Sprintf("[0x%02X]", bytes[0])
	case r == '\r':
		return "[CR]"
	case !unicode.IsGraphic(r):
		return fmt.Sprintf("[U+%04X]", r)
	}
	return ""
}

// visible is a text as the page shows it, without markup.
func visible(text string) string {
	var b strings.Builder
	for _, r := range runs(text) {
		b.WriteString(r.Text)
	}
	return b.String()
}
