package schemacheck

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIssues is the wording of every keyword.
func TestIssues(t *testing.T) {
	for _, tc := range []struct{ schema, value, want string }{
		{`{"properties":{"age":{"type":"integer"}},"required":["age"]}`, `{}`, `/age: required property is missing, want integer`},
		{`{"required":["age"]}`, `{}`, `/age: required property is missing`},
		{`{"properties":{"a":{},"b":{}},"additionalProperties":false}`, `{"c":"x"}`, `/c: property is not allowed, want only "a", "b", got "x"`},
		{`{"additionalProperties":false}`, `{"c/d":1}`, `/c~1d: property is not allowed, got 1`},
		{`{"properties":{"a":{}},"unevaluatedProperties":false}`, `{"c":1}`, `/c: property is not allowed, got 1`},
		{`{"type":"integer"}`, `"36"`, `output: want integer, got "36"`},
		{`{"type":["string","null"]}`, `1`, `output: want string or null, got 1`},
		{`{"enum":["A","B",3,null]}`, `"a"`, `output: want one of "A", "B", 3, null, got "a"`},
		{`{"const":{"x":1}}`, `2`, `output: want {"x":1}, got 2`},
		{`{"type":"string","format":"date"}`, `"x"`, `output: want string in date format, got "x"`},
		{`{"pattern":"^a+$"}`, `"b"`, `output: want string matching ^a+$, got "b"`},
		{`{"minimum":1.50}`, `1`, `output: want at least 1.50, got 1`},
		{`{"maximum":1}`, `2`, `output: want at most 1, got 2`},
		{`{"exclusiveMinimum":1}`, `1`, `output: want more than 1, got 1`},
		{`{"exclusiveMaximum":1}`, `1`, `output: want less than 1, got 1`},
		{`{"multipleOf":0.01}`, `0.005`, `output: want a multiple of 0.01, got 0.005`},
		{`{"minLength":3}`, `"ab"`, `output: want at least 3 characters, got "ab"`},
		{`{"maxLength":1}`, `"ab"`, `output: want at most 1 character, got "ab"`},
		{`{"minItems":1}`, `[]`, `output: want at least 1 item, got []`},
		{`{"maxItems":1}`, `[1,2]`, `output: want at most 1 item, got [1,2]`},
		{`{"minProperties":1}`, `{}`, `output: want at least 1 property, got {}`},
		{`{"maxProperties":0}`, `{"a":1}`, `output: want at most 0 properties, got {"a":1}`},
		{`{"uniqueItems":true}`, `[1,2,1.0]`, `output: want distinct items, items 0 and 2 are equal, got [1,2,1.0]`},
		{`{"contains":{"type":"string"}}`, `[1]`, `output: want an item that is string, got [1]`},
		{`{"contains":{"minimum":5},"maxContains":1}`, `[6,7]`, `output: value is not allowed, got [6,7]`},
		{`{"prefixItems":[{}],"items":false}`, `[1,2]`, `/1: value is not allowed, got 2`},
		{`{"not":{"type":"string"}}`, `"x"`, `output: value is not allowed, got "x"`},
		{`{"oneOf":[{"type":"number"},{"type":"integer"}]}`, `1`, `output: fits more than one of the alternatives, want exactly one, got 1`},
		{`{"propertyNames":{"pattern":"^a"}}`, `{"b":1}`, `output: property name "b" is not allowed, got {"b":1}`},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, `/b: required property is missing`},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true}`, `1`, `output: want more than 1, got 1`},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","maximum":1,"exclusiveMaximum":true}`, `1`, `output: want less than 1, got 1`},
		{`{"$ref":"#"}`, `1`, `output: cannot be judged, the schema refers to itself without end, got 1`},
		{`false`, `1`, `output: value is not allowed, got 1`},
		{`{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"integer","minimum":1,"maximum":5}},"required":["a"]}`, `{}`,
			`/a: required property is missing, want integer from 1 to 5`},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `1`, `output: want string or null, got 1`},
		{`{"properties":{"a":{"oneOf":[{"type":"integer"},{"type":"null"}]}},"required":["a"]}`, `{}`, `/a: required property is missing, want integer or null`},
	} {
		issues := check(t, compiled(t, tc.schema), tc.value)
		require.Len(t, issues, 1, tc.schema)
		require.Equal(t, tc.want, issues[0].Message, tc.schema)
		require.NotEmpty(t, issues[0].Code, tc.schema)
		require.NotContains(t, issues[0].Message, "jsonschema")
	}
}
