package otelretry

import (
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"
)

// series is what spans and metrics of one model's attempts have in common, made once: sorting attributes costs more than
// measuring does.
type series struct {
	attributes []attribute.KeyValue // clipped: operation, model and provider, as far as they are known
	start      []trace.SpanStartOption
	accepted   []metric.RecordOption
	input      []metric.RecordOption
	output     []metric.RecordOption
}

// models keeps the series of models, up to a number: names may come from anywhere.
type models struct {
	provider func(model string) string
	known    sync.Map // string to *series
	n        atomic.Int64
}

const maxModels = 256

func (m *models) of(model string) *series {
	if s, ok := m.known.Load(model); ok {
		return s.(*series)
	}
	s := m.made(model)
	if m.n.Load() < maxModels {
		m.n.Add(1)
		m.known.Store(model, s)
	}
	return s
}

func (m *models) made(model string) *series {
	attrs := []attribute.KeyValue{semconv.GenAIOperationNameChat}
	if model != "" {
		attrs = append(attrs, semconv.GenAIRequestModel(model))
	}
	if m.provider != nil {
		if provider := m.provider(model); provider != "" {
			attrs = append(attrs, semconv.GenAIProviderNameKey.String(provider))
		}
	}
	s := &series{attributes: attrs[:len(attrs):len(attrs)]}
	s.start = []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(s.attributes...)}
	s.accepted = s.with()
	s.input, s.output = s.with(semconv.GenAITokenTypeInput), s.with(semconv.GenAITokenTypeOutput)
	return s
}

// with returns the attributes and those given, for a measurement.
func (s *series) with(more ...attribute.KeyValue) []metric.RecordOption {
	return []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(append(s.attributes, more...)...))}
}
