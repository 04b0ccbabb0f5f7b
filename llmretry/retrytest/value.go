package retrytest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// UnsupportedSchemaError says that [Value] can make no value for a schema.
type UnsupportedSchemaError struct {
	Path    string // JSON Pointer into the schema; "" = the whole of it
	Keyword string // what it does not know, or cannot satisfy
}

// Error names the keyword and where it stands.
func (e *UnsupportedSchemaError) Error() string {
	return fmt.Sprintf("retrytest: no value can be made for %q at %q of the schema", e.Keyword, e.Path)
}

// Value returns a value that schema accepts, the same for the same seed. It knows type, enum, const, properties,
// required, items, minItems, maxItems, minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength,
// additionalProperties, the formats date, date-time and email, and references within the schema. Any other keyword that
// constrains is an [*UnsupportedSchemaError], and so is what no value satisfies: give an example value instead. Optional
// members are there, unless they would never end.
func Value(schema json.RawMessage, seed uint64) (json.RawMessage, error) {
	v, err := parseSchema(schema)
	if err != nil {
		return nil, err
	}
	n, err := generate(v, newSource("value", strconv.FormatUint(seed, 10)), 0)
	if err != nil {
		return nil, err
	}
	return json.RawMessage(n.String()), nil
}

// known are the keywords that generate understands or that constrain nothing.
var known = map[string]bool{
	"type": true, "enum": true, "const": true, "properties": true, "required": true, "items": true, "minItems": true, "maxItems": true,
	"minimum": true, "maximum": true, "exclusiveMinimum": true, "exclusiveMaximum": true, "minLength": true, "maxLength": true,
	"additionalProperties": true, "format": true,
	"$schema": true, "$id": true, "$comment": true, "$defs": true, "definitions": true, "title": true, "description": true, "default": true,
	"examples": true, "deprecated": true, "readOnly": true, "writeOnly": true,
}

// maxNesting is where an optional member is left out: its schema may be its own.
const maxNesting = 6

func generate(v view, s source, depth int) (*node, error) {
	for _, keyword := range slices.Sorted(maps.Keys(v.at)) {
		if !known[keyword] {
			return nil, v.unsupported(keyword)
		}
	}
	if depth > maxDepth {
		return nil, v.unsupported("$ref")
	}
	if options := v.options(); options != nil {
		options = slices.DeleteFunc(options, func(n *node) bool { return !v.allows(n.kind) })
		if len(options) == 0 {
			return nil, v.unsupported("enum")
		}
		return options[s.of("enum").pick(len(options))], nil
	}
	types := v.types()
	if types == nil {
		types = []string{v.implied()}
	}
	if len(types) > 1 {
		types = slices.DeleteFunc(slices.Clone(types), func(t string) bool { return t == "null" }) // a value says more
	}
	if len(types) == 0 {
		return nil, v.unsupported("type")
	}
	switch types[0] {
	case "object":
		return generateObject(v, s, depth)
	case "array":
		return generateArray(v, s, depth)
	case "string":
		return generateString(v, s)
	case "integer", "number":
		return generateNumber(v, s, types[0] == "integer")
	case "boolean":
		return &node{kind: isBoolean, text: strconv.FormatBool(s.of("boolean").pick(2) == 1)}, nil
	case "null":
		return &node{kind: isNull, text: "null"}, nil
	}
	return nil, v.unsupported("type")
}

func (v view) unsupported(keyword string) error {
	return &UnsupportedSchemaError{Path: v.path, Keyword: keyword}
}

// implied is the type of a schema that names none.
func (v view) implied() string {
	switch {
	case v.at["properties"] != nil || v.at["required"] != nil:
		return "object"
	case v.at["items"] != nil || v.at["minItems"] != nil:
		return "array"
	case v.at["minimum"] != nil || v.at["maximum"] != nil || v.at["exclusiveMinimum"] != nil || v.at["exclusiveMaximum"] != nil:
		return "number"
	}
	return "string"
}

