package outputparser

import (
	"encoding/json"
	"reflect"

	"github.com/llmretry/langchaingo-llmretry/internal/jsonbind"
	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/llmretry/langchaingo-llmretry/internal/schemacheck"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
)

var _ schema.OutputParser[any] = (*JSONParser[any])(nil)

// JSONParser reads a JSON value that a schema accepts into a T. Make one with [JSON] or [FromSchema]; the zero value
// refuses every output. It is immutable and safe for concurrent use, as long as checks and T's own methods are.
//
// The value is put into a fresh T by the rules of encoding/json, except that keys match exactly and never by case,
// that 36.0 is an integer, that a number which does not fit is refused instead of rounded or wrapped, that an array
// of another length is refused, and that a number inside an any is a json.Number.
type JSONParser[T any] struct {
	reader       reader
	plan         *jsonbind.Plan // nil when T takes the decoded value as it is
	checks       []func(T) error
	schema       json.RawMessage
	instructions string
	tool         string
}

// JSON returns a parser for T. The schema is taken from the type as github.com/invopop/jsonschema takes it: names and
// required properties from the json tags (required without omitempty and omitzero), everything else from the
// jsonschema and jsonschema_description tags, and no other properties. A null is accepted only where the tag says
// jsonschema:"nullable", for pointers too. A type with an UnmarshalText of its own is a string; one with an
// UnmarshalJSON is any value, unless it is a struct with properties. A JSONSchema method on a type decides for it.
//
// It fails for a T that JSON cannot be put into (channels, functions, interfaces with methods, other map keys than
// strings, integers and text), for a struct that embeds itself, and for a schema that does not compile.
func JSON[T any](opts ...Option) (*JSONParser[T], error) {
	c, err := newConfig("JSON", opts, "Schema", "Refine", "AllowAdditional", "Instructions", "Check", "AsTool", "Limit")
	if err != nil {
		return nil, err
	}
	if c.schema != nil && c.open {
		return nil, invalid("JSON: AllowAdditional is about the type's own schema, beside Schema it would do nothing")
	}
	raw := c.schema
	if raw == nil {
		if raw, err = generate(reflect.TypeFor[T](), c.open); err != nil {
			return nil, err
		}
	}
	return newJSONParser[T]("JSON", raw, c)
}

// FromSchema returns a parser for the values that a JSON Schema accepts: map[string]any, []any, string, bool, nil, and
// json.Number for numbers, so that nothing is rounded. The draft is 2020-12 unless "$schema" says another. Formats
// are asserted, patterns are Go's regular expressions, and references out of the schema are refused: nothing is read
// and nothing is fetched.
func FromSchema(schema []byte, opts ...Option) (*JSONParser[any], error) {
	c, err := newConfig("FromSchema", opts, "Refine", "Instructions", "Check", "AsTool", "Limit")
	if err != nil {
		return nil, err
	}
	return newJSONParser[any]("FromSchema", schema, c)
}

func newJSONParser[T any](constructor string, raw []byte, c *config) (*JSONParser[T], error) {
	text := string(raw)
	for _, patch := range c.patches {
		text = jsontext.Merge(text, patch)
	}
	s, err := schemacheck.Compile([]byte(text))
	if err != nil {
		return nil, invalid("%s: %w", constructor, err)
	}
	if c.limits.Issues > 0 {
		s = s.WithMaxIssues(c.limits.Issues)
	}
	p := &JSONParser[T]{reader: newReader(s, c.strict), schema: s.Raw(), instructions: string(s.Raw()), tool: c.tool}
	p.reader.limits = c.limits
	t := reflect.TypeFor[T]()
	if t != reflect.TypeFor[any]() {
		if p.plan, err = jsonbind.Compile(t); err != nil {
			return nil, invalid("%s: %w", constructor, err)
		}
	}
	if p.checks, err = checksFor[T](constructor, c); err != nil {
		return nil, err
	}
	if c.instructions != nil {
		if p.instructions, err = word(constructor, c.instructions, s.Raw()); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func word(constructor string, f func(json.RawMessage) string, schema json.RawMessage) (text string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = invalid("%s: Instructions: the function panicked: %v", constructor, r)
		}
	}()
	return f(schema), nil
}

// Parse returns the value in text, or an *[Error].
func (p *JSONParser[T]) Parse(text string) (v T, err error) {
	if p == nil || p.reader.schema == nil {
		return v, errNoParser
	}
	defer func() {
		if r := recover(); r != nil { // of a check, or of T's own methods
			var zero T
			v, err = zero, p.refuse(panicked(r))
		}
	}()
	got, issues := p.reader.read(text)
	if issues != nil {
		return v, p.refuse(issues, nil)
	}
	if issues, cause := p.bind(got, &v); issues != nil {
		var zero T
		return zero, p.refuse(issues, cause)
	}
	if issues, cause := p.judge(&v); issues != nil {
		var zero T
		return zero, p.refuse(issues, cause)
	}
	return v, nil
}

// ParseWithPrompt is Parse; the prompt has no part in it.
func (p *JSONParser[T]) ParseWithPrompt(text string, _ llms.PromptValue) (T, error) {
	return p.Parse(text)
}

// GetFormatInstructions returns the schema as compact JSON, or what [Instructions] made of it; always the same text.
func (p *JSONParser[T]) GetFormatInstructions() string {
	if p == nil {
		return ""
	}
	return p.instructions
}

// Schema returns the schema as compact JSON. The caller may keep and change it.
func (p *JSONParser[T]) Schema() json.RawMessage {
	if p == nil || p.reader.schema == nil {
		return nil
	}
	return p.reader.schema.Raw()
}

// ToolName returns the name that [AsTool] declared, "" without it.
func (p *JSONParser[T]) ToolName() string {
	if p == nil {
		return ""
	}
	return p.tool
}

// Type returns "json".
func (p *JSONParser[T]) Type() string { return "json" }
