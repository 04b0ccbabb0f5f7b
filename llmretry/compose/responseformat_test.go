package compose_test

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/compose"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

type city struct {
	Name string `json:"name" jsonschema_description:"in English"`
}

type trip struct {
	From  city   `json:"from"`
	Via   []city `json:"via"`
	Class string `json:"class" jsonschema:"enum=first,enum=second"`
	Seats int    `json:"seats"`
}

func TestResponseFormat(t *testing.T) {
	f, err := compose.ResponseFormat("trip", llmretry.Must(outputparser.JSON[trip]()).Schema())
	require.NoError(t, err)
	got, err := json.Marshal(f)
	require.NoError(t, err)
	const aCity = `{"type":"object","additionalProperties":false,"required":["name"],"properties":{"name":{"type":"string","description":"in English","additionalProperties":false}}}`
	assert.JSONEq(t, `{"type":"json_schema","json_schema":{"name":"trip","strict":true,"schema":{"type":"object","additionalProperties":false,
		"required":["from","via","class","seats"],"properties":{
			"from":`+aCity+`,
			"via":{"type":"array","additionalProperties":false,"items":`+aCity+`},
			"class":{"type":"string","enum":["first","second"],"additionalProperties":false},
			"seats":{"type":"integer","additionalProperties":false}}}}}`, string(got))
}

func TestResponseFormatStrict(t *testing.T) {
	for schema, want := range map[string]bool{
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`: true,
		`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`:                  false,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`:                              false,
		`{"type":"object","properties":{"a":{"type":"array"}},"required":["a"],"additionalProperties":false}`:  false,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["b"],"additionalProperties":false}`: false,
		`{"type":"object"}`: false,
		`{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"T","type":"number","enum":[1.50,12345678901234567890]}`: true,
	} {
		f, err := compose.ResponseFormat("a", []byte(schema))
		require.NoError(t, err)
		assert.Equal(t, want, f.JSONSchema.Strict, schema)
	}
	f := llmretry.Must(compose.ResponseFormat("a", []byte(`{"type":"number","const":12345678901234567890}`)))
	assert.Equal(t, []any{json.Number("12345678901234567890")}, f.JSONSchema.Schema.Enum, "numbers stay as they are")
	f = llmretry.Must(compose.ResponseFormat("a", []byte(`{"$ref":"#/$defs/a~1b%5Bint%5D","$defs":{"a/b[int]":{"type":"null"}}}`)))
	assert.Equal(t, "null", f.JSONSchema.Schema.Type)
}

func TestResponseFormatCannotCarry(t *testing.T) {
	for schema, says := range map[string]string{
		`{"type":["string","null"]}`:                                         "/type:",
		`{"type":"object","properties":{"a/b":{"anyOf":[]}}}`:                "anyOf",
		`{"type":"object","properties":{"a/b":{"anyOf":[{"type":"null"}]}}}`: "/properties/a~1b/anyOf: langchaingo's openai client cannot carry",
		`{"type":"integer","minimum":1}`:                                     "/minimum: ",
		`{"type":"string","format":"date"}`:                                  `/format: langchaingo's openai client cannot carry "date"`,
		`{"type":"array","items":true}`:                                      "/items: ",
		`{"type":"object","additionalProperties":{"type":"string"}}`:         "/additionalProperties: ",
		`{"enum":["a"]}`: "the root: a schema without a type",
		`true`:           "the root: a schema that is true or false",
		`{"type":"object","properties":{"a":true}}`:                                        "/properties/a: a schema that is true or false",
		`{"type":"object","properties":{"a":{"$ref":"#"}}}`:                                "/properties/a/$ref: a type that contains itself",
		`{"$ref":"#/$defs/a","$defs":{"a":{"type":"array","items":{"$ref":"#/$defs/a"}}}}`: "/$defs/a/items/$ref: a type that contains itself",
		`{"$ref":"#x","$defs":{"a":{"$anchor":"x","type":"null"}}}`:                        "/$ref: a reference to",
		`{"$ref":"#/$defs/a","minLength":1,"$defs":{"a":{"type":"string"}}}`:               "/minLength: beside a reference",
		`{"$ref":"#/$defs/a","$defs":{"a":{"type":"string","pattern":"x"}}}`:               "/$defs/a/pattern: ",
		`{"type":"string","enum":[]}`:                                                      "/enum: ",
		`{"type":"string","enum":["a","b"],"const":"a"}`:                                   "/enum: ",
		`{"type":"object","properties":{"a":{"$id":"b"}}}`:                                 "/properties/a/$id: ",
		`{"type":"string","nullable":true}`:                                                "/nullable: ",
		`{"type":"strange"}`:                                                               "",
		`nonsense`:                                                                         "",
	} {
		_, err := compose.ResponseFormat("a", []byte(schema))
		require.ErrorIs(t, err, llmretry.ErrInvalidOption, schema)
		assert.ErrorContains(t, err, says, schema)
	}
	_, err := compose.ResponseFormat("a", []byte(`{"type":"object","properties":{"a":{"type":"integer","minimum":1},"b":{"type":"string","pattern":"x"}}}`))
	assert.ErrorContains(t, err, "/properties/a/minimum: ")
	assert.ErrorContains(t, err, "/properties/b/pattern: ")
	for _, name := range []string{"", "a b", "ä", "0123456789012345678901234567890123456789012345678901234567890123x"} {
		_, err := compose.ResponseFormat(name, []byte(`{"type":"string"}`))
		assert.ErrorIs(t, err, llmretry.ErrInvalidOption)
	}
}

