package schemacheck

import (
	"slices"
	"strconv"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

const (
	// DefaultMaxIssues bounds the list; what is beyond it is counted in one last issue.
	DefaultMaxIssues = 50
	// maxErrorNodes and maxErrorWork bound the values whose faults are collected one by one. The validator keeps
	// every fault with its whole path until the end: on a large or deep value that is wrong throughout it would need
	// gigabytes. Beyond the bounds the verdict is the same and the issue is one.
	maxErrorNodes = 200_000
	maxErrorWork  = 4_000_000 // nodes times depth
)

// Check judges a decoded value and returns what is wrong, nil when nothing is. nodes and depth are its size. The
// order of the issues is by path, then by code.
func (s *Schema) Check(v any, nodes, depth int) llmretry.Issues {
	if depth > s.maxDepth {
		return tooDeep(s.maxDepth)
	}
	if s.c.accepts(v, nodes) {
		return nil
	}
	if nodes > maxErrorNodes || nodes*max(depth, 1) > maxErrorWork {
		valid, judged := s.c.valid(v)
		switch {
		case !judged:
			return unjudged()
		case valid:
			return nil
		}
		return llmretry.Issues{{Code: "schema", Message: "output: does not fit the schema; too large to say where"}}
	}
	top := worst{limit: s.maxIssues}
	if !s.c.check(v, s.tagsOnce(), top.add) {
		return unjudged()
	}
	if top.total == 0 {
		return nil
	}
	return s.render(v, top)
}

func unjudged() llmretry.Issues {
	return llmretry.Issues{{Code: "schema", Message: "output: cannot be judged by the schema"}}
}

// worst keeps the first violations, at most limit, by path. Most of many are turned away by one comparison.
type worst struct {
	limit int
	kept  []violation // sorted
	total int
}

func (w *worst) add(v violation) {
	w.total++
	if n := len(w.kept); n == w.limit && compareViolations(&v, &w.kept[n-1]) >= 0 {
		return
	}
	at := len(w.kept)
	for at > 0 && compareViolations(&v, &w.kept[at-1]) < 0 {
		at--
	}
	if len(w.kept) == w.limit {
		w.kept = w.kept[:w.limit-1]
	}
	w.kept = slices.Insert(w.kept, at, v)
}

func (s *Schema) render(root any, w worst) llmretry.Issues {
	if s.echoed(root) {
		return llmretry.Issues{{
			Code: "schema_echo", Want: "a value that fits the schema", Got: sampleOf(root),
			Message: "output: is a schema, want a value that fits it",
		}}
	}
	issues := make(llmretry.Issues, 0, len(w.kept)+1)
	for i, v := range w.kept {
		if i > 0 && compareViolations(&w.kept[i-1], &v) == 0 {
			continue // two schemas in agreement
		}
		issues = append(issues, s.issue(root, v))
	}
	if more := w.total - len(w.kept); more > 0 {
		issues = append(issues, llmretry.Issue{
			Code:    "more",
			Message: "output: " + strconv.Itoa(more) + " more issues are left out",
		})
	}
	return issues
}

func sampleOf(v any) string { return jsontext.Sample(v, maxGot) }
