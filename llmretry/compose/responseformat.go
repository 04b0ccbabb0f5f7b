package compose

import (
	"encoding/json"
	"errors"
	"regexp"

	"github.com/tmc/langchaingo/llms/openai"

	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

// ResponseFormat puts a JSON Schema into the form that openai.WithResponseFormat takes, so that the provider constrains
// the answer by the same schema that the parser judges it by:
//
//	parser := llmretry.Must(outputparser.JSON[Person]())
//	format, err := compose.ResponseFormat("person", parser.Schema())
//	client, err := openai.New(openai.WithResponseFormat(format))
//
// It belongs to the client: langchaingo has no such option for a call.
//
// That form knows type (one name), description, enum, items, properties, required and additionalProperties (true or
// false). References into the schema are replaced by what they refer to, const is an enum of one, and what only annotates
// (title, default, examples, $comment ...) is left out. Anything else would be lost, and is an error: one that matches
// llmretry.ErrInvalidOption for every place, with its JSON Pointer. Refusing is on purpose - unions, formats, bounds and
// recursive types are judged by the parser as ever; leave them to it, or patch them out of the schema that is sent.
//
// Strict is set when the schema is one that OpenAI's strict mode takes: no object allows additional properties, and all
// properties are required. A name is 1 to 64 letters, digits, dashes and underscores.
func ResponseFormat(name string, schema json.RawMessage) (*openai.ResponseFormat, error) {
	if !formatName.MatchString(name) {
		return nil, invalid("ResponseFormat: name %q: want 1 to 64 letters, digits, - and _", name)
	}
	if _, err := outputparser.FromSchema(schema); err != nil {
		return nil, err
	}
	var root any
	if err := decode(schema, &root); err != nil {
		return nil, invalid("ResponseFormat: %w", err)
	}
	w := formatWriter{root: root, strict: true}
	p := w.property(root, "", nil)
	if w.problems != nil {
		return nil, errors.Join(w.problems...)
	}
	return &openai.ResponseFormat{
		Type:       "json_schema",
		JSONSchema: &openai.ResponseFormatJSONSchema{Name: name, Strict: w.strict, Schema: p},
	}, nil
}

var formatName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
