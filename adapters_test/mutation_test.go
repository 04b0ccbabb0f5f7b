package adapters_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// recorder is a reporter that remembers instead of failing the test.
type recorder struct{ errors []string }

func (*recorder) Helper()             {}
func (*recorder) Logf(string, ...any) {}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// mutation is one wrong word in an expectation.
type mutation struct {
	kind  string // what it is about
	apply func(e *expectation)
}

// mutations are all single ones that can be made to e. Each addresses e by index, so that it can be applied to
// another copy.
func mutations(e *expectation) (list []mutation) {
	add := func(kind string, apply func(e *expectation)) { list = append(list, mutation{kind, apply}) }
	node := func(kind string, get func(e *expectation) *yaml.Node) {
		if isSet(*get(e)) {
			add(kind, func(e *expectation) { *get(e) = nodeOf(changed(valueOf(*get(e)))) })
		}
	}
	usage := func(kind string, get func(e *expectation) *yaml.Node) {
		counts, _ := valueOf(*get(e)).(map[string]any)
		for name := range counts {
			add(kind, func(e *expectation) {
				counts, _ := valueOf(*get(e)).(map[string]any)
				n, _ := counts[name].(int)
				counts[name] = n + 1
				*get(e) = nodeOf(counts)
			})
		}
		if isSet(*get(e)) && counts == nil {
			add(kind, func(e *expectation) { *get(e) = nodeOf(map[string]any{"total_tokens": 1}) })
		}
	}
	if e.Response != nil {
		node("finish_reason", func(e *expectation) *yaml.Node { return &e.Response.FinishReason })
		node("parsed", func(e *expectation) *yaml.Node { return &e.Response.Parsed })
		usage("usage", func(e *expectation) *yaml.Node { return &e.Response.Usage })
		if e.Response.Message != nil {
			add("role", func(e *expectation) { e.Response.Message.Role = "user" })
			node("content", func(e *expectation) *yaml.Node { return &e.Response.Message.Content })
			add("tool_calls", func(e *expectation) {
				e.Response.Message.ToolCalls = append(e.Response.Message.ToolCalls, fixtureToolCall{ID: "x", Name: "x"})
			})
			for i := range e.Response.Message.ToolCalls {
				add("tool_calls", func(e *expectation) { e.Response.Message.ToolCalls[i].ID += "x" })
				add("tool_calls", func(e *expectation) { e.Response.Message.ToolCalls[i].Name += "x" })
				add("tool_calls", func(e *expectation) { e.Response.Message.ToolCalls[i].Arguments["x"] = 1 })
			}
		}
		add("outcome", func(e *expectation) { e.Response, e.Raises = nil, &expectedError{} })
	}
	if e.Raises != nil {
		add("outcome", func(e *expectation) { e.Response, e.Raises = &expectedResponse{}, nil })
		add("category", func(e *expectation) { e.Raises.Category += "x" })
		add("message", func(e *expectation) { e.Raises.Message += "no such words" })
		if s := e.Raises.Carries; s != nil {
			if s.ResponseSchemaPresent != nil {
				add("carries", func(e *expectation) { *e.Raises.Carries.ResponseSchemaPresent = false })
			}
			if s.OutputContent != nil {
				add("carries", func(e *expectation) { *e.Raises.Carries.OutputContent += "x" })
			}
			if s.ErrorMessagePresent != nil {
				add("carries", func(e *expectation) { *e.Raises.Carries.ErrorMessagePresent = false })
			}
			add("carries", func(e *expectation) {
				e.Raises.Carries.ErrorMessageMentions = append(e.Raises.Carries.ErrorMessageMentions, "no such words")
			})
			node("finish_reason", func(e *expectation) *yaml.Node { return &e.Raises.Carries.FinishReason })
			usage("usage", func(e *expectation) *yaml.Node { return &e.Raises.Carries.Usage })
		}
	}
	if e.ProviderCallCount != nil {
		add("count", func(e *expectation) { *e.ProviderCallCount++ })
	}
	return slices.Concat(list, wireMutations(e), spanMutations(e))
}

