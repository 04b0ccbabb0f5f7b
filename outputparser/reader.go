package outputparser

import (
	"slices"

	"github.com/llmretry/langchaingo-llmretry/internal/extract"
	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/llmretry/langchaingo-llmretry/internal/schemacheck"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// reader finds the one value in a text that a schema accepts.
type reader struct {
	schema *schemacheck.Schema
	strict bool
	object bool // an object can be valid
	array  bool // an array can be valid
	limits Limits
}

// reading is an accepted value: the decoded tree and where its text is.
type reading struct {
	tree any
	text string // the text that extent is of; not always the reply's own
	at   jsontext.Value
}

// maxCandidates bounds the values of one reply that are decoded and judged.
const maxCandidates = 1000

func newReader(s *schemacheck.Schema, strict bool) reader {
	r := reader{schema: s, strict: strict}
	types := s.RootTypes()
	r.object = types == nil || slices.Contains(types, "object")
	r.array = types == nil || slices.Contains(types, "array")
	return r
}

func (r reader) read(text string) (reading, llmretry.Issues) {
	if r.limits.Bytes > 0 && len(text) > r.limits.Bytes {
		return reading{}, llmretry.Issues{tooLarge(len(text), r.limits.Bytes)}
	}
	if r.strict {
		return r.readStrict(text)
	}
	return r.readLenient(text)
}

func (r reader) readStrict(text string) (reading, llmretry.Issues) {
	v, problem := extract.Whole(text)
	if problem.Reason == extract.NoValue {
		if search := extract.Lenient(text); search.Any() {
			problem.Reason = extract.ExtraText
		}
	}
	if problem.Reason != extract.None {
		return reading{}, r.explain(text, problem)
	}
	return r.judge(text, v, jsontext.RFC8259)
}

// readLenient takes the only distinct value that fits; two different ones are no answer.
func (r reader) readLenient(text string) (reading, llmretry.Issues) {
	search := extract.Lenient(text)
	var (
		accepted reading
		found    bool
		refused  llmretry.Issues // of the longest value that did not fit
		longest  int
		last     string
		tried    int
	)
	for {
		v, ok := search.Next()
		if !ok {
			break
		}
		if !search.Whole() && !r.possible(text[v.Start]) {
			if refused == nil {
				refused = llmretry.Issues{r.noValue(text, "a value of another type")}
			}
			continue
		}
		if raw := v.Text(text); raw == last {
			continue // judged already
		} else {
			last = raw
		}
		if tried++; tried > maxCandidates {
			return reading{}, tooMany()
		}
		got, issues := r.judge(text, v, jsontext.Tolerant)
		if issues != nil && search.Whole() {
			if inner, ok := r.readEncoded(got.tree); ok {
				got, issues = inner, nil
			}
		}
		switch {
		case issues != nil:
			if size := v.End - v.Start; size > longest {
				refused, longest = issues, size
			}
		case found && !jsontext.Equal(accepted.tree, got.tree):
			return reading{}, ambiguous(accepted, got)
		case !found:
			accepted, found = got, true
		}
	}
	problem := search.Problem()
	switch {
	case problem.Reason == extract.OpenReasoning, problem.Reason == extract.ToolCall:
		return reading{}, r.explain(text, problem)
	case found:
		return accepted, nil
	case refused != nil:
		return reading{}, refused
	}
	return reading{}, r.explain(text, problem)
}

// possible reports whether a value with this first byte can fit at all, so that brackets of another kind, as those of
// citations, cost nothing.
func (r reader) possible(first byte) bool { return first == '{' && r.object || first == '[' && r.array }

// judge decodes one value and holds it against the schema. The tree is returned for refused values too.
func (r reader) judge(text string, v jsontext.Value, mode jsontext.Mode) (reading, llmretry.Issues) {
	if r.limits.Depth > 0 && v.Depth > r.limits.Depth {
		return reading{}, llmretry.Issues{tooDeep(v.Depth, r.limits.Depth)}
	}
	tree, dup := jsontext.Decode(text, v, mode)
	if dup != nil {
		return reading{}, llmretry.Issues{duplicateKey(dup, mode)}
	}
	return reading{tree, text, v}, r.schema.Check(tree, v.Nodes, v.Depth)
}

// readEncoded reads a value that came as a JSON string holding its text. Only a root string that the schema refuses
// is read so, and only once: then nothing else can have been meant.
func (r reader) readEncoded(tree any) (reading, bool) {
	text, ok := tree.(string)
	if !ok {
		return reading{}, false
	}
	v, ok := extract.Bare(text)
	if !ok || !r.possible(text[v.Start]) {
		return reading{}, false
	}
	got, issues := r.judge(text, v, jsontext.Tolerant)
	return got, issues == nil
}
