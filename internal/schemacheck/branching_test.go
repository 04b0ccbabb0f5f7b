package schemacheck

import (
	"math"
	"strings"
	"testing"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/stretchr/testify/require"
)

const tree = `{"$ref":"#/$defs/e","$defs":{"e":{"UNION":[{"type":"number"},
	{"type":"object","properties":{"op":{"const":"add"},"l":{"$ref":"#/$defs/e"}},"required":["op","l"]},
	{"type":"object","properties":{"op":{"const":"mul"},"l":{"$ref":"#/$defs/e"}},"required":["op","l"]}]}}}`

// A schema that branches on its way down bounds the depth of its values; others do not.
func TestBranching(t *testing.T) {
	for _, union := range []string{"oneOf", "anyOf", "allOf"} {
		s, err := Compile([]byte(strings.ReplaceAll(tree, "UNION", union)))
		require.NoError(t, err)
		require.Equal(t, 20, s.maxDepth, union)
	}
	for _, flat := range []string{
		`{"oneOf":[{"type":"number"},{"type":"string"}]}`,
		`{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"next":{"oneOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}}}}}`,
		`{"$ref":"#"}`, `true`,
	} {
		s, err := Compile([]byte(flat))
		if err == nil {
			require.Equal(t, math.MaxInt, s.maxDepth, flat)
		}
	}

	s, err := Compile([]byte(strings.ReplaceAll(tree, "UNION", "oneOf")))
	require.NoError(t, err)
	judge := func(levels int) string {
		text := strings.Repeat(`{"op":"mul","l":`, levels) + "1" + strings.Repeat("}", levels)
		at, fault := jsontext.Scan(text, 0, jsontext.RFC8259)
		require.Equal(t, jsontext.NoFault, fault.Kind)
		v, _ := jsontext.Decode(text, at, jsontext.RFC8259)
		issues := s.Check(v, levels, levels)
		if issues == nil {
			return ""
		}
		return issues.Error()
	}
	require.Empty(t, judge(10))
	require.Equal(t, "output: nested deeper than 20 levels, which this schema cannot be judged for", judge(1000))
}
