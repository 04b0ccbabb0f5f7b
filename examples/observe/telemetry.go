package main

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// telemetry is OpenTelemetry's SDK, set up to keep everything in memory.
type telemetry struct {
	tracers *sdktrace.TracerProvider
	meters  *sdkmetric.MeterProvider
	spans   *tracetest.InMemoryExporter
	reader  *sdkmetric.ManualReader
}

// newTelemetry sends the spans to a collector as well, if there is one.
func newTelemetry(ctx context.Context, otlp string) (*telemetry, error) {
	t := &telemetry{spans: tracetest.NewInMemoryExporter(), reader: sdkmetric.NewManualReader()}
	opts := []sdktrace.TracerProviderOption{sdktrace.WithSyncer(t.spans)}
	if otlp != "" {
		collector, err := newCollector(ctx, otlp)
		if err != nil {
			return nil, err
		}
		opts = append(opts, collector)
	}
	t.tracers = sdktrace.NewTracerProvider(opts...)
	t.meters = sdkmetric.NewMeterProvider(sdkmetric.WithReader(t.reader))
	return t, nil
}

// newCollector exports spans over OTLP, in batches. Without a URL the exporter reads OTEL_EXPORTER_OTLP_ENDPOINT.
func newCollector(ctx context.Context, url string) (sdktrace.TracerProviderOption, error) {
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(url+"/v1/traces"))
	if err != nil {
		return nil, fmt.Errorf("OTLP: %w", err)
	}
	return sdktrace.WithBatcher(exporter), nil
}

// shutdown sends what is still waiting.
func (t *telemetry) shutdown(ctx context.Context) error {
	return errors.Join(t.tracers.Shutdown(ctx), t.meters.Shutdown(ctx))
}

// recording is everything that was recorded of the calls. Whatever shows it starts here: print does for a terminal.
type recording struct {
	spans   []sdktrace.ReadOnlySpan
	metrics metricdata.ResourceMetrics
	reports []*llmretry.Report // the same calls, as the decorator reports them
}

func (t *telemetry) recording(ctx context.Context) (*recording, error) {
	r := &recording{spans: t.spans.GetSpans().Snapshots()}
	return r, t.reader.Collect(ctx, &r.metrics)
}
