package schemacheck

import (
	"slices"
	"strings"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// maxGot bounds the sample of a value, in bytes: with the keys of the pointer under 200 of the model's own in one issue.
const maxGot = 80

// issue words one violation.
func (s *Schema) issue(root any, v violation) llmretry.Issue {
	path := v.path
	if v.aboutMember() {
		path = append(slices.Clone(path), v.name)
	}
	value, present := jsontext.Lookup(root, path)
	got := ""
	if present {
		got = jsontext.Sample(value, maxGot)
	}
	want, text := s.wording(v, value)
	issue := llmretry.Issue{Path: s.Pointer(path), Code: v.code, Want: want, Got: got}
	issue.Message = Place(issue.Path) + ": " + text
	if got != "" {
		issue.Message += ", got " + got
	}
	return issue
}

// wording returns what was wanted and the sentence about it, without place and sample.
func (s *Schema) wording(v violation, value any) (want, text string) {
	m := s.at(v.schema)
	limit := func(keyword string) string { return plain(m[keyword]) }
	switch v.code {
	case "required":
		if v.allowed != nil {
			want = oneOf(v.allowed)
		} else if props, ok := m["properties"].(map[string]any); ok {
			want = s.describe(props[v.name])
		}
		if want == "" {
			return "", "required property is missing"
		}
		return want, "required property is missing, want " + want
	case "additional":
		if want = allowedNames(m); want == "" {
			return "", "property is not allowed"
		}
		return want, "property is not allowed, want only " + want
	case "property_name":
		return "", "property name " + jsontext.Quote(v.name, maxGot) + " is not allowed"
	case "type":
		if want = s.describe(m); want == "" || v.options != nil && m["type"] == nil {
			want = strings.Join(v.options, " or ")
		}
	case "format":
		want = "string in " + v.limit + " format"
	case "pattern":
		want = "string matching " + jsontext.Clip(v.limit, maxWant)
	case "minimum":
		want = "at least " + limit("minimum")
	case "maximum":
		want = "at most " + limit("maximum")
	case "exclusive_minimum":
		want = "more than " + exclusive(m, "exclusiveMinimum", "minimum")
	case "exclusive_maximum":
		want = "less than " + exclusive(m, "exclusiveMaximum", "maximum")
	case "multiple_of":
		want = "a multiple of " + limit("multipleOf")
	case "min_length":
		want = "at least " + count(m["minLength"], "character", "characters")
	case "max_length":
		want = "at most " + count(m["maxLength"], "character", "characters")
	case "min_items":
		want = "at least " + count(m["minItems"], "item", "items")
	case "max_items":
		want = "at most " + count(m["maxItems"], "item", "items")
	case "min_properties":
		want = "at least " + count(m["minProperties"], "property", "properties")
	case "max_properties":
		want = "at most " + count(m["maxProperties"], "property", "properties")
	case "unique_items":
		return "distinct items", "want distinct items, items " + v.name + " are equal"
	case "contains":
		if want = s.describe(m["contains"]); want != "" {
			want = "an item that is " + want
		}
	case "one_of":
		return "", "fits more than one of the alternatives, want exactly one"
	case "not", "not_allowed", "additional_items", "max_contains":
		return "", "value is not allowed"
	case "schema_loop":
		return "", "cannot be judged, the schema refers to itself without end"
	case "enum":
		if want = s.describe(m); v.allowed != nil {
			want = oneOf(v.allowed)
		}
	default:
		want = s.describe(m)
	}
	if want == "" {
		return "", "does not fit the schema"
	}
	return want, "want " + want
}

// exclusive is a bound that the value must not reach: in draft 4 the keyword is a flag beside the bound.
func exclusive(m map[string]any, keyword, bound string) string {
	if m[keyword] == true {
		keyword = bound
	}
	return plain(m[keyword])
}

// count writes a number of things.
func count(n any, one, many string) string {
	if text := plain(n); text != "1" {
		return text + " " + many
	}
	return "1 " + one
}

// allowedNames lists the properties of an object that takes no others.
func allowedNames(m map[string]any) string {
	props, _ := m["properties"].(map[string]any)
	var values []any
	for _, name := range jsontext.Keys(props) {
		values = append(values, name)
	}
	if len(values) == 0 {
		return ""
	}
	return strings.TrimPrefix(oneOf(values), "one of ")
}
