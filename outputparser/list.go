package outputparser

import (
	"strconv"
	"strings"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
)

var _ schema.OutputParser[[]string] = (*ListParser)(nil)

// ListParser reads a list of texts. Make one with [List]; the zero value refuses every output. It is immutable and safe
// for concurrent use.
type ListParser struct {
	separator string
	strict    bool
}

// List returns a parser for items between separators, usually "," or "\n". Space around an item does not count. An
// item may stand in double quotes, with a quote inside it doubled, and then holds separators, except in a list of
// lines. An empty item is refused, an unclosed quote too, and a JSON array or object is no list.
//
// A lenient parser takes one separator too many at the end, and in a list of lines it drops blank lines and, when
// every line has one, bullets and numbers. It takes no option but [Strict].
func List(separator string, opts ...Option) (*ListParser, error) {
	c, err := newConfig("List", opts)
	if err != nil {
		return nil, err
	}
	if separator == "" || separator != "\n" && strings.TrimSpace(separator) == "" || strings.Contains(separator, `"`) {
		return nil, invalid("List: %q cannot separate items", separator)
	}
	return &ListParser{separator: separator, strict: c.strict}, nil
}

// Parse returns the items, at least one, or an *[Error].
func (p *ListParser) Parse(text string) ([]string, error) {
	if p == nil || p.separator == "" {
		return nil, errNoParser
	}
	want := "items separated by " + jsontext.Quote(p.separator, 20)
	s, refused := answer(text, p.strict, want)
	if refused != nil {
		return nil, refused
	}
	if bracketed(s, '[', ']') || bracketed(s, '{', '}') {
		return nil, complain("type", "is JSON", want, sampleText(text))
	}
	if p.separator == "\n" {
		s = strings.ReplaceAll(s, "\r\n", "\n")
		if !p.strict {
			s = plainLines(s)
		}
	}
	if !p.strict {
		s = strings.TrimSpace(strings.TrimSuffix(s, p.separator))
	}
	var items []string
	for more := true; more; {
		item, rest, again, ok := p.next(s)
		switch {
		case !ok:
			return nil, complain("truncated", "has a quoted item that does not end", want, ending(text))
		case item == "":
			return nil, complain("empty_item", "item "+strconv.Itoa(len(items)+1)+" is empty", want, sampleText(text))
		}
		items = append(items, item)
		s, more = rest, again
	}
	return items, nil
}

func bracketed(s string, open, closing byte) bool { return s[0] == open && s[len(s)-1] == closing }

// next cuts the first item off s; more says whether a separator follows it.
func (p *ListParser) next(s string) (item, rest string, more, ok bool) {
	s = strings.TrimLeft(s, " \t")
	if p.separator == "\n" || !strings.HasPrefix(s, `"`) {
		item, rest, more = strings.Cut(s, p.separator)
		return strings.TrimSpace(item), rest, more, true
	}
	var b strings.Builder
	for s = s[1:]; ; {
		end := strings.IndexByte(s, '"')
		if end < 0 {
			return "", "", false, false
		}
		b.WriteString(s[:end])
		if s = s[end+1:]; !strings.HasPrefix(s, `"`) {
			break
		}
		b.WriteByte('"')
		s = s[1:]
	}
	tail, rest, more := strings.Cut(s, p.separator)
	if strings.TrimSpace(tail) != "" {
		return "", "", false, false // text after the closing quote: where the item ends is a guess
	}
	return b.String(), rest, more, true
}

// plainLines drops blank lines, and the marks before the items when all lines have one.
func plainLines(s string) string {
	var lines, bare []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		lines = append(lines, line)
		if item, ok := afterMark(line); ok {
			bare = append(bare, item)
		}
	}
	if len(bare) == len(lines) {
		lines = bare
	}
	return strings.Join(lines, "\n")
}

// afterMark returns what follows a bullet or a number.
func afterMark(line string) (string, bool) {
	for _, bullet := range [...]string{"- ", "* ", "+ ", "• "} {
		if item, ok := strings.CutPrefix(line, bullet); ok {
			return strings.TrimSpace(item), true
		}
	}
	item := strings.TrimLeft(line, "0123456789")
	if item == line || len(item) < 2 || item[0] != '.' && item[0] != ')' || item[1] != ' ' {
		return "", false
	}
	return strings.TrimSpace(item[2:]), true
}

// ParseWithPrompt is Parse; the prompt has no part in it.
func (p *ListParser) ParseWithPrompt(text string, _ llms.PromptValue) ([]string, error) {
	return p.Parse(text)
}

// GetFormatInstructions returns the separator.
func (p *ListParser) GetFormatInstructions() string {
	if p == nil {
		return ""
	}
	return p.separator
}

// Type returns "list".
func (p *ListParser) Type() string { return "list" }
