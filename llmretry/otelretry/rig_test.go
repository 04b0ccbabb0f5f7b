package otelretry_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.uber.org/goleak"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/otelretry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is an observer with everything it says kept in memory.
type rig struct {
	spans    *tracetest.InMemoryExporter
	reader   *metric.ManualReader
	tracers  *trace.TracerProvider
	meters   *metric.MeterProvider
	observer llmretry.Observer
}

func newRig(t testing.TB, opts ...otelretry.Option) *rig {
	t.Helper()
	r := &rig{spans: tracetest.NewInMemoryExporter(), reader: metric.NewManualReader()}
	r.tracers = trace.NewTracerProvider(trace.WithSyncer(r.spans))
	r.meters = metric.NewMeterProvider(metric.WithReader(r.reader))
	var err error
	r.observer, err = otelretry.New(append([]otelretry.Option{otelretry.WithTracerProvider(r.tracers),
		otelretry.WithMeterProvider(r.meters)}, opts...)...)
	require.NoError(t, err)
	return r
}

// attempts are the spans of attempts, in order of their end.
func (r *rig) attempts() tracetest.SpanStubs {
	return slices.DeleteFunc(r.spans.GetSpans(), func(s tracetest.SpanStub) bool { return s.Name != "openarmature.llm.complete" })
}

func (r *rig) collect(t testing.TB) []metricdata.Metrics {
	t.Helper()
	list, err := collect(r.reader)
	require.NoError(t, err)
	return list
}

func collect(reader metric.Reader) (list []metricdata.Metrics, err error) {
	var data metricdata.ResourceMetrics
	err = reader.Collect(context.Background(), &data)
	for _, s := range data.ScopeMetrics {
		list = append(list, s.Metrics...)
	}
	slices.SortFunc(list, func(a, b metricdata.Metrics) int { return cmp.Compare(a.Name, b.Name) })
	return list, err
}

// outcomes are the counter's, by outcome.
func (r *rig) outcomes(t testing.TB) map[string]int64 {
	t.Helper()
	return outcomesOf(r.reader)
}

// outcomesOf is empty when there is nothing, or anything but the one attribute.
func outcomesOf(reader metric.Reader) map[string]int64 {
	found := map[string]int64{}
	list, _ := collect(reader)
	for _, m := range list {
		if m.Name != "schema_retry_attempts" {
			continue
		}
		for _, p := range m.Data.(metricdata.Sum[int64]).DataPoints {
			if what, ok := p.Attributes.Value("outcome"); ok && p.Attributes.Len() == 1 {
				found[what.AsString()] = p.Value
			}
		}
	}
	return found
}

// printSpans writes spans with what is not the same in every run left out.
func printSpans(w *strings.Builder, spans tracetest.SpanStubs) {
	names := map[string]string{}
	for _, s := range spans {
		names[s.SpanContext.SpanID().String()] = s.Name
	}
	for _, s := range spans {
		fmt.Fprintf(w, "%s %s, %v", s.SpanKind, s.Name, s.EndTime.Sub(s.StartTime))
		if parent := names[s.Parent.SpanID().String()]; parent != "" {
			fmt.Fprintf(w, ", under %s", parent)
		}
		fmt.Fprintln(w)
		if s.Status.Code != 0 {
			fmt.Fprintf(w, "  status %s %q\n", s.Status.Code, s.Status.Description)
		}
		printAttributes(w, "  ", s.Attributes)
		for _, e := range s.Events {
			fmt.Fprintf(w, "  event %s\n", e.Name)
			printAttributes(w, "    ", e.Attributes)
		}
	}
}

func printAttributes(w *strings.Builder, indent string, attrs []attribute.KeyValue) {
	attrs = slices.Clone(attrs)
	slices.SortFunc(attrs, func(a, b attribute.KeyValue) int { return cmp.Compare(a.Key, b.Key) })
	for _, a := range attrs {
		fmt.Fprintf(w, "%s%s = %s\n", indent, a.Key, a.Value.String())
	}
}

// printMetrics writes a line per series.
func printMetrics(w *strings.Builder, list []metricdata.Metrics) {
	for _, m := range list {
		var lines []string
		line := func(set attribute.Set, value string) {
			lines = append(lines, fmt.Sprintf("%s{%s} %s %s\n", m.Name, set.Encoded(attribute.DefaultEncoder()), value, m.Unit))
		}
		switch data := m.Data.(type) {
		case metricdata.Sum[int64]:
			for _, p := range data.DataPoints {
				line(p.Attributes, fmt.Sprint(p.Value))
			}
		case metricdata.Histogram[int64]:
			for _, p := range data.DataPoints {
				line(p.Attributes, fmt.Sprintf("n=%d sum=%d", p.Count, p.Sum))
			}
		case metricdata.Histogram[float64]:
			for _, p := range data.DataPoints {
				line(p.Attributes, fmt.Sprintf("n=%d sum=%.3g", p.Count, p.Sum))
			}
		default:
			lines = append(lines, fmt.Sprintf("%s is a %T\n", m.Name, data))
		}
		slices.Sort(lines)
		w.WriteString(strings.Join(lines, ""))
	}
}

// reply is one scripted answer.
type reply struct {
	response *llms.ContentResponse
	err      error
	takes    time.Duration // 200 ms if it is not said; on the bubble's clock
	panics   any
	chunks   []string
	do       func()
}

// script is a model that plays replies in order, then the last one again.
type script struct {
	mu      sync.Mutex
	replies []reply
	asked   int
}

func (s *script) GenerateContent(ctx context.Context, _ []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
	s.mu.Lock()
	r := s.replies[min(s.asked, len(s.replies)-1)]
	s.asked++
	s.mu.Unlock()
	var o llms.CallOptions
	for _, opt := range opts {
		opt(&o)
	}
	if r.do != nil {
		r.do()
	}
	select {
	case <-time.After(cmp.Or(r.takes, 200*time.Millisecond)):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for _, c := range r.chunks {
		if err := o.StreamingFunc(ctx, []byte(c)); err != nil {
			return nil, err
		}
	}
	if r.panics != nil {
		panic(r.panics)
	}
	return r.response, r.err
}

func (s *script) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, s, prompt, opts...)
}

func says(content string) reply { return stops(content, "stop") }

func stops(content, reason string) reply {
	return reply{response: &llms.ContentResponse{Choices: []*llms.ContentChoice{{
		Content: content, StopReason: reason,
		GenerationInfo: map[string]any{"PromptTokens": 10, "CompletionTokens": len(content), "TotalTokens": 10 + len(content)},
	}}}}
}

func silent(content string) reply {
	return reply{response: &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: content}}}}
}

func fails(status int) reply {
	return reply{err: fmt.Errorf("API returned unexpected status code: %d: overloaded", status)}
}

var hello = []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "hello")}

// good is a parser that accepts one word.
var good = llmretry.ParserFunc[string](func(text string) (string, error) {
	if text != "good" {
		return "", llmretry.Issues{{Path: "/word", Code: "check", Message: "/word: want good, got " + text}}
	}
	return text, nil
})

func correction(context.Context, llmretry.Failure) (string, error) { return "again, please", nil }

var (
	byParser = llmretry.WithParser(good)
	reasking = llmretry.WithReask(correction)
	errOdd   = errors.New("odd")
)

func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func panicking() llmretry.Observer {
	return llmretry.Observer{Attempt: func(context.Context, llmretry.AttemptStart) (context.Context, func(llmretry.Attempt)) {
		panic("observer")
	}}
}
