package schemacheck

import "cmp"

// violation is one fault, apart from how the validator words it.
type violation struct {
	path    []string // of the value at fault; shared, read-only
	code    string
	schema  string   // JSON Pointer of the schema that was violated
	name    string   // the property that is missing, not allowed ..., where it is about one
	limit   string   // the bound that was passed, as the schema writes it
	options []string // types, of several schemas
	allowed []any    // values, of several schemas
}

// aboutMember reports whether the fault is a member of the object at path: one that is missing or too much.
func (v *violation) aboutMember() bool { return v.code == "required" || v.code == "additional" }

// depth and token read the path of what the issue will point at.
func (v *violation) depth() int {
	if v.aboutMember() {
		return len(v.path) + 1
	}
	return len(v.path)
}

func (v *violation) token(i int) string {
	if i < len(v.path) {
		return v.path[i]
	}
	return v.name
}

// compareViolations orders by path, then by code.
func compareViolations(a, b *violation) int {
	n, m := a.depth(), b.depth()
	for i := range min(n, m) {
		if c := compareTokens(a.token(i), b.token(i)); c != 0 {
			return c
		}
	}
	if n != m {
		return cmp.Compare(n, m)
	}
	return cmp.Or(cmp.Compare(a.code, b.code), cmp.Compare(a.name, b.name), cmp.Compare(a.schema, b.schema))
}

// compareTokens puts array indices in their order.
func compareTokens(a, b string) int {
	switch {
	case a == b:
		return 0
	case len(a) != len(b) && isDigits(a) && isDigits(b):
		return cmp.Compare(len(a), len(b))
	}
	return cmp.Compare(a, b)
}

func isDigits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
