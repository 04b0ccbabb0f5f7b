package outputparser_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files anew")

// goldenSchema is an order as an application would ask for it.
const goldenSchema = `{
	"type": "object",
	"properties": {
		"id": {"type": "string", "pattern": "^A-[0-9]+$"},
		"status": {"enum": ["draft", "open", "closed"]},
		"customer": {
			"type": "object",
			"properties": {"name": {"type": "string", "minLength": 2}, "email": {"type": "string", "format": "email"}},
			"required": ["name", "email"],
			"additionalProperties": false
		},
		"items": {
			"type": "array", "minItems": 1, "maxItems": 3, "uniqueItems": true,
			"items": {"type": "object", "properties": {"sku": {"type": "string"}, "qty": {"type": "integer", "minimum": 1, "maximum": 99}}, "required": ["sku", "qty"]}
		},
		"payment": {"anyOf": [
			{"type": "object", "properties": {"kind": {"const": "card"}, "last4": {"type": "string"}}, "required": ["kind", "last4"]},
			{"type": "object", "properties": {"kind": {"const": "transfer"}, "iban": {"type": "string"}}, "required": ["kind", "iban"]},
			{"type": "null"}
		]},
		"due": {"type": ["string", "null"], "format": "date"}
	},
	"required": ["id", "status"],
	"additionalProperties": false
}`

// goldenOutputs are outputs and what was wrong with them, in the order of the file.
var goldenOutputs = []struct{ name, output string }{
	{"empty", ""},
	{"refusal", "I'm sorry, but I can't help with that."},
	{"truncated in a string", `{"id": "A-1", "status": "dr`},
	{"truncated after a comma", "Here you are:\n```json\n{\"id\": \"A-1\",\n```"},
	{"truncated reasoning", "<think>The user wants an order with id A-1, so I will"},
	{"single quotes", `{'id': 'A-1', 'status': 'open'}`},
	{"inner quotes", `{"id": "A-1", "status": "the "open" one"}`},
	{"unquoted key", `Sure. {id: "A-1", "status": "open"}`},
	{"huge number", `{"id": "A-1", "status": "open", "items": [{"sku": "x", "qty": 1e1000001}]}`},
	{"half a character", `{"id": "A-1", "status": "\ud83d"}`},
	{"duplicate key", `{"id": "A-1", "status": "open", "status": "closed"}`},
	{"two answers", `{"id": "A-1", "status": "open"} or {"id": "A-1", "status": "draft"}`},
	{"tool call in text", `<tool_call>{"name": "order", "arguments": {"id": "A-1"}}</tool_call>`},
	{"schema echoed", goldenSchema},
	{"array", `[{"id": "A-1", "status": "open"}]`},
	{"wrapper", `{"order": {"id": "A-1", "status": "open"}}`},
	{"enum in another case", `{"id": "A-1", "status": "Open"}`},
	{"pattern", `{"id": "1", "status": "open"}`},
	{"nested", `{"id": "A-1", "status": "open", "customer": {"name": "Z", "phone": 5}}`},
	{"formats", `{"id": "A-1", "status": "open", "customer": {"name": "Zoë", "email": "zoe"}, "due": "tomorrow"}`},
	{"items", `{"id": "A-1", "status": "open", "items": [{"sku": "x", "qty": 0}, {"sku": "y", "qty": "2"}, {"qty": 1.5}]}`},
	{"item counts", `{"id": "A-1", "status": "open", "items": [{"sku": "x", "qty": 1}, {"sku": "x", "qty": 1.0}, {"sku": "y", "qty": 1}, {"sku": "z", "qty": 1}]}`},
	{"union", `{"id": "A-1", "status": "open", "payment": {"kind": "transfer", "last4": "1234"}}`},
	{"union of types", `{"id": "A-1", "status": "open", "payment": 5}`},
	{"hidden characters", "{\"id\": \"A-1\u202e\u200b\", \"status\": \"open\", \"no\\nte\": \"line\\nbreak\"}"},
	{"everything at once", `{"status": null, "customer": [], "items": [], "extra": {"deep": [1, 2, 3]}}`},
}

func TestGolden(t *testing.T) {
	p, err := outputparser.FromSchema([]byte(goldenSchema))
	require.NoError(t, err)
	var b strings.Builder
	for _, g := range goldenOutputs {
		_, err := p.Parse(g.output)
		require.Error(t, err, g.name)
		fmt.Fprintf(&b, "== %s ==\n", g.name)
		for _, issue := range issuesOf(t, err) {
			fmt.Fprintf(&b, "[%s] %s\n", issue.Code, issue.Message)
		}
		b.WriteByte('\n')
	}
	file := filepath.Join("testdata", "failures.golden")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
}
