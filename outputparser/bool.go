package outputparser

import (
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
)

var _ schema.OutputParser[bool] = (*BoolParser)(nil)

// BoolParser reads a yes or a no. Make one with [Bool]; the zero value refuses every output. It is immutable and safe
// for concurrent use.
type BoolParser struct {
	words  vocabulary
	strict bool
}

const wantBool = "one of yes, no, true, false"

// Bool returns a parser for yes and true, no and false, in any case. It accepts a reply with whole words of one side
// only; with [Strict], only the word alone, in a pair of quotes or without. It takes no other option.
func Bool(opts ...Option) (*BoolParser, error) {
	c, err := newConfig("Bool", opts)
	if err != nil {
		return nil, err
	}
	return &BoolParser{
		words: newVocabulary(map[string]int{"no": 0, "false": 0, "yes": 1, "true": 1}, true), strict: c.strict,
	}, nil
}

// Parse returns what text says, or an *[Error] with the code no_value, enum or ambiguous.
func (p *BoolParser) Parse(text string) (bool, error) {
	if p == nil || p.words.meaning == nil {
		return false, errNoParser
	}
	m, err := p.words.read(text, p.strict, wantBool)
	return m == 1, err
}

// ParseWithPrompt is Parse; the prompt has no part in it.
func (p *BoolParser) ParseWithPrompt(text string, _ llms.PromptValue) (bool, error) {
	return p.Parse(text)
}

// GetFormatInstructions returns the words, separated by commas.
func (p *BoolParser) GetFormatInstructions() string { return "yes, no, true, false" }

// Type returns "bool".
func (p *BoolParser) Type() string { return "bool" }
