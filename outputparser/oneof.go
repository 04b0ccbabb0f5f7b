package outputparser

import (
	"strings"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
)

var _ schema.OutputParser[string] = (*OneOfParser[string])(nil)

// OneOfParser reads one of a fixed set of words. Make one with [OneOf]; the zero value refuses every output. It is
// immutable and safe for concurrent use.
type OneOfParser[T ~string] struct {
	values []T
	words  vocabulary
	strict bool
	want   string
}

// OneOf returns a parser for one of values, compared with case. It accepts a reply in which exactly one of them
// occurs as a whole word, however often; with [Strict], only the word alone, in a pair of quotes or without. It takes
// no other option. Empty lists, blank values and values given twice are errors.
func OneOf[T ~string](values []T, opts ...Option) (*OneOfParser[T], error) {
	c, err := newConfig("OneOf", opts)
	if err != nil {
		return nil, err
	}
	meaning := map[string]int{}
	for i, value := range values {
		word := string(value)
		if word == "" || strings.TrimSpace(word) != word {
			return nil, invalid("OneOf: value %d is blank or has space around it", i)
		}
		if _, twice := meaning[word]; twice {
			return nil, invalid("OneOf: %q is given twice", word)
		}
		meaning[word] = i
	}
	if len(values) == 0 {
		return nil, invalid("OneOf: no values are given")
	}
	return &OneOfParser[T]{
		values: append([]T(nil), values...), words: newVocabulary(meaning, false), strict: c.strict, want: oneOfText(values),
	}, nil
}

func oneOfText[T ~string](values []T) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = jsontext.Quote(string(value), 200)
	}
	list := jsontext.Clip(strings.Join(texts, ", "), 1000)
	if len(texts) == 1 {
		return list
	}
	return "one of " + list
}

// Parse returns the value that text names, or an *[Error] with the code no_value, enum or ambiguous.
func (p *OneOfParser[T]) Parse(text string) (T, error) {
	var zero T
	if p == nil || p.values == nil {
		return zero, errNoParser
	}
	i, err := p.words.read(text, p.strict, p.want)
	if err != nil {
		return zero, err
	}
	return p.values[i], nil
}

// read finds the one meaning of a text.
func (v *vocabulary) read(text string, strict bool, want string) (int, error) {
	s, refused := answer(text, strict, want)
	if refused != nil {
		return 0, refused
	}
	if m, ok := v.alone(s); ok {
		return m, nil
	}
	if strict {
		return 0, complain("enum", "is not one of the words", want, sampleText(text))
	}
	switch meanings := v.within(s); len(meanings) {
	case 0:
		return 0, complain("enum", "names none of the words", want, sampleText(text))
	case 1:
		return meanings[0], nil
	}
	return 0, complain("ambiguous", "names more than one of the words", want, sampleText(text))
}

// ParseWithPrompt is Parse; the prompt has no part in it.
func (p *OneOfParser[T]) ParseWithPrompt(text string, _ llms.PromptValue) (T, error) {
	return p.Parse(text)
}

// GetFormatInstructions returns the values, quoted and separated by commas.
func (p *OneOfParser[T]) GetFormatInstructions() string {
	if p == nil {
		return ""
	}
	return strings.TrimPrefix(p.want, "one of ")
}

// Type returns "one_of".
func (p *OneOfParser[T]) Type() string { return "one_of" }
