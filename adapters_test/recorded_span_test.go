package adapters_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// callerSpan is the name of the span that a played call is made under.
const callerSpan = "caller"

// recordedSpan is a span as an exporter got it.
type recordedSpan struct {
	attemptSpan
	name        string
	kind        trace.SpanKind
	underCaller bool
	status      codes.Code
	described   string // the status
	exceptions  []map[string]any
}

// recordedSpans are those of attempts, in order. The caller's ended last.
func recordedSpans(stubs tracetest.SpanStubs) (list []recordedSpan) {
	if len(stubs) == 0 {
		return nil
	}
	caller := stubs[len(stubs)-1].SpanContext.SpanID()
	for _, s := range stubs[:len(stubs)-1] {
		got := recordedSpan{
			attemptSpan: attemptSpan{attributes: attributesOf(s.Attributes)},
			name:        s.Name, kind: s.SpanKind, underCaller: s.Parent.SpanID() == caller,
			status: s.Status.Code, described: s.Status.Description,
		}
		got.category, _ = got.attributes[attrCategory].(string)
		for _, e := range s.Events {
			if e.Name == "exception" {
				got.exceptions = append(got.exceptions, attributesOf(e.Attributes))
			}
		}
		list = append(list, got)
	}
	return list
}

// attributesOf makes a map; integers are ints, as a report has them.
func attributesOf(attrs []attribute.KeyValue) map[string]any {
	m := make(map[string]any, len(attrs))
	for _, a := range attrs {
		v := a.Value.AsInterface()
		if n, ok := v.(int64); ok {
			v = int(n)
		}
		m[string(a.Key)] = v
	}
	return m
}

func (p *played) attemptSpans() []attemptSpan {
	list := make([]attemptSpan, len(p.spans))
	for i, s := range p.spans {
		list[i] = s.attemptSpan
	}
	return list
}

// checkRecordedSpans holds the spans of any call against its report: one for each attempt, siblings under the caller's
// span, with exactly the attributes that the report gives reason to; a failed one has its category, the status and an
// exception event, neither of which quotes anything. (Semantics H1, H2.)
func checkRecordedSpans(r reporter, p *played) {
	r.Helper()
	want := spansOf(p.attempts)
	if !assert.Len(r, p.spans, len(want), "recorded spans, by attempts") {
		return
	}
	for i, w := range want {
		got := p.spans[i]
		assert.Equal(r, "openarmature.llm.complete", got.name, "name of span %d", i)
		assert.Equal(r, trace.SpanKindClient, got.kind, "kind of span %d", i)
		assert.True(r, got.underCaller, "span %d is the caller's child", i)
		w.attributes["gen_ai.operation.name"] = "chat"
		if w.category != "" {
			w.attributes["error.type"] = w.category
		}
		for _, name := range slices.Sorted(maps.Keys(w.attributes)) {
			assert.True(r, sameJSON(w.attributes[name], got.attributes[name]), "span %d: %s: want %s, got %s", i, name,
				show(w.attributes[name]), show(got.attributes[name]))
		}
		for _, name := range slices.Sorted(maps.Keys(got.attributes)) {
			assert.Contains(r, w.attributes, name, "span %d has an attribute without a reason", i)
		}
		checkFailedSpan(r, i, got, p.attempts[i])
	}
}

func checkFailedSpan(r reporter, i int, got recordedSpan, a llmretry.Attempt) {
	r.Helper()
	assert.Equal(r, string(a.Category), got.described, "described status of span %d", i)
	if a.Category == "" {
		assert.Equal(r, codes.Unset, got.status, "status of span %d", i)
		assert.Empty(r, got.exceptions, "exceptions of span %d", i)
		return
	}
	assert.Equal(r, codes.Error, got.status, "status of span %d", i)
	if !assert.Len(r, got.exceptions, 1, "exceptions of span %d", i) {
		return
	}
	message, _ := got.exceptions[0]["exception.message"].(string)
	kind, _ := got.exceptions[0]["exception.type"].(string)
	assert.Regexp(r, `^`+string(a.Category)+`( \(status \d+\))?$`, message, "exception of span %d", i)
	assert.NotEmpty(r, kind, "type of the exception of span %d", i)
}

// Spans are made without any exporter's help: nothing recorded is no span, not a panic.
func TestConformanceRecordedSpans(t *testing.T) {
	t.Parallel()
	assert.Empty(t, recordedSpans(nil))
	assert.Empty(t, recordedSpans(tracetest.SpanStubs{{Name: callerSpan}}))
}
