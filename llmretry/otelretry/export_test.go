package otelretry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms/openai"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/exporters/stdout/stdoutmetric"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/llmretry/langchaingo-llmretry/internal/loopback"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/otelretry"
)

// quick makes replies that take no time worth waiting for.
func quick(replies ...reply) []reply {
	for i := range replies {
		replies[i].takes = 1
	}
	return replies
}

// scrape returns the lines of a Prometheus page that begin with a name.
func scrape(t *testing.T, gatherer prometheus.Gatherer, name string) (lines []string) {
	server := httptest.NewServer(promhttp.HandlerFor(gatherer, promhttp.HandlerOpts{}))
	defer server.Close()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(server.URL)
	require.NoError(t, err)
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, name) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// The counter, as Prometheus sees it, after calls of every kind: its name, its one label, its three values. Calls and
// decodes without a decorator count into the same one. (Semantics H3, H4, K8.)
func TestPrometheusCounter(t *testing.T) {
	registry := prometheus.NewRegistry()
	exporter, err := otelprometheus.New(otelprometheus.WithRegisterer(registry), otelprometheus.WithoutScopeInfo())
	require.NoError(t, err)
	meters := otelretry.WithMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(exporter)))
	observer, err := otelretry.New(meters)
	require.NoError(t, err)
	for _, replies := range [][]reply{
		quick(says("good")),                           // success
		quick(fails(503), says("good")),               // success
		quick(says("bad"), says("bad"), says("good")), // 2 retries, success
		quick(says("bad"), fails(503), says("bad")),   // 1 retry, exhausted
		quick(fails(400)),                             // nothing
	} {
		m := llmretry.Must(llmretry.New(&script{replies: replies}, llmretry.WithObserver(observer), byParser, reasking,
			llmretry.WithBackoff(llmretry.Constant(0))))
		_, _ = m.GenerateContent(t.Context(), hello) // what comes of it is in the counter
	}
	unjudged := llmretry.Must(llmretry.New(&script{replies: quick(says("bad"))}, llmretry.WithObserver(observer)))
	_, err = unjudged.GenerateContent(t.Context(), hello)
	require.NoError(t, err)
	assert.Equal(t, []string{
		`schema_retry_attempts_total{outcome="exhausted"} 1`,
		`schema_retry_attempts_total{outcome="retry"} 3`,
		`schema_retry_attempts_total{outcome="success"} 3`,
	}, scrape(t, registry, "schema_retry_attempts"))

	count, err := otelretry.OutcomeCounter(meters)
	require.NoError(t, err)
	asked := 0
	decode := llmretry.SchemaRetry[string]{
		Validate: good.Parse, Compose: llmretry.PreviousErrors(""), Outcome: count,
		AskAgain: func(context.Context, string) (string, error) { asked++; return []string{"bad", "good"}[asked-1], nil },
	}
	_, err = decode.Run(t.Context(), "bad")
	require.NoError(t, err)
	assert.Equal(t, []string{
		`schema_retry_attempts_total{outcome="exhausted"} 1`,
		`schema_retry_attempts_total{outcome="retry"} 5`,
		`schema_retry_attempts_total{outcome="success"} 4`,
	}, scrape(t, registry, "schema_retry_attempts"))
	assert.NotEmpty(t, scrape(t, registry, "gen_ai_client_operation_duration_seconds_bucket"))
	assert.NotEmpty(t, scrape(t, registry, "gen_ai_client_token_usage_sum"))
	assert.NotEmpty(t, scrape(t, registry, "llmretry_retry_wait_seconds_count"))
	assert.NotEmpty(t, scrape(t, registry, "llmretry_call_reasks_count"))
}

// Without WithoutScopeInfo the exporter adds labels of its own to the same name.
func TestPrometheusScopeLabels(t *testing.T) {
	registry := prometheus.NewRegistry()
	exporter, err := otelprometheus.New(otelprometheus.WithRegisterer(registry))
	require.NoError(t, err)
	count, err := otelretry.OutcomeCounter(otelretry.WithMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(exporter))))
	require.NoError(t, err)
	count(t.Context(), llmretry.OutcomeExhausted)
	lines := scrape(t, registry, "schema_retry_attempts")
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], `schema_retry_attempts_total{`)
	assert.Contains(t, lines[0], `outcome="exhausted"`)
	assert.Contains(t, lines[0], `otel_scope_name="`)
}

