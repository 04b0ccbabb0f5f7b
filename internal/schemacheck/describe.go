package schemacheck

import (
	"net/url"
	"slices"
	"strings"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
)

const (
	maxDescribeDepth = 8    // of references and unions followed for one description
	maxWant          = 1000 // bytes of a description; allowed values are listed up to it
)

// at returns the sub-schema that a pointer of the validator names.
func (s *Schema) at(pointer string) map[string]any {
	if plain, err := url.PathUnescape(pointer); err == nil {
		pointer = plain
	}
	sub, _ := jsontext.Lookup(s.doc, jsontext.ParsePointer(pointer))
	m, _ := sub.(map[string]any)
	return m
}

// resolve follows a reference within the document.
func (s *Schema) resolve(m map[string]any) (any, bool) {
	ref, ok := m["$ref"].(string)
	if !ok || !strings.HasPrefix(ref, "#") || ref != "#" && !strings.HasPrefix(ref, "#/") {
		return nil, false
	}
	pointer, err := url.PathUnescape(ref[1:])
	if err != nil {
		return nil, false
	}
	return jsontext.Lookup(s.doc, jsontext.ParsePointer(pointer))
}

// describe says in a few words what a schema wants; "" when it has no simple answer.
func (s *Schema) describe(schema any) string {
	text := s.describeAt(schema, 0)
	if len(text) > maxWant {
		text = jsontext.Clip(text, maxWant)
	}
	return text
}

func (s *Schema) describeAt(schema any, depth int) string {
	m, ok := schema.(map[string]any)
	if !ok || depth > maxDescribeDepth {
		return ""
	}
	if c, ok := m["const"]; ok {
		return jsontext.Sample(c, maxWant)
	}
	if values, ok := m["enum"].([]any); ok {
		return oneOf(values)
	}
	for _, keyword := range [...]string{"anyOf", "oneOf"} {
		if branches, ok := m[keyword].([]any); ok {
			return s.alternatives(branches, depth)
		}
	}
	text := typeText(m)
	if text == "" {
		if target, ok := s.resolve(m); ok {
			return s.describeAt(target, depth+1)
		}
		if all, ok := m["allOf"].([]any); ok && len(all) == 1 {
			return s.describeAt(all[0], depth+1)
		}
		return ""
	}
	return text + details(m)
}

func (s *Schema) alternatives(branches []any, depth int) string {
	var texts []string
	for _, branch := range branches {
		text := s.describeAt(branch, depth+1)
		if text == "" {
			return ""
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, " or ")
}

func typeText(m map[string]any) string {
	switch t := m["type"].(type) {
	case string:
		return t
	case []any:
		var names []string
		for _, name := range t {
			if name, ok := name.(string); ok {
				names = append(names, name)
			}
		}
		return strings.Join(names, " or ")
	}
	if _, ok := m["properties"]; ok {
		return "object"
	}
	return ""
}

// details are the bounds that fit into a phrase.
func details(m map[string]any) string {
	var b strings.Builder
	add := func(keyword, phrase string) {
		if v, ok := m[keyword]; ok {
			b.WriteString(" " + phrase + " " + plain(v))
		}
	}
	if f, ok := m["format"].(string); ok {
		b.WriteString(" in " + f + " format")
	}
	low, hasLow := m["minimum"]
	high, hasHigh := m["maximum"]
	if hasLow && hasHigh {
		b.WriteString(" from " + plain(low) + " to " + plain(high))
	} else {
		add("minimum", "of at least")
		add("maximum", "of at most")
	}
	add("exclusiveMinimum", "above")
	add("exclusiveMaximum", "below")
	add("multipleOf", "in steps of")
	add("pattern", "matching")
	return b.String()
}

// plain writes a bound or pattern as the schema has it.
func plain(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	return jsontext.Sample(v, 100)
}

func oneOf(values []any) string {
	texts := make([]string, 0, len(values))
	size := 0
	for _, v := range values {
		text := jsontext.Sample(v, 200)
		if size += len(text) + 2; size > maxWant-20 {
			texts = append(texts, "...")
			break
		}
		texts = append(texts, text)
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return "one of " + strings.Join(texts, ", ")
}

// Wanted says in a few words what the root of a valid value is; "" when there is no simple answer.
func (s *Schema) Wanted() string { return s.describe(s.doc) }
