package otelretry_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/llmretry/langchaingo-llmretry/internal/golden"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

func value(attrs []attribute.KeyValue, key string) (attribute.Value, bool) {
	for _, a := range attrs {
		if string(a.Key) == key {
			return a.Value, true
		}
	}
	return attribute.Value{}, false
}

func eventsOf(s tracetest.SpanStub, name string) (n int) {
	for _, e := range s.Events {
		if e.Name == name {
			n++
		}
	}
	return n
}

// The spans of every scenario, whole. (Semantics H1, H2, H4.)
func TestSpans(t *testing.T) {
	var w strings.Builder
	each(t, func(_ *testing.T, s scenario, r *rig, _ error) {
		fmt.Fprintf(&w, "== %s\n", s.name)
		printSpans(&w, r.spans.GetSpans())
	})
	stack := regexp.MustCompile(`(?m)(exception\.stacktrace = goroutine).*\n(?:.*\n)*?(  |==|internal)`)
	golden.Check(t, "spans.golden", stack.ReplaceAllString(w.String(), "$1 ...\n$2"))
}

// What holds for every call: one span per model call, siblings under the caller's, the reason of each that of the
// failure before it, the three signs of a failure together, and one end. (Semantics H1, H4.)
func TestSpanRules(t *testing.T) {
	each(t, func(t *testing.T, s scenario, r *rig, err error) {
		spans, all := r.attempts(), r.spans.GetSpans()
		caller := all[len(all)-1]
		require.Len(t, spans, s.calls)
		for i, span := range spans {
			assert.Equal(t, caller.SpanContext.SpanID(), span.Parent.SpanID())
			assert.Equal(t, trace.SpanKindClient, span.SpanKind)
			index, ok := value(span.Attributes, "openarmature.llm.attempt_index")
			assert.True(t, ok)
			assert.EqualValues(t, i, index.AsInt64())
			_, retried := value(span.Attributes, "openarmature.llm.retry_reason")
			assert.Equal(t, i > 0, retried)
			category, _ := value(span.Attributes, "openarmature.error.category")
			kind, failed := value(span.Attributes, "error.type")
			assert.Equal(t, failed, span.Status.Code == codes.Error)
			assert.Equal(t, failed, eventsOf(span, "exception") == 1)
			assert.Equal(t, category.AsString(), span.Status.Description)
			if category.AsString() != "" {
				assert.Equal(t, category.AsString(), kind.AsString())
			}
			if i == len(spans)-1 {
				assert.Equal(t, err != nil, failed, "the call fails with its last attempt")
			}
		}
		assert.Equal(t, 1, eventsOf(caller, "llmretry.call"))
		ok, _ := value(caller.Events[0].Attributes, "llmretry.call.ok")
		assert.Equal(t, err == nil, ok.AsBool())
		kind, failed := value(caller.Events[0].Attributes, "error.type")
		assert.Equal(t, err != nil, failed)
		if c := llmretry.Category(err); failed && c != "" {
			assert.Equal(t, string(c), kind.AsString())
		}
	})
}

// Without a span of the caller's, attempts are roots and nobody is told of the end. (Semantics H1.)
func TestSpanWithoutCaller(t *testing.T) {
	r := newRig(t)
	m := llmretry.Must(llmretry.New(&script{replies: []reply{{err: errOdd, takes: 1}}}, llmretry.WithObserver(r.observer)))
	_, err := m.GenerateContent(t.Context(), hello)
	require.ErrorIs(t, err, errOdd)
	require.Len(t, r.spans.GetSpans(), 1)
	assert.False(t, r.spans.GetSpans()[0].Parent.IsValid())
}

// A context that is done before the call: no attempt, no span of one, and still one end. (Semantics C7, H4.)
func TestSpanOfNoAttempt(t *testing.T) {
	s := scenario{replies: []reply{says("good")}, opts: []llmretry.Option{byParser}, cancel: 1}
	s.play(t, func(t *testing.T, r *rig, err error) {
		require.ErrorIs(t, err, errOdd)
	})
	r := newRig(t)
	ctx, span := r.tracers.Tracer("test").Start(canceled(t), "caller")
	m := llmretry.Must(llmretry.New(&script{replies: s.replies}, llmretry.WithObserver(r.observer), byParser))
	_, err := m.GenerateContent(ctx, hello)
	span.End()
	require.Error(t, err)
	require.Len(t, r.spans.GetSpans(), 1)
	assert.Equal(t, 1, eventsOf(r.spans.GetSpans()[0], "llmretry.call"))
	assert.Empty(t, r.outcomes(t))
}

// The attempts of decorators in each other are in each other too. (Semantics A8, H1.)
func TestSpanNested(t *testing.T) {
	r := newRig(t)
	inner := llmretry.Must(llmretry.New(&script{replies: []reply{{err: fails(503).err, takes: 1}, {response: says("good").response, takes: 1}}},
		llmretry.WithObserver(r.observer), llmretry.WithBackoff(llmretry.Constant(0))))
	outer := llmretry.Must(llmretry.New(inner, llmretry.WithObserver(r.observer), byParser))
	_, err := outer.GenerateContent(t.Context(), hello)
	require.NoError(t, err)
	spans := r.attempts()
	require.Len(t, spans, 3)
	above := spans[2]
	assert.Equal(t, above.SpanContext.SpanID(), spans[0].Parent.SpanID())
	assert.Equal(t, above.SpanContext.SpanID(), spans[1].Parent.SpanID())
	assert.Equal(t, 1, eventsOf(above, "llmretry.call"), "of the inner call")
	assert.True(t, slices.ContainsFunc(spans[0].Attributes, func(a attribute.KeyValue) bool { return a.Key == "error.type" }))
}

// A panic in another observer ends the span all the same, as failed. (Semantics J2.)
func TestSpanOfAPanic(t *testing.T) {
	r := newRig(t)
	m := llmretry.Must(llmretry.New(&script{replies: []reply{{response: says("good").response, takes: 1}}}, byParser,
		llmretry.WithObserver(r.observer), llmretry.WithObserver(panicking())))
	assert.Panics(t, func() { _, _ = m.GenerateContent(t.Context(), hello) })
	require.Len(t, r.attempts(), 1)
	assert.Equal(t, codes.Error, r.attempts()[0].Status.Code)
	assert.Empty(t, r.outcomes(t))
}