func generateObject(v view, s source, depth int) (*node, error) {
	n := &node{kind: isObject}
	properties, _ := v.at["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if properties[name] == false && !v.requires(name) || depth >= maxNesting && !v.requires(name) {
			continue
		}
		if properties[name] == false {
			return nil, v.property(name).unsupported("false")
		}
		value, err := generate(v.property(name), s.of("property", name), depth+1)
		if err != nil {
			return nil, err
		}
		n.members = append(n.members, member{name, value})
	}
	required, _ := v.at["required"].([]any)
	for _, name := range required {
		if name, ok := name.(string); !ok || !v.hasProperty(name) {
			return nil, v.unsupported("required")
		}
	}
	return n, nil
}

func generateArray(v view, s source, depth int) (*node, error) {
	n := &node{kind: isArray}
	least, greatest, ok := v.counts("minItems", "maxItems")
	if !ok {
		return nil, v.unsupported("minItems")
	}
	if v.at["items"] == false {
		if least > 0 {
			return nil, v.unsupported("items")
		}
		return n, nil
	}
	length := max(least, min(greatest, 1+s.of("length").pick(2)))
	if depth >= maxNesting {
		length = least
	}
	for i := range length {
		item, err := generate(v.items(), s.of("item", strconv.Itoa(i)), depth+1)
		if err != nil {
			return nil, err
		}
		n.items = append(n.items, item)
	}
	return n, nil
}

// counts returns the bounds of a length; not ok is one that is none, or none that can be kept.
func (v view) counts(least, greatest string) (from, to int, ok bool) {
	to = maxCount
	if v.at[least] != nil {
		if from, ok = v.count(least); !ok {
			return 0, 0, false
		}
	}
	if f, given := v.number(greatest); given && f < maxCount {
		if to = int(math.Floor(f)); f < 0 {
			return 0, 0, false
		}
	}
	if f, _ := v.number(least); f > float64(from) {
		from++ // a bound with a fraction
	}
	return from, to, from <= to
}

var words = [...]string{"amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "harbor"}

func generateString(v view, s source) (*node, error) {
	least, greatest, ok := v.counts("minLength", "maxLength")
	if !ok {
		return nil, v.unsupported("minLength")
	}
	word := words[s.of("word").pick(len(words))]
	day := fmt.Sprintf("2024-%02d-%02d", 1+s.of("month").pick(12), 1+s.of("day").pick(28))
	switch v.keyword("format") {
	case "":
		for utf8.RuneCountInString(word) < least {
			word += " " + word
		}
		if n := min(greatest, max(least, len("harbor"))); len(word) > n {
			word = word[:n] // ASCII
		}
		if strings.HasSuffix(word, " ") {
			word = word[:len(word)-1] + "s"
		}
	case "date":
		word = day
	case "date-time":
		word = day + "T12:00:00Z"
	case "email":
		word += "@example.com"
	default:
		return nil, v.unsupported("format")
	}
	if len(word) < least || len(word) > greatest {
		return nil, v.unsupported("maxLength")
	}
	return text(word), nil
}

func generateNumber(v view, s source, whole bool) (*node, error) {
	low, high, ok := v.bounds()
	if whole || math.Ceil(low) <= math.Floor(high) {
		low, high = math.Ceil(low), math.Floor(high)
	}
	if !ok || low > high || whole && (math.Abs(low) > 1<<53 || math.Abs(high) > 1<<53) {
		return nil, v.unsupported("minimum")
	}
	steps := math.Min(math.Floor(high-low), 99)
	return number(low + float64(s.of("number").pick(int(steps)+1))), nil
}

// bounds returns the least and the greatest number that v accepts, or some near them where v does not say.
func (v view) bounds() (low, high float64, ok bool) {
	low, high = math.Inf(-1), math.Inf(1)
	if f, ok := v.number("minimum"); ok {
		low = f
	}
	if f, ok := v.number("exclusiveMinimum"); ok && f >= low {
		low = math.Nextafter(f, math.Inf(1))
	}
	if f, ok := v.number("maximum"); ok {
		high = f
	}
	if f, ok := v.number("exclusiveMaximum"); ok && f <= high {
		high = math.Nextafter(f, math.Inf(-1))
	}
	switch {
	case math.IsInf(low, -1) && math.IsInf(high, 1):
		low, high = 1, 100
	case math.IsInf(low, -1):
		low = high - 100
	case math.IsInf(high, 1):
		high = low + 100
	}
	return low, high, low <= high
}