func wireMutations(e *expectation) (list []mutation) {
	add := func(kind string, apply func(e *expectation)) { list = append(list, mutation{kind, apply}) }
	if e.WireRequests != nil {
		add("count", func(e *expectation) { e.WireRequests = append(e.WireRequests, wireRequest{}) })
		add("count", func(e *expectation) { e.WireRequests = e.WireRequests[1:] })
	}
	for i, w := range e.WireRequests {
		for name := range w.Sampling {
			kind := "sampling"
			if name == "temperature" {
				kind = name
			}
			add(kind, func(e *expectation) {
				e.WireRequests[i].Sampling[name] = changed(e.WireRequests[i].Sampling[name])
			})
		}
		for kind, get := range map[string]func(e *expectation) *[]fixtureMessage{
			"appended_messages": func(e *expectation) *[]fixtureMessage { return &e.WireRequests[i].AppendedMessages },
			"messages":          func(e *expectation) *[]fixtureMessage { return &e.WireRequests[i].Messages },
		} {
			if *get(e) == nil {
				continue
			}
			add(kind, func(e *expectation) { *get(e) = append(*get(e), fixtureMessage{Role: "user"}) })
			for j, m := range *get(e) {
				at := func(e *expectation) *fixtureMessage { return &(*get(e))[j] }
				add(kind, func(e *expectation) { *get(e) = slices.Delete(*get(e), j, j+1) })
				add(kind, func(e *expectation) { at(e).Role += "x" })
				add(kind, func(e *expectation) { at(e).ContentContains = append(at(e).ContentContains, "no such words") })
				if isSet(m.Content) {
					add(kind, func(e *expectation) { at(e).Content = nodeOf(changed(valueOf(m.Content))) })
				}
				for k := range m.ToolCalls {
					add(kind, func(e *expectation) { at(e).ToolCalls[k].Name += "x" })
					add(kind, func(e *expectation) { at(e).ToolCalls[k].Arguments["x"] = 1 })
				}
				if m.ToolCallID != "" {
					add(kind, func(e *expectation) { at(e).ToolCallID += "x" })
				}
			}
		}
	}
	return list
}

func spanMutations(e *expectation) (list []mutation) {
	add := func(kind string, apply func(e *expectation)) { list = append(list, mutation{kind, apply}) }
	for i, s := range e.LLMSpans {
		if s.AttemptIndex != nil {
			add("attempt_index", func(e *expectation) { *e.LLMSpans[i].AttemptIndex += 1 })
		}
		for name := range s.Attributes {
			if slices.Contains(responseIdentity, name) {
				continue // never compared: a deviation
			}
			kind := "attribute"
			if name == attrReason {
				kind = "retry_reason"
			}
			add(kind, func(e *expectation) {
				e.LLMSpans[i].Attributes[name] = changed(e.LLMSpans[i].Attributes[name])
			})
		}
		add("attributes_absent", func(e *expectation) {
			e.LLMSpans[i].AttributesAbsent = append(e.LLMSpans[i].AttributesAbsent, attrIndex)
		})
		if isSet(s.ErrorCategory) {
			add("error_category", func(e *expectation) {
				e.LLMSpans[i].ErrorCategory = nodeOf(changed(valueOf(e.LLMSpans[i].ErrorCategory)))
			})
		}
	}
	if e.LLMSpans != nil {
		add("count", func(e *expectation) { e.LLMSpans = e.LLMSpans[1:] })
	}
	return list
}

// changed is a value near v that is not v.
func changed(v any) any {
	switch v := v.(type) {
	case string:
		switch v {
		case string(llmretry.ReasonReask):
			return string(llmretry.ReasonTransient)
		case string(llmretry.ReasonTransient):
			return string(llmretry.ReasonReask)
		}
		return v + "x"
	case int:
		return v + 1
	case float64:
		return v + 0.05
	case bool:
		return !v
	case []any:
		return append(slices.Clone(v), "x")
	case map[string]any:
		m := maps.Clone(v)
		m["x"] = 1
		return m
	default:
		return "x"
	}
}

func nodeOf(v any) yaml.Node {
	var n yaml.Node
	_ = n.Encode(v) // plain values only
	return n
}

// wantKinds must each have been tried: an expectation nobody writes proves nothing about its check.
var wantKinds = []string{
	"temperature", "sampling", "appended_messages", "messages", "retry_reason", "error_category", "category", "usage",
	"finish_reason", "parsed", "content", "role", "tool_calls", "outcome", "message", "carries", "count", "attempt_index",
	"attribute", "attributes_absent",
}

// TestConformanceMutations alters every single expectation of our own cases, one at a time, and wants the runner to
// find each.
func TestConformanceMutations(t *testing.T) {
	t.Parallel()
	tried := map[string]int{}
	for _, f := range ownFixtures(t) {
		server := newRecordingServer(t, f.MockProvider.Responses...)
		for i, c := range f.calls() {
			p := play(t, f, c, server, variant{name: "with-transport", transport: true, typed: true})
			var clean recorder
			check(&clean, c, p)
			require.Empty(t, clean.errors, "%s, call %d", f.file, i)
			for n, m := range mutations(c.Expected) {
				tampered, err := loadFixture(filepath.Join(casesDir, f.file+".yaml"))
				require.NoError(t, err)
				call := tampered.calls()[i]
				m.apply(call.Expected)
				var r recorder
				check(&r, call, p)
				assert.NotEmpty(t, r.errors, "%s, call %d: mutation %d, of %s, is not noticed", f.file, i, n, m.kind)
				tried[m.kind]++
			}
		}
	}
	assert.ElementsMatch(t, wantKinds, slices.Collect(maps.Keys(tried)))
	t.Logf("mutations: %v", tried)
}
