package retrytest_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/retrytest"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

// What is made satisfies the schema, by the exact validation of outputparser.
func TestValueIsValid(t *testing.T) {
	for _, schema := range []string{
		ticketSchema,
		`{}`,
		`{"type":"null"}`,
		`{"type":["string","null"]}`,
		`{"const":{"a":[1,null]}}`,
		`{"enum":[1,"two",null],"type":"string"}`,
		`{"type":"integer"}`,
		`{"type":"integer","exclusiveMinimum":0,"maximum":1}`,
		`{"type":"integer","minimum":-3.5,"exclusiveMaximum":-2}`,
		`{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}`,
		`{"type":"number","minimum":1e300}`,
		`{"minimum":5}`,
		`{"maximum":-5}`,
		`{"type":"string","minLength":40,"maxLength":41}`,
		`{"type":"string","maxLength":3}`,
		`{"type":"string","maxLength":0}`,
		`{"type":"string","format":"date"}`,
		`{"type":"string","format":"date-time"}`,
		`{"type":"string","format":"email","maxLength":30}`,
		`{"type":"array","items":{"type":"boolean"},"minItems":3,"maxItems":3}`,
		`{"type":"array","items":{"type":"boolean"},"maxItems":0}`,
		`{"type":"array"}`,
		`{"type":"array","items":false}`,
		`{"properties":{"a~/b":{"type":"string"},"c":true}}`,
		`{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","required":["name"],"additionalProperties":false,
			"properties":{"name":{"type":"string"},"next":{"$ref":"#/$defs/node"},"all":{"type":"array","items":{"$ref":"#/$defs/node"}}}}}}`,
	} {
		parser, err := outputparser.FromSchema([]byte(schema))
		require.NoError(t, err, schema)
		for seed := range uint64(20) {
			value, err := retrytest.Value(json.RawMessage(schema), seed)
			if !assert.NoError(t, err, schema) {
				break
			}
			_, err = parser.Parse(string(value))
			if !assert.NoError(t, err, "%s for %s", value, schema) {
				break
			}
			again, err := retrytest.Value(json.RawMessage(schema), seed)
			require.NoError(t, err)
			assert.Equal(t, value, again)
		}
	}
}

// What it does not know it says.
func TestValueUnsupported(t *testing.T) {
	for schema, want := range map[string]retrytest.UnsupportedSchemaError{
		`{"type":"string","pattern":"x"}`:                                   {Keyword: "pattern"},
		`{"properties":{"a":{"items":{"oneOf":[]}}}}`:                       {Path: "/properties/a/items", Keyword: "oneOf"},
		`{"type":"string","format":"uri"}`:                                  {Keyword: "format"},
		`{"type":"string","minLength":3,"maxLength":2}`:                     {Keyword: "minLength"},
		`{"type":"string","format":"date","maxLength":2}`:                   {Keyword: "maxLength"},
		`{"type":"integer","exclusiveMinimum":0,"exclusiveMaximum":1}`:      {Keyword: "minimum"},
		`{"type":"array","minItems":100000}`:                                {Keyword: "minItems"},
		`{"type":"array","items":false,"minItems":1}`:                       {Keyword: "items"},
		`{"required":["a"]}`:                                                {Keyword: "required"},
		`{"type":"word"}`:                                                   {Keyword: "type"},
		`{"type":[]}`:                                                       {Keyword: "type"},
		`{"type":"string","enum":[1]}`:                                      {Keyword: "enum"},
		`{"$ref":"https://example.com/x"}`:                                  {Keyword: "$ref"},
		`{"$ref":"#"}`:                                                      {Keyword: "$ref"},
		`{"required":["a"],"properties":{"a":{"$ref":"#"}}}`:                {Path: "", Keyword: "$ref"},
		`{"required":["a"],"properties":{"a":false}}`:                       {Path: "/properties/a", Keyword: "false"},
		`{"properties":{"a":{"type":"object","patternProperties":{"":1}}}}`: {Path: "/properties/a", Keyword: "patternProperties"},
		`false`: {Keyword: "false"},
	} {
		_, err := retrytest.Value(json.RawMessage(schema), 1)
		var unsupported *retrytest.UnsupportedSchemaError
		if assert.ErrorAs(t, err, &unsupported, schema) {
			assert.Equal(t, want, *unsupported, schema)
			assert.Contains(t, err.Error(), want.Keyword)
		}
	}
	_, err := retrytest.Value(json.RawMessage(`{`), 1)
	assert.ErrorContains(t, err, "not JSON")
	value, err := retrytest.Value(json.RawMessage(`true`), 1)
	require.NoError(t, err)
	assert.True(t, json.Valid(value))
}

// The schemas that outputparser makes of Go types are known.
func TestValueOfGoType(t *testing.T) {
	type line struct {
		SKU   string  `json:"sku" jsonschema:"minLength=3"`
		Price float64 `json:"price" jsonschema:"minimum=0"`
	}
	type order struct {
		ID    int               `json:"id"`
		State string            `json:"state" jsonschema:"enum=open,enum=paid"`
		Lines []line            `json:"lines" jsonschema:"minItems=1"`
		Tags  map[string]string `json:"tags,omitempty"`
	}
	parser := llmretry.Must(outputparser.JSON[order]())
	for seed := range uint64(10) {
		value, err := retrytest.Value(parser.Schema(), seed)
		require.NoError(t, err)
		got, err := parser.Parse(string(value))
		require.NoError(t, err, "%s", value)
		assert.NotEmpty(t, got.Lines)
	}
}
