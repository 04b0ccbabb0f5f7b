package schemacheck

import (
	"fmt"
	"math"
	"reflect"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// maxBranchings bounds how often a value may be judged along the branches of a schema that branches on its way down.
// The validator tries every branch and remembers nothing, so that a tagged tree of b kinds costs b times more with
// each level, valid or not.
const maxBranchings = 1 << 20

// maxDepthOf returns how deep a value may be nested for the schema, which for most has no bound of its own.
func (s *Schema) maxDepthOf() int {
	widest := 1
	s.unions(s.doc, func(union map[string]any, branches []any) {
		back := 0
		for _, branch := range branches {
			if s.reaches(branch, union, map[uintptr]bool{}) {
				back++
			}
		}
		widest = max(widest, back)
	})
	if widest == 1 {
		return math.MaxInt
	}
	return int(math.Log(maxBranchings) / math.Log(float64(widest)))
}

// unions visits every anyOf, oneOf and allOf of the document.
func (s *Schema) unions(v any, visit func(union map[string]any, branches []any)) {
	switch v := v.(type) {
	case map[string]any:
		for key, sub := range v {
			if branches, ok := sub.([]any); ok && len(branches) > 1 && (key == "anyOf" || key == "oneOf" || key == "allOf") {
				visit(v, branches)
			}
			s.unions(sub, visit)
		}
	case []any:
		for _, sub := range v {
			s.unions(sub, visit)
		}
	}
}

// reaches reports whether target is found again below v, references followed.
func (s *Schema) reaches(v any, target map[string]any, seen map[uintptr]bool) bool {
	switch v := v.(type) {
	case map[string]any:
		id := reflect.ValueOf(v).Pointer()
		if id == reflect.ValueOf(target).Pointer() {
			return true
		}
		if seen[id] {
			return false
		}
		seen[id] = true
		if referred, ok := s.resolve(v); ok && s.reaches(referred, target, seen) {
			return true
		}
		for _, sub := range v {
			if s.reaches(sub, target, seen) {
				return true
			}
		}
	case []any:
		for _, sub := range v {
			if s.reaches(sub, target, seen) {
				return true
			}
		}
	}
	return false
}

func tooDeep(limit int) llmretry.Issues {
	return llmretry.Issues{{Code: "too_deep", Message: fmt.Sprintf("output: nested deeper than %d levels, which this schema cannot be judged for", limit)}}
}
