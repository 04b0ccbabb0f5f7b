package schemacheck

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEcho(t *testing.T) {
	s := compiled(t, `{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"],"additionalProperties":false}`)
	for text, code := range map[string]string{
		string(s.Raw()): "schema_echo",
		`{"type":"object","properties":{"answer":{"type":"string"}}}`: "schema_echo",
		`{"$schema":"x","answer":1}`:                                  "schema_echo",
		`{"type":"object"}`:                                           "required",
	} {
		require.Equal(t, code, check(t, s, text)[0].Code, text)
	}
	open := compiled(t, `{"type":"object","properties":{"type":{"type":"string"},"properties":{"type":"object"}},"required":["x"]}`)
	require.Equal(t, "required", check(t, open, `{"type":"a","properties":{}}`)[0].Code, "the schema itself speaks of such properties")
}
