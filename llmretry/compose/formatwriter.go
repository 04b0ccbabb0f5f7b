package compose

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms/openai"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
)

// formatWriter turns a schema, which compiles, into the type of langchaingo's openai client. It writes to nothing of the
// schema.
type formatWriter struct {
	root     any
	strict   bool // so far OpenAI's strict mode would take it
	size     int  // schemas written: references multiply
	problems []error
}

// maxFormat bounds what references may multiply to.
const maxFormat = 5000

// annotations say nothing about what is valid.
var annotations = []string{
	"$schema", "$comment", "$defs", "definitions", "$anchor", "title", "default", "examples", "deprecated", "readOnly", "writeOnly",
}

func (w *formatWriter) problem(at, format string, args ...any) {
	if at == "" {
		at = "the root"
	}
	w.problems = append(w.problems, invalid("ResponseFormat: "+at+": "+format, args...))
}

// property writes the schema at a JSON Pointer; through are the references it was reached by.
func (w *formatWriter) property(schema any, at string, through []string) *openai.ResponseFormatJSONSchemaProperty {
	p := new(openai.ResponseFormatJSONSchemaProperty)
	if w.size++; w.size > maxFormat {
		if w.size == maxFormat+1 {
			w.problem(at, "with all references replaced there are more than %d schemas", maxFormat)
		}
		return p
	}
	s, ok := schema.(map[string]any)
	if !ok {
		w.problem(at, "a schema that is true or false cannot be carried")
		return p
	}
	if ref, ok := s["$ref"].(string); ok {
		return w.reference(s, ref, at, through)
	}
	p.AdditionalProperties = true
	for _, key := range jsontext.Keys(s) {
		w.keyword(p, key, s[key], at+jsontext.Pointer([]string{key}), through)
	}
	switch {
	case s["type"] == nil:
		w.problem(at, "a schema without a type cannot be carried")
	case p.Type == "object":
		w.strict = w.strict && !p.AdditionalProperties
		for name := range p.Properties {
			w.strict = w.strict && slices.Contains(p.Required, name)
		}
	default:
		p.AdditionalProperties = false // of no object; the type always sends it
		w.strict = w.strict && (p.Type != "array" || p.Items != nil)
	}
	return p
}

func (w *formatWriter) keyword(p *openai.ResponseFormatJSONSchemaProperty, key string, value any, at string, through []string) {
	switch v := value.(type) {
	case string:
		switch key {
		case "type":
			p.Type = v
			return
		case "description":
			p.Description = v
			return
		}
	case bool:
		if key == "additionalProperties" {
			p.AdditionalProperties = v
			return
		}
	case []any:
		switch key {
		case "enum":
			if p.Enum == nil && len(v) > 0 {
				p.Enum = v
				return
			}
		case "required":
			for _, name := range v {
				p.Required = append(p.Required, name.(string)) // the schema compiles
			}
			return
		}
	case map[string]any:
		switch key {
		case "items":
			p.Items = w.property(v, at, through)
			return
		case "properties":
			p.Properties = map[string]*openai.ResponseFormatJSONSchemaProperty{}
			for _, name := range jsontext.Keys(v) {
				p.Properties[name] = w.property(v[name], at+jsontext.Pointer([]string{name}), through)
			}
			return
		}
	}
	switch {
	case key == "const":
		p.Enum = []any{value} // keys come in order: an enum beside it finds one there
	case key == "$id" && at == "/$id":
	case !slices.Contains(annotations, key):
		w.problem(at, "langchaingo's openai client cannot carry %s", jsontext.Sample(value, maxSample))
	}
}

// reference writes what ref refers to. The type has a field for references, but none for what they refer to.
func (w *formatWriter) reference(s map[string]any, ref, at string, through []string) *openai.ResponseFormatJSONSchemaProperty {
	path, ok := strings.CutPrefix(ref, "#")
	path, err := url.PathUnescape(path)
	switch {
	case path == "" || slices.Contains(through, path):
		w.problem(at+"/$ref", "a type that contains itself cannot be carried")
		return new(openai.ResponseFormatJSONSchemaProperty)
	case ok && err == nil && path[0] == '/':
		target, found := jsontext.Lookup(w.root, jsontext.ParsePointer(path))
		if !found {
			break
		}
		p := w.property(target, path, append(slices.Clip(through), path))
		for _, key := range jsontext.Keys(s) {
			switch text, isText := s[key].(string); {
			case key == "description" && isText:
				p.Description = text // closer to the place than the target's own
			case key != "$ref" && !slices.Contains(annotations, key):
				w.problem(at+jsontext.Pointer([]string{key}), "beside a reference this cannot be carried")
			}
		}
		return p
	}
	w.problem(at+"/$ref", "a reference to %s cannot be carried", jsontext.Quote(ref, maxSample))
	return new(openai.ResponseFormatJSONSchemaProperty)
}

// decode reads JSON with its numbers as they are.
func decode(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(into)
}