// What the format says accepts and refuses what the schema does.
func TestResponseFormatSaysTheSame(t *testing.T) {
	values := []string{
		`null`, `true`, `1`, `1.5`, `"a"`, `"b"`, `[]`, `["a"]`, `[1]`, `{}`, `{"a":"a"}`, `{"a":1}`, `{"a":"a","b":1}`, `{"b":1}`, `{"a":{"a":"a"}}`,
	}
	for _, schema := range []string{
		`{"type":"null"}`, `{"type":"number","title":"N","default":1}`, `{"type":"integer","const":1}`, `{"type":"string","enum":["a"]}`, `{"type":"array"}`,
		`{"type":"array","items":{"type":"string"}}`, `{"type":"object"}`, `{"type":"object","additionalProperties":false}`,
		`{"$id":"http://a.test/b","type":"object","properties":{"a":{"type":"string"}}}`,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/a","description":"x"}},"$defs":{"a":{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}}},"b":{"type":"string"}}}`,
		string(llmretry.Must(outputparser.JSON[trip]()).Schema()), `{"type":"object","required":["b"],"properties":{}}`,
	} {
		f, err := compose.ResponseFormat("a", []byte(schema))
		require.NoError(t, err, schema)
		said, err := json.Marshal(f.JSONSchema.Schema)
		require.NoError(t, err)
		want := llmretry.Must(outputparser.FromSchema([]byte(schema), outputparser.Strict()))
		got := llmretry.Must(outputparser.FromSchema(said, outputparser.Strict()))
		for _, v := range values {
			_, wanted := want.Parse(v)
			_, is := got.Parse(v)
			assert.Equal(t, wanted == nil, is == nil, "%s: %s became %s", v, schema, said)
		}
	}
}

// References that multiply end in an error and not in memory.
func TestResponseFormatBomb(t *testing.T) {
	defs := map[string]any{"a0": map[string]any{"type": "null"}}
	for i := range 40 {
		ref := map[string]any{"$ref": "#/$defs/a" + strconv.Itoa(i)}
		defs["a"+strconv.Itoa(i+1)] = map[string]any{"type": "object", "properties": map[string]any{"l": ref, "r": ref}}
	}
	schema, err := json.Marshal(map[string]any{"$ref": "#/$defs/a40", "$defs": defs})
	require.NoError(t, err)
	_, err = compose.ResponseFormat("a", schema)
	require.ErrorIs(t, err, llmretry.ErrInvalidOption)
	assert.ErrorContains(t, err, "more than 5000 schemas")
}
