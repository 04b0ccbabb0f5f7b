package schemacheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/llmretry/langchaingo-llmretry/internal/extract"
	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
)

// Schema is a compiled JSON Schema. It is immutable and safe for concurrent use.
type Schema struct {
	raw   json.RawMessage
	doc   any
	c     *checker
	names map[string]bool // every property name the schema speaks of: not the model's words

	maxDepth  int // of a value
	maxIssues int // in one refusal
}

// WithMaxIssues returns s with another bound of the issues in one refusal, at least 1.
func (s *Schema) WithMaxIssues(n int) *Schema {
	limited := *s
	limited.maxIssues = n
	return &limited
}

// Compile reads and compiles a schema (draft 2020-12 unless "$schema" says another). Formats are asserted, references
// out of the document are refused, and a schema that accepts nothing sensible by mistake (an unknown type, a
// reference that leads nowhere, a pattern that cannot be run in linear time) is an error.
func Compile(raw []byte) (*Schema, error) {
	text := string(raw)
	v, problem := extract.Whole(text)
	if problem.Reason != extract.None {
		if problem.Reason == extract.Faulty && problem.Fault.Kind == jsontext.NumberRange {
			return nil, fmt.Errorf("schema has a number out of range (at byte %d)", problem.Offset)
		}
		return nil, fmt.Errorf("schema is not JSON (at byte %d)", problem.Offset)
	}
	doc, dup := jsontext.Decode(text, v, jsontext.RFC8259)
	if dup != nil {
		return nil, fmt.Errorf("schema has the key %s twice", jsontext.Quote(dup.Key, 100))
	}
	switch doc.(type) {
	case map[string]any, bool:
	default:
		return nil, errors.New("schema is neither an object nor a boolean")
	}
	c, err := compile(doc)
	if err != nil {
		return nil, err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return nil, err
	}
	s := &Schema{raw: compact.Bytes(), doc: doc, c: c, names: map[string]bool{}, maxIssues: DefaultMaxIssues}
	collectNames(doc, s.names)
	s.maxDepth = s.maxDepthOf()
	return s, nil
}

// Raw returns the compact text; the caller may keep and change it.
func (s *Schema) Raw() json.RawMessage { return bytes.Clone(s.raw) }

func collectNames(v any, names map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for key, sub := range v {
			if props, ok := sub.(map[string]any); ok && key == "properties" {
				for name := range props {
					names[name] = true
				}
			}
			if required, ok := sub.([]any); ok && key == "required" {
				for _, name := range required {
					if name, ok := name.(string); ok {
						names[name] = true
					}
				}
			}
			collectNames(sub, names)
		}
	case []any:
		for _, sub := range v {
			collectNames(sub, names)
		}
	}
}

// RootTypes returns the JSON types that the root of a valid value can have; nil means any.
func (s *Schema) RootTypes() []string { return s.rootTypes(s.doc, 0) }

func (s *Schema) rootTypes(schema any, depth int) []string {
	m, ok := schema.(map[string]any)
	if !ok || depth > maxDescribeDepth {
		return nil
	}
	switch t := m["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var types []string
		for _, name := range t {
			types = append(types, fmt.Sprint(name))
		}
		return types
	}
	if target, ok := s.resolve(m); ok {
		return s.rootTypes(target, depth+1)
	}
	return nil
}