// A client's HTTP spans are found under the attempt that made the request. (Semantics H1.)
func TestSpanHoldsHTTP(t *testing.T) {
	n := 0
	server, err := loopback.Start(func(loopback.Request) loopback.Answer {
		if n++; n == 1 {
			return loopback.Answer{Status: http.StatusServiceUnavailable}
		}
		return loopback.Says("good")
	})
	require.NoError(t, err)
	defer server.Close()
	r := newRig(t)
	base := otelhttp.NewTransport(&http.Transport{DisableKeepAlives: true}, otelhttp.WithTracerProvider(r.tracers), otelhttp.WithMeterProvider(r.meters))
	client, err := openai.New(openai.WithBaseURL(server.URL), openai.WithToken("none"), openai.WithModel("m"),
		openai.WithHTTPClient(&http.Client{Transport: llmretry.NewTransport(base)}))
	require.NoError(t, err)
	m := llmretry.Must(llmretry.New(client, llmretry.WithObserver(r.observer), byParser, llmretry.WithBackoff(llmretry.Constant(0))))
	_, err = m.GenerateContent(t.Context(), hello)
	require.NoError(t, err)
	attempts := r.attempts()
	require.Len(t, attempts, 2)
	var under []trace.SpanID
	for _, s := range r.spans.GetSpans() {
		if s.Name == "HTTP POST" {
			under = append(under, s.Parent.SpanID())
		}
	}
	assert.Equal(t, []trace.SpanID{attempts[0].SpanContext.SpanID(), attempts[1].SpanContext.SpanID()}, under)
}

// A receiver of OTLP gets what was recorded. (Semantics H1.)
func TestSpanOverOTLP(t *testing.T) {
	var mu sync.Mutex
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		var request collector.ExportTraceServiceRequest
		assert.NoError(t, proto.Unmarshal(body, &request))
		mu.Lock()
		defer mu.Unlock()
		for _, resource := range request.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				assert.Equal(t, "https://opentelemetry.io/schemas/1.41.0", scope.SchemaUrl)
				for _, s := range scope.Spans {
					got = append(got, fmt.Sprint(s.Name, " ", s.Kind, " ", s.Status.Code, " ", len(s.Events)))
				}
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	defer server.Close()
	exporter, err := otlptracehttp.New(t.Context(), otlptracehttp.WithEndpointURL(server.URL+"/v1/traces"),
		otlptracehttp.WithHTTPClient(&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}))
	require.NoError(t, err)
	tracers := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter))
	observer, err := otelretry.New(otelretry.WithTracerProvider(tracers), otelretry.WithPayload(100, nil))
	require.NoError(t, err)
	m := llmretry.Must(llmretry.New(&script{replies: quick(says("bad \xff"), says("good"))}, llmretry.WithObserver(observer), byParser, reasking))
	_, err = m.GenerateContent(t.Context(), hello)
	require.NoError(t, err)
	require.NoError(t, tracers.Shutdown(t.Context()))
	assert.Equal(t, []string{
		"openarmature.llm.complete SPAN_KIND_CLIENT STATUS_CODE_ERROR 1",
		"openarmature.llm.complete SPAN_KIND_CLIENT STATUS_CODE_UNSET 0",
	}, got)
}

// The exporters that print can print it.
func TestSpanAndMetricToStdout(t *testing.T) {
	var out bytes.Buffer
	spans, err := stdouttrace.New(stdouttrace.WithWriter(&out))
	require.NoError(t, err)
	metrics, err := stdoutmetric.New(stdoutmetric.WithWriter(&out))
	require.NoError(t, err)
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(metrics)))
	observer, err := otelretry.New(otelretry.WithTracerProvider(tracers), otelretry.WithMeterProvider(meters))
	require.NoError(t, err)
	m := llmretry.Must(llmretry.New(&script{replies: quick(says("good"))}, llmretry.WithObserver(observer), byParser))
	_, err = m.GenerateContent(t.Context(), hello)
	require.NoError(t, err)
	require.NoError(t, meters.Shutdown(t.Context()))
	require.NoError(t, tracers.Shutdown(t.Context()))
	for line := range strings.Lines(out.String()) {
		assert.True(t, json.Valid([]byte(line)))
	}
	assert.Contains(t, out.String(), "openarmature.llm.complete")
	assert.Contains(t, out.String(), "schema_retry_attempts")
}

// Without an SDK everything is there and does nothing; the context still reaches the model, and a call's own trace.
func TestSpanWithoutSDK(t *testing.T) {
	observer, err := otelretry.New()
	require.NoError(t, err)
	count, err := otelretry.OutcomeCounter()
	require.NoError(t, err)
	count(t.Context(), llmretry.OutcomeRetry)
	caller := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}})
	m := llmretry.Must(llmretry.New(&script{replies: quick(says("bad"), fails(503), says("good"))},
		llmretry.WithObserver(observer), byParser, reasking, llmretry.WithBackoff(llmretry.Constant(0))))
	_, err = m.GenerateContent(trace.ContextWithSpanContext(t.Context(), caller), hello)
	require.NoError(t, err)
}

// Of what a sampler drops nothing is built; it is measured all the same. (Semantics H2, H3.)
func TestSpanDropped(t *testing.T) {
	spans := tracetest.NewInMemoryExporter()
	r := newRig(t, otelretry.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans), sdktrace.WithSampler(sdktrace.NeverSample()))),
		otelretry.WithPayload(1000, func(string) string { t.Error("asked for a text that nobody sees"); return "" }))
	m := llmretry.Must(llmretry.New(&script{replies: quick(says("bad"), says("good"))}, llmretry.WithObserver(r.observer), byParser, reasking))
	_, err := m.GenerateContent(t.Context(), hello)
	require.NoError(t, err)
	assert.Empty(t, spans.GetSpans())
	assert.Equal(t, counts{"retry": 1, "success": 1}, r.outcomes(t))
}
