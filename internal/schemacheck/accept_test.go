package schemacheck

import (
	"strings"
	"testing"

	"github.com/llmretry/langchaingo-llmretry/internal/extract"
	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/stretchr/testify/require"
)

// decoded returns the tree and the number of nodes of a JSON text.
func decoded(tb testing.TB, text string) (any, int) {
	tb.Helper()
	v, problem := extract.Whole(text)
	require.Zero(tb, problem, text[:min(len(text), 50)])
	tree, dup := jsontext.Decode(text, v, jsontext.RFC8259)
	require.Nil(tb, dup)
	return tree, v.Nodes
}

// ask returns what the rules alone say.
func ask(s *Schema, v any, nodes int) answer {
	j := judgement{work: ruleWork + ruleWorkEach*nodes}
	return j.judge(s.c.rule, v)
}

func TestRules(t *testing.T) {
	for _, tc := range []struct {
		schema string
		yes    []string
		unsure []string
		no     []string
	}{
		{schema: `true`, yes: []string{`1`, `{}`}},
		{schema: `false`, no: []string{`1`, `{}`}},
		{schema: `{"type":"integer"}`, yes: []string{`36`, `-1`, `9223372036854775808`}, unsure: []string{`36.0`, `1.5`, `1e3`}, no: []string{`"1"`, `null`}},
		{schema: `{"type":["number","null"]}`, yes: []string{`36`, `1.5`, `1e3`, `null`}, no: []string{`"1"`, `true`}},
		{schema: `{"enum":["a",1,null,[1]]}`, yes: []string{`"a"`, `1`, `null`}, unsure: []string{`1.0`, `2`, `[1]`, `[2]`}, no: []string{`"b"`, `true`, `{}`}},
		{schema: `{"enum":[]}`, no: []string{`1`}},
		{schema: `{"const":"a"}`, yes: []string{`"a"`}, no: []string{`"b"`, `1`}},
		{schema: `{"const":null}`, yes: []string{`null`}, no: []string{`"b"`, `1`}},
		{schema: `{"format":"date"}`, yes: []string{`"2024-02-29"`, `1`}, no: []string{`"2023-02-29"`}},
		{schema: `{"minLength":2,"maxLength":3,"pattern":"^é"}`, yes: []string{`"éé"`, `7`}, no: []string{`"é"`, `"éééé"`, `"ab"`}},
		{schema: `{"minimum":1,"exclusiveMaximum":2.5}`, yes: []string{`1`, `2.49`, `"x"`}, unsure: []string{`1.0`, `1.00000000000000000001`}, no: []string{`0`, `-7`, `2.6`, `3`}},
		{schema: `{"maximum":2.5}`, yes: []string{`2`}, unsure: []string{`2.5`}, no: []string{`3`}},
		{schema: `{"minimum":9007199254740992}`, yes: []string{`9007199254740999`}, unsure: []string{`9007199254740991.9999999`, `9007199254740993`}, no: []string{`9007199254740991`}},
		{schema: `{"minimum":0.1}`, yes: []string{`1`, `0.2`, `"x"`}, unsure: []string{`0.1`, `0.1000000000000000000001`}, no: []string{`0`, `0.09`}},
		{schema: `{"multipleOf":2}`, unsure: []string{`1`, `2`}, yes: []string{`"x"`}},
		{
			schema: `{"properties":{"a":{"type":"string"}},"patternProperties":{"^x":{"type":"null"}},"additionalProperties":false,"required":["a"],"maxProperties":2}`,
			yes:    []string{`{"a":"b"}`, `{"a":"b","x1":null}`, `1`}, no: []string{`{}`, `{"a":1}`, `{"a":"b","x":1}`, `{"a":"b","c":1}`, `{"a":"b","x1":null,"x2":null}`},
		},
		{schema: `{"additionalProperties":{"type":"integer"},"minProperties":1}`, yes: []string{`{"a":1}`}, unsure: []string{`{"a":1.0}`}, no: []string{`{"a":"b"}`, `{}`}},
		{schema: `{"prefixItems":[{"type":"null"}],"items":{"type":"string"},"minItems":1,"maxItems":2}`, yes: []string{`[null]`, `[null,"a"]`}, no: []string{`[]`, `["a"]`, `[null,1]`, `[null,"a","b"]`}},
		{schema: `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"null"}],"additionalItems":false}`, yes: []string{`[null]`, `[]`}, no: []string{`[1]`, `[null,1]`}},
		{schema: `{"$schema":"http://json-schema.org/draft-07/schema#","items":{"type":"null"},"additionalItems":false}`, yes: []string{`[null,null]`}, no: []string{`[1]`}},
		{schema: `{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true}`, yes: []string{`2`}, no: []string{`1`}},
		{schema: `{"uniqueItems":true}`, unsure: []string{`[]`, `[1,1]`}, yes: []string{`1`}},
		{schema: `{"not":{"type":"null"}}`, unsure: []string{`1`, `null`}},
		{schema: `{"unevaluatedProperties":false}`, unsure: []string{`{}`}, yes: []string{`1`}},
		{schema: `{"allOf":[{"type":"string"},{"minLength":1}]}`, yes: []string{`"a"`}, no: []string{`1`, `""`}},
		{schema: `{"anyOf":[{"type":"string"},{"multipleOf":2}]}`, yes: []string{`"a"`, `null`}, unsure: []string{`3`}},
		{schema: `{"oneOf":[{"type":"string"},{"maxLength":1},{"multipleOf":2}]}`, unsure: []string{`3`}, no: []string{`"a"`, `null`}},
		{schema: `{"oneOf":[{"type":"string"},{"maxLength":1}]}`, yes: []string{`"abc"`, `null`}, no: []string{`"a"`}},
		{
			schema: `{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/node"},{"type":"null"}]}}}}}`,
			yes:    []string{`{"next":{"next":null}}`}, no: []string{`{"next":{"next":1}}`, `1`},
		},
		{schema: `{"$ref":"#"}`, unsure: []string{`1`}},
		{schema: `{"allOf":[{"$ref":"#"},{"$ref":"#"}]}`, unsure: []string{`1`}},
		{schema: `{"anyOf":[{"$ref":"#"},{"$ref":"#"},{"type":"string"}]}`, unsure: []string{`"a"`, `1`}},
	} {
		s := compiled(t, tc.schema)
		for want, values := range map[answer][]string{yes: tc.yes, unsure: tc.unsure, no: tc.no} {
			for _, value := range values {
				v, nodes := decoded(t, value)
				require.Equal(t, want, ask(s, v, nodes), "%s of %s", value, tc.schema)
				agree(t, s, v, nodes)
			}
		}
	}
}

