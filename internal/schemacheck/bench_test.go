package schemacheck

import (
	"strings"
	"testing"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/stretchr/testify/require"
)

// BenchmarkTenThousandViolations tells what the validator takes from what the issues take.
func BenchmarkTenThousandViolations(b *testing.B) {
	s := compiled(b, `{"type":"array","items":{"type":"object","properties":{"qty":{"type":"integer","minimum":1}},"required":["qty"]}}`)
	text := "[" + strings.Repeat(`{"qty":0},`, 9999) + `{"qty":0}]`
	v, fault := jsontext.Scan(text, 0, jsontext.RFC8259)
	require.Zero(b, fault)
	tree, _ := jsontext.Decode(text, v, jsontext.RFC8259)
	b.Run("validator", func(b *testing.B) {
		for b.Loop() {
			_ = s.c.full.Validate(tree)
		}
	})
	var all []violation
	s.c.check(tree, s.tagsOnce(), func(v violation) { all = append(all, v) })
	require.Len(b, all, 10_000)
	b.Run("issues", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			top := worst{limit: DefaultMaxIssues}
			for _, v := range all {
				top.add(v)
			}
			_ = s.render(tree, top).Error()
		}
	})
}
