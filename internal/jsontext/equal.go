package jsontext

import "encoding/json"

// Equal compares two decoded values; numbers by value, so that 1, 1.0 and 1e0 are one.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, av := range a {
			if bv, ok := b[k]; !ok || !Equal(av, bv) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i, av := range a {
			if !Equal(av, b[i]) {
				return false
			}
		}
		return true
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || equalNumbers(a, b))
	}
	return a == b
}

func equalNumbers(a, b json.Number) bool {
	x, okx := rat(a)
	y, oky := rat(b)
	return okx && oky && x.Cmp(y) == 0
}