// agree holds what the rules say of a value against the validator.
func agree(tb testing.TB, s *Schema, v any, nodes int) {
	tb.Helper()
	a := ask(s, v, nodes)
	valid, judged := s.c.valid(v)
	if a == yes {
		require.True(tb, judged && valid && s.c.full.Validate(v) == nil)
	}
	if a == no && judged {
		require.False(tb, valid)
	}
}

// TestRulesAreShallow: no value and no schema takes the rules deep into the stack, or long.
func TestRulesAreShallow(t *testing.T) {
	s := compiled(t, `{"$ref":"#/$defs/a","$defs":{"a":{"items":{"$ref":"#/$defs/a"},"maxItems":1}}}`)
	v, nodes := decoded(t, strings.Repeat("[", 9_000)+strings.Repeat("]", 9_000))
	require.Equal(t, unsure, ask(s, v, nodes))

	s = compiled(t, `{"allOf":[{"$ref":"#"},{"$ref":"#"},{"$ref":"#"}]}`)
	j := judgement{work: 1000}
	require.Equal(t, unsure, j.judge(s.c.rule, v))
	require.Negative(t, j.work)
	require.Zero(t, j.depth)
}

func TestAcceptsAllocatesNothing(t *testing.T) {
	s := compiled(t, `{"type":"object","properties":{"a":{"type":"array","items":{"enum":["x","y"]}},"n":{"type":"integer","minimum":1}},"required":["a"],"additionalProperties":false}`)
	v, nodes := decoded(t, `{"a":["x","y","x"],"n":5}`)
	require.Zero(t, testing.AllocsPerRun(100, func() { require.True(t, s.c.accepts(v, nodes)) }))
}

// FuzzRules: what the rules say yes or no to, the validator accepts or refuses.
func FuzzRules(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"$ref":"#"}]}},"required":["a"],"additionalProperties":false}`, `{"a":{"a":"x"}}`)
	f.Add(`{"oneOf":[{"properties":{"k":{"const":"a"}},"required":["k"]},{"properties":{"k":{"enum":["b",1]}}}]}`, `{"k":1.0}`)
	f.Add(`{"prefixItems":[{"const":1}],"items":{"minimum":1,"exclusiveMaximum":1e2},"maxItems":3}`, `[1,99.9999,1.5e1]`)
	f.Add(`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{}],"additionalItems":{"format":"email"},"patternProperties":{"^a":{"minLength":2}}}`, `[1,"a@b"]`)
	f.Add(`{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true,"additionalProperties":{"type":["null","integer"]}}`, `{"a":1}`)
	f.Add(`{"allOf":[{"$ref":"#/$defs/a"}],"unevaluatedProperties":false,"$defs":{"a":{"properties":{"x":true}}}}`, `{"x":1}`)
	f.Fuzz(func(t *testing.T, schema, text string) {
		s, err := Compile([]byte(schema))
		if err != nil {
			return
		}
		v, problem := extract.Whole(text)
		if problem.Reason != extract.None || v.Depth > s.maxDepth {
			return
		}
		tree, dup := jsontext.Decode(text, v, jsontext.RFC8259)
		if dup != nil {
			return
		}
		agree(t, s, tree, v.Nodes)
	})
}
