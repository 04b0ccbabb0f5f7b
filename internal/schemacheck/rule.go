package schemacheck

import (
	"encoding/json"
	"math/big"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
)

// rule is a schema as [rule.judge] needs it, made from what the validator compiled: drafts, references and formats are
// the validator's business here too. A keyword that judge does not know makes the rule unsure of the values it is about.
type rule struct {
	fixed   answer // of a boolean schema
	boolean bool
	kinds   kinds // that it takes
	unsure  kinds // that a keyword it does not know is about
	format  func(v any) error
	values  []any // of enum; nil = any value
	single  []any // of const
	ref     *rule
	all     []*rule
	any     []*rule
	one     []*rule

	required             []string
	properties           map[string]*rule
	patterned            []patterned
	others               *rule // nil = whatever
	minMembers, maxCount int   // of an object; maxCount -1 = any number

	first              []*rule
	items              *rule // after first; nil = whatever
	minItems, maxItems int

	minLength, maxLength int // in characters
	pattern              interface{ MatchString(s string) bool }

	bounds []bound
}

type patterned struct {
	name interface{ MatchString(s string) bool }
	rule *rule
}

// bound is minimum and its like.
type bound struct {
	limit  float64 // the nearest to it
	exact  bool
	upper  bool
	strict bool
}

// kinds is a set of JSON types.
type kinds uint8

const (
	null kinds = 1 << iota
	boolean
	integer
	fraction // a number that need not be whole
	text
	array
	object

	number   = integer | fraction
	anything = null | boolean | number | text | array | object
)

var kindNames = map[string]kinds{
	"null": null, "boolean": boolean, "integer": integer, "number": number, "string": text, "array": array, "object": object,
}

// rules makes each schema's rule once: schemas refer to each other in circles.
type rules map[*validator.Schema]*rule

// of returns the rule of s; nil for nil.
func (known rules) of(s *validator.Schema) *rule {
	if s == nil {
		return nil
	}
	if r, ok := known[s]; ok {
		return r
	}
	r := &rule{kinds: anything, maxCount: -1, maxItems: -1, maxLength: -1}
	known[s] = r
	if s.Bool != nil {
		r.boolean, r.fixed = true, answerOf(*s.Bool)
		return r
	}
	r.ref, r.all, r.any, r.one = known.of(s.Ref), known.each(s.AllOf), known.each(s.AnyOf), known.each(s.OneOf)
	if s.Types != nil && !s.Types.IsEmpty() {
		r.kinds = 0
		for _, name := range s.Types.ToStrings() {
			r.kinds |= kindNames[name]
		}
	}
	if s.Enum != nil {
		r.values = append([]any{}, s.Enum.Values...) // not nil: an empty one takes nothing
	}
	if s.Const != nil {
		r.single = []any{*s.Const}
	}
	if s.Format != nil {
		r.format = s.Format.Validate
	}
	if s.Not != nil || s.If != nil || s.RecursiveRef != nil || s.DynamicRef != nil || len(s.Extensions) > 0 {
		r.unsure = anything
	}
	known.objects(r, s)
	known.arrays(r, s)
	texts(r, s)
	numbers(r, s)
	return r
}

func (known rules) each(list []*validator.Schema) (all []*rule) {
	for _, s := range list {
		all = append(all, known.of(s))
	}
	return all
}

// either is the rule of a keyword that takes a boolean or a schema.
func (known rules) either(v any) *rule {
	switch v := v.(type) {
	case bool:
		return &rule{boolean: true, fixed: answerOf(v)}
	case *validator.Schema:
		return known.of(v)
	}
	return nil
}

func (known rules) objects(r *rule, s *validator.Schema) {
	if s.PropertyNames != nil || len(s.Dependencies)+len(s.DependentRequired)+len(s.DependentSchemas) > 0 || s.UnevaluatedProperties != nil {
		r.unsure |= object
	}
	r.required, r.minMembers, r.maxCount = s.Required, valueOr(s.MinProperties, 0), valueOr(s.MaxProperties, -1)
	r.others = known.either(s.AdditionalProperties)
	r.properties = make(map[string]*rule, len(s.Properties))
	for name, property := range s.Properties {
		r.properties[name] = known.of(property)
	}
	for name, property := range s.PatternProperties {
		r.patterned = append(r.patterned, patterned{name, known.of(property)})
	}
}

func (known rules) arrays(r *rule, s *validator.Schema) {
	if s.UniqueItems || s.Contains != nil || s.UnevaluatedItems != nil {
		r.unsure |= array
	}
	r.minItems, r.maxItems = valueOr(s.MinItems, 0), valueOr(s.MaxItems, -1)
	if s.DraftVersion >= 2020 {
		r.first, r.items = known.each(s.PrefixItems), known.of(s.Items2020)
		return
	}
	switch items := s.Items.(type) {
	case *validator.Schema:
		r.items = known.of(items)
	case []*validator.Schema:
		r.first, r.items = known.each(items), known.either(s.AdditionalItems)
	default: // additionalItems counts from the first item then
		r.items = known.either(s.AdditionalItems)
	}
}

func texts(r *rule, s *validator.Schema) {
	if s.ContentEncoding != nil || s.ContentMediaType != nil || s.ContentSchema != nil {
		r.unsure |= text
	}
	r.minLength, r.maxLength = valueOr(s.MinLength, 0), valueOr(s.MaxLength, -1)
	if s.Pattern != nil {
		r.pattern = s.Pattern
	}
}

func numbers(r *rule, s *validator.Schema) {
	if s.MultipleOf != nil {
		r.unsure |= number
	}
	add := func(limit *big.Rat, upper, strict bool) {
		if limit == nil {
			return
		}
		f, exact := limit.Float64()
		r.bounds = append(r.bounds, bound{f, exact, upper, strict})
	}
	add(s.Minimum, false, false)
	add(s.ExclusiveMinimum, false, true)
	add(s.Maximum, true, false)
	add(s.ExclusiveMaximum, true, true)
}

func valueOr(p *int, otherwise int) int {
	if p == nil {
		return otherwise
	}
	return *p
}

// kindOf is the type of a decoded value. A number that is not written as a whole one may be one: 36.0, 1e3.
func kindOf(v any) kinds {
	switch v := v.(type) {
	case nil:
		return null
	case bool:
		return boolean
	case string:
		return text
	case []any:
		return array
	case map[string]any:
		return object
	case json.Number:
		if isWhole(string(v)) {
			return integer
		}
		return fraction
	}
	return 0
}

// isWhole reports whether a number is nothing but digits.
func isWhole(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c != '-' || i > 0) {
			return false
		}
	}
	return true
}
