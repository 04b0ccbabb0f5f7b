package schemacheck

import (
	"os"
	"testing"

	"github.com/llmretry/langchaingo-llmretry/internal/extract"
	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/stretchr/testify/require"
)

func compiled(tb testing.TB, schema string) *Schema {
	tb.Helper()
	s, err := Compile([]byte(schema))
	require.NoError(tb, err)
	return s
}

func check(tb testing.TB, s *Schema, text string) llmretry.Issues {
	tb.Helper()
	v, problem := extract.Whole(text)
	require.Zero(tb, problem, text[:min(len(text), 50)])
	tree, dup := jsontext.Decode(text, v, jsontext.RFC8259)
	require.Nil(tb, dup)
	return s.Check(tree, v.Nodes, v.Depth)
}

func TestSchemaNumbers(t *testing.T) {
	_, err := Compile([]byte(`{"minimum":1e1000001}`))
	require.EqualError(t, err, "schema has a number out of range (at byte 11)")
}

func TestCompileErrors(t *testing.T) {
	secret := t.TempDir() + "/secret.json"
	require.NoError(t, os.WriteFile(secret, []byte(`{"type":"string"}`), 0o600))
	dir, err := os.Getwd()
	require.NoError(t, err)
	for _, schema := range []string{
		``, `{`, `1`, `[]`, `"x"`, `null`, `{} {}`, `{"type":"object","type":"string"}`,
		`{"type":"strin"}`, `{"minimum":"1"}`, `{"pattern":"(?=x)"}`, `{"pattern":"["}`, `{"required":"a"}`,
		`{"$ref":"#/$defs/none"}`, `{"$ref":"#none"}`, `{"$ref":"other.json"}`, `{"$ref":"/etc/hostname"}`,
		`{"$ref":"file://` + secret + `"}`, `{"$ref":"http://127.0.0.1:1/x"}`, `{"$ref":"https://example.com/x"}`,
		`{"$schema":"https://example.com/draft"}`, `{"$schema":"file://` + secret + `"}`,
		`{"$id":"http://127.0.0.1:1/a","$ref":"b"}`, `{"minimum":1e999}`,
	} {
		_, err := Compile([]byte(schema))
		require.Error(t, err, schema)
		require.NotContains(t, err.Error(), dir, schema)
	}
}

func TestCompileAccepts(t *testing.T) {
	for _, schema := range []string{
		`true`, `false`, `{}`, ` {"type":"object"} `, `{"$ref":"#"}`, `{"$id":"https://example.com/a","$ref":"#/$defs/x","$defs":{"x":{}}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{"type":"string"}},"$ref":"#/definitions/a"}`,
		`{"$anchor":"here","properties":{"x":{"$ref":"#here"}}}`, `{"format":"no-such-format"}`,
	} {
		require.NotNil(t, compiled(t, schema))
	}
	require.Equal(t, `{"type":"object"}`, string(compiled(t, ` { "type" : "object" } `).Raw()))
}
