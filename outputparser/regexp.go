package outputparser

import (
	"encoding"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/llmretry/langchaingo-llmretry/internal/jsonbind"
	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
)

var _ schema.OutputParser[map[string]string] = (*RegexpParser[map[string]string])(nil)

// RegexpParser reads the named groups of a pattern into a T. Make one with [Regexp]; the zero value refuses every
// output. It is immutable and safe for concurrent use.
type RegexpParser[T any] struct {
	pattern string
	re      *regexp.Regexp
	groups  []group
	plan    *jsonbind.Plan
	strict  bool
}

// group is a named group and how its text is read.
type group struct {
	name  string
	index int
	kind  reflect.Kind // String, Bool, or Float64 for all numbers
}

// maxMatches bounds the matches of one reply that are compared.
const maxMatches = 1000

// Regexp returns a parser for the named groups of a pattern (Go's syntax, linear time). T is a map[string]string, or a
// struct with a property, named as in JSON, for every group: text, numbers as JSON writes them, true and false, or a
// type with UnmarshalText. A group that took no part leaves its property as it is.
//
// A lenient parser looks for the pattern anywhere and accepts one distinct match; with [Strict] the whole text, apart
// from white space around it, must match. It takes no other option.
func Regexp[T any](pattern string, opts ...Option) (*RegexpParser[T], error) {
	c, err := newConfig("Regexp", opts)
	if err != nil {
		return nil, err
	}
	source := pattern
	if c.strict {
		source = `\A(?:` + pattern + `)\z`
	}
	if _, err := regexp.Compile(pattern); err != nil { // before it stands in a group, where "a)(b" would be one
		return nil, invalid("Regexp: %w", err)
	}
	p := &RegexpParser[T]{pattern: pattern, strict: c.strict}
	if p.re, err = regexp.Compile(source); err != nil {
		return nil, invalid("Regexp: %w", err)
	}
	t := reflect.TypeFor[T]()
	if p.plan, err = jsonbind.Compile(t); err != nil {
		return nil, invalid("Regexp: %w", err)
	}
	for i, name := range p.re.SubexpNames() {
		if name == "" {
			continue
		}
		if slices.ContainsFunc(p.groups, func(g group) bool { return g.name == name }) {
			return nil, invalid("Regexp: group %q is there twice", name)
		}
		kind, ok := groupKind(t, name)
		if !ok {
			return nil, invalid("Regexp: %s has no property for the text of group %q: want map[string]string, or a struct with one", t, name)
		}
		p.groups = append(p.groups, group{name, i, kind})
	}
	if p.groups == nil {
		return nil, invalid("Regexp: the pattern has no named group (?P<name>...), whose text goes into T by its name")
	}
	return p, nil
}

// groupKind says how the text of a group is read into T.
func groupKind(t reflect.Type, name string) (reflect.Kind, bool) {
	if t == reflect.TypeFor[map[string]string]() {
		return reflect.String, true
	}
	if t.Kind() != reflect.Struct {
		return 0, false
	}
	field, _, ok := jsonbind.Field(t, name)
	if !ok {
		return 0, false
	}
	for field.Kind() == reflect.Pointer {
		field = field.Elem()
	}
	if reflect.PointerTo(field).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return reflect.String, true
	}
	switch field.Kind() {
	case reflect.String, reflect.Bool:
		return field.Kind(), field != reflect.TypeFor[json.Number]()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Float32, reflect.Float64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return reflect.Float64, true
	}
	return 0, false
}

// Parse returns the groups of the match, or an *[Error] with the code no_value, pattern, type, range or ambiguous.
func (p *RegexpParser[T]) Parse(text string) (v T, err error) {
	if p == nil || p.re == nil {
		return v, errNoParser
	}
	want := "text matching " + jsontext.Clip(p.pattern, 400)
	s, refused := answer(text, p.strict, want)
	if refused != nil {
		return v, refused
	}
	matches := p.re.FindAllStringSubmatchIndex(s, maxMatches+1)
	if whole := strings.TrimSpace(text); matches == nil && !p.strict && s != whole && strings.HasPrefix(whole, "```") {
		// The pattern may be about the fence that the answer was taken out of.
		if again := p.re.FindAllStringSubmatchIndex(whole, maxMatches+1); again != nil {
			s, matches = whole, again
		}
	}
	if len(matches) > maxMatches {
		return v, complain("ambiguous", "matches in too many places to compare", want, sampleText(text))
	}
	if matches == nil {
		return v, complain("pattern", "does not match", want, sampleText(text))
	}
	first := p.texts(s, matches[0])
	for _, m := range matches[1:] {
		if !slices.EqualFunc(first, p.texts(s, m), equalTexts) {
			return v, complain("ambiguous", "matches in two different ways", want, sampleText(text))
		}
	}
	return p.bind(first)
}

// texts returns the texts of the groups, nil for one that took no part.
func (p *RegexpParser[T]) texts(s string, match []int) []*string {
	texts := make([]*string, len(p.groups))
	for i, g := range p.groups {
		if from := match[2*g.index]; from >= 0 {
			text := s[from:match[2*g.index+1]]
			texts[i] = &text
		}
	}
	return texts
}

func equalTexts(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

func (p *RegexpParser[T]) bind(texts []*string) (v T, err error) {
	defer func() {
		if r := recover(); r != nil { // of T's own UnmarshalText
			var zero T
			issues, cause := panicked(r)
			v, err = zero, &Error{issues: issues, cause: cause}
		}
	}()
	tree := map[string]any{}
	var issues llmretry.Issues
	for i, g := range p.groups {
		if texts[i] == nil {
			continue
		}
		item, want := readGroup(*texts[i], g.kind)
		if want != "" {
			got := jsontext.Quote(*texts[i], maxSample)
			issues = append(issues, llmretry.Issue{
				Path: "/" + g.name, Code: "type", Want: want, Got: got,
				Message: "/" + g.name + ": want " + want + ", got " + got,
			})
			continue
		}
		tree[g.name] = item
	}
	if issues != nil {
		return v, &Error{issues: issues}
	}
	faults := p.plan.BindTo(jsonbind.Source{Tree: tree}, reflect.ValueOf(&v).Elem())
	if faults != nil {
		var zero T
		issues, cause := faultIssues(faults, jsontext.Pointer)
		return zero, &Error{issues: issues, cause: cause}
	}
	return v, nil
}

// readGroup reads the text of a group; want is set when it cannot be read.
func readGroup(text string, kind reflect.Kind) (v any, want string) {
	switch kind {
	case reflect.Bool:
		switch text {
		case "true":
			return true, ""
		case "false":
			return false, ""
		}
		return nil, "true or false"
	case reflect.Float64:
		if at, fault := jsontext.Scan(text, 0, jsontext.RFC8259); fault.Kind == jsontext.NoFault && at.Start == 0 && at.End == len(text) {
			if v, _ := jsontext.Decode(text, at, jsontext.RFC8259); v != nil {
				if _, ok := v.(json.Number); ok {
					return v, ""
				}
			}
		}
		return nil, "number"
	}
	return text, ""
}

// ParseWithPrompt is Parse; the prompt has no part in it.
func (p *RegexpParser[T]) ParseWithPrompt(text string, _ llms.PromptValue) (T, error) {
	return p.Parse(text)
}

// GetFormatInstructions returns the pattern.
func (p *RegexpParser[T]) GetFormatInstructions() string {
	if p == nil {
		return ""
	}
	return p.pattern
}

// Type returns "regexp".
func (p *RegexpParser[T]) Type() string { return "regexp" }
