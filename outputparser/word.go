package outputparser

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// vocabulary is the words that a text may answer with, each with its meaning.
type vocabulary struct {
	words   []string // longest first, so that "not sure" is not read as "sure"
	meaning map[string]int
	fold    bool // ASCII case does not count
	first   [256]bool
}

func newVocabulary(meaning map[string]int, fold bool) vocabulary {
	v := vocabulary{meaning: meaning, fold: fold}
	for word := range meaning {
		v.words = append(v.words, word)
		v.first[word[0]] = true
	}
	slices.SortFunc(v.words, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return v
}

// alone returns the meaning of a text that is one word, in a pair of quotes or without.
func (v *vocabulary) alone(text string) (int, bool) {
	text = v.folded(unquoted(text))
	m, ok := v.meaning[text]
	return m, ok
}

func unquoted(text string) string {
	if n := len(text); n >= 2 && text[0] == text[n-1] && strings.IndexByte("\"'`", text[0]) >= 0 {
		return text[1 : n-1]
	}
	return text
}

// within returns the distinct meanings of the whole words in a text, no more than two: two are one too many.
func (v *vocabulary) within(text string) (meanings []int) {
	text = v.folded(text)
	for i := 0; i < len(text); {
		word := ""
		if v.first[text[i]] {
			word = v.wordAt(text, i)
		}
		if word == "" {
			i++
			continue
		}
		if m := v.meaning[word]; !slices.Contains(meanings, m) {
			if meanings = append(meanings, m); len(meanings) == 2 {
				break
			}
		}
		i += len(word)
	}
	return meanings
}

func (v *vocabulary) wordAt(text string, i int) string {
	for _, word := range v.words {
		if strings.HasPrefix(text[i:], word) && wholeWord(text, i, i+len(word)) {
			return word
		}
	}
	return ""
}

// folded lowers ASCII letters only: the length stays, and words are ASCII where case does not count.
func (v *vocabulary) folded(text string) string {
	if !v.fold {
		return text
	}
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, text)
}

// wholeWord reports whether text[i:j] is not part of a longer word; a hyphen inside a word belongs to it.
func wholeWord(text string, i, j int) bool {
	begin, _ := utf8.DecodeRuneInString(text[i:])
	end, _ := utf8.DecodeLastRuneInString(text[:j])
	before, n := utf8.DecodeLastRuneInString(text[:i])
	if before == '-' {
		before, _ = utf8.DecodeLastRuneInString(text[:i-n])
	}
	after, n := utf8.DecodeRuneInString(text[j:])
	if after == '-' {
		after, _ = utf8.DecodeRuneInString(text[j+n:])
	}
	return !(wordRune(begin) && wordRune(before) || wordRune(end) && wordRune(after))
}

func wordRune(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}
