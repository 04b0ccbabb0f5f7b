package schemacheck

import "github.com/llmretry/langchaingo-llmretry/internal/jsontext"

// echoed reports whether a refused value is a schema: the one asked for, or something that reads like one.
func (s *Schema) echoed(v any) bool {
	m, ok := v.(map[string]any)
	if !ok {
		return false
	}
	if jsontext.Equal(m, s.doc) {
		return true
	}
	for _, keyword := range [...]string{"$schema", "$defs", "$ref"} {
		if _, ok := m[keyword].(string); ok && !s.names[keyword] {
			return true
		}
	}
	_, props := m["properties"].(map[string]any)
	_, typed := m["type"].(string)
	return props && typed && !s.names["properties"]
}
