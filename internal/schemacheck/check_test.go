package schemacheck

import (
	"testing"

	"github.com/llmretry/langchaingo-llmretry/internal/extract"
	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/stretchr/testify/require"
)

func TestValid(t *testing.T) {
	for _, tc := range []struct{ schema, value string }{
		{`{"type":"integer"}`, `36.0`},
		{`{"multipleOf":0.01}`, `19.99`},
		{`{"const":9007199254740993}`, `9007199254740993`},
		{`{"type":"integer"}`, `9223372036854775808`},
		{`{"minimum":1}`, `1e308`},
	} {
		require.Nil(t, check(t, compiled(t, tc.schema), tc.value), tc.schema)
	}
	require.NotNil(t, check(t, compiled(t, `{"const":9007199254740993}`), `9007199254740992`))
}

func TestUnions(t *testing.T) {
	tagged := `{"anyOf":[
		{"properties":{"kind":{"const":"circle"},"radius":{"type":"number"}},"required":["kind","radius"],"additionalProperties":false},
		{"properties":{"kind":{"const":"square"},"side":{"type":"number"}},"required":["kind","side"],"additionalProperties":false},
		{"type":"string"}]}`
	enums := `{"anyOf":[
		{"properties":{"kind":{"const":"a"},"level":{"enum":["low","high"]},"mode":{"enum":["r","w"]}},"required":["kind"]},
		{"properties":{"kind":{"const":"b"},"n":{"type":"integer"}},"required":["kind","n"]}]}`
	for _, tc := range []struct{ schema, value, want string }{
		{tagged, `{"kind":"square","radius":1}`, `/radius: property is not allowed, want only "kind", "side", got 1; /side: required property is missing, want number`},
		{tagged, `{"kind":"circle","radius":"x"}`, `/radius: want number, got "x"`},
		{tagged, `{"kind":"circle"}`, `/radius: required property is missing, want number`},
		{`{"oneOf":[{"$ref":"#/$defs/a"},{"type":"null"}],"$defs":{"a":{"type":"object","required":["x"]}}}`, `{}`, `/x: required property is missing`},
		{`{"oneOf":[{"$ref":"#/$defs/a"},{"type":"null"}],"$defs":{"a":{"type":"object","required":["x"]}}}`, `1`, `output: want object or null, got 1`},
		{`{"anyOf":[{"anyOf":[{"type":"string"},{"type":"boolean"}]},{"type":"null"}]}`, `1`, `output: want string or boolean or null, got 1`},
		{`{"items":{"anyOf":[{"enum":["a"]},{"enum":["b"]}]}}`, `["c"]`, `/0: want "a" or "b", got "c"`},
		{`{"anyOf":[{"const":"auto"},{"type":"integer"}]}`, `"x"`, `output: want "auto" or integer, got "x"`},
		{`{"anyOf":[{"const":"auto"},{"type":"string","pattern":"^[0-9]+$"}]}`, `"x"`, `output: want string matching ^[0-9]+$, got "x"`},
		{tagged, `{"kind":"oval","radius":1}`, `/kind: want one of "circle", "square", got "oval"`},
		{tagged, `{"radius":1}`, `/kind: required property is missing, want one of "circle", "square"`},
		{tagged, `{}`, `/kind: required property is missing, want one of "circle", "square"`},
		{enums, `{"kind":"a","level":"mid","mode":"q"}`, `/level: want one of "low", "high", got "mid"; /mode: want one of "r", "w", got "q"`},
		{enums, `{"kind":"b","level":"mid"}`, `/n: required property is missing, want integer`},
		{`{"oneOf":[{"$ref":"#/$defs/a"},{"allOf":[{"$ref":"#/$defs/b"}]}],"$defs":{
			"a":{"properties":{"t":{"enum":["a","A"]},"x":{"type":"integer"}},"required":["t","x"]},
			"b":{"properties":{"t":{"const":"b"},"y":{"enum":["p","q"]},"z":{"enum":[1]}},"required":["t","y","z"]}}}`,
			`{"t":"b","y":"r","z":2}`, `/y: want one of "p", "q", got "r"; /z: want 1, got 2`},
	} {
		require.Equal(t, tc.want, check(t, compiled(t, tc.schema), tc.value).Error(), tc.value)
	}
}

// FuzzSchema: no schema and no value make the checker panic, and two runs say the same.
func FuzzSchema(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"$ref":"#"}]}},"required":["a"]}`, `{"a":{"b":1}}`)
	f.Add(`{"propertyNames":{"maxLength":1},"unevaluatedProperties":false,"if":{"minProperties":2},"then":{"maxProperties":1}}`, `{"ab":1,"c":2}`)
	f.Add(`{"prefixItems":[{"const":1}],"contains":{"type":"null"},"uniqueItems":true}`, `[2,2]`)
	f.Fuzz(func(t *testing.T, schema, text string) {
		s, err := Compile([]byte(schema))
		if err != nil {
			return
		}
		v, problem := extract.Whole(text)
		if problem.Reason != extract.None {
			return
		}
		tree, dup := jsontext.Decode(text, v, jsontext.RFC8259)
		if dup != nil {
			return
		}
		issues := s.Check(tree, v.Nodes, v.Depth)
		again := s.Check(tree, v.Nodes, v.Depth)
		require.Equal(t, len(issues), len(again))
		for i, issue := range issues {
			require.NotEmpty(t, issue.Code)
			require.NotEmpty(t, issue.Message)
			require.Equal(t, issue, again[i])
		}
		valid, judged := s.c.valid(tree)
		if judged && (len(issues) == 0 || issues[0].Code != "schema") {
			require.Equal(t, valid, issues == nil)
		}
	})
}
