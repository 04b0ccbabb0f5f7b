package retrytest

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// What is shown of a text and of a list.
const (
	maxShown  = 200 // bytes
	maxListed = 10
)

// clip cuts s on a rune's border and marks the cut.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "..."
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
