package otelretry_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tmc/langchaingo/llms"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/otelretry"
)

var question = []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "Say good.")}

// model is one that answers badly, then well.
func model() llms.Model {
	return &script{replies: quick(says("bad"), says("good"))}
}

func ExampleNew() {
	exporter := tracetest.NewInMemoryExporter() // or any other
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))

	observer, err := otelretry.New(otelretry.WithTracerProvider(tracers))
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := llmretry.New(model(),
		llmretry.WithObserver(observer),
		llmretry.WithModelName("small-q4"), // langchaingo's models do not tell theirs
		llmretry.WithParser(good),
		llmretry.WithReask(correction))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = m.GenerateContent(context.Background(), question)
	for _, span := range exporter.GetSpans() {
		fmt.Printf("%s %v %q\n", span.Name, span.Status.Code, span.Status.Description)
	}
	fmt.Println(err)
	// Output:
	// openarmature.llm.complete Error "structured_output_invalid"
	// openarmature.llm.complete Unset ""
	// <nil>
}

func ExampleNew_prometheus() {
	registry := prometheus.NewRegistry() // or prometheus.DefaultRegisterer
	exporter, err := otelprometheus.New(otelprometheus.WithRegisterer(registry), otelprometheus.WithoutScopeInfo())
	if err != nil {
		fmt.Println(err)
		return
	}
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(exporter))
	observer := llmretry.Must(otelretry.New(otelretry.WithMeterProvider(meters)))

	m := llmretry.Must(llmretry.New(model(), llmretry.WithObserver(observer), llmretry.WithParser(good), llmretry.WithReask(correction)))
	_, _ = m.GenerateContent(context.Background(), question)
	families, _ := registry.Gather()
	for _, f := range families {
		if f.GetName() == "schema_retry_attempts_total" {
			for _, series := range f.GetMetric() {
				fmt.Println(f.GetName(), series.GetLabel()[0].GetValue(), series.GetCounter().GetValue())
			}
		}
	}
	// Output:
	// schema_retry_attempts_total retry 1
	// schema_retry_attempts_total success 1
}

func ExampleWithPayload() {
	exporter := tracetest.NewInMemoryExporter()
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
	observer := llmretry.Must(otelretry.New(otelretry.WithTracerProvider(tracers),
		otelretry.WithPayload(4096, func(text string) string { return strings.ReplaceAll(text, "Ada", "[name]") })))

	m := llmretry.Must(llmretry.New(&script{replies: quick(says("Ada says good"))}, llmretry.WithObserver(observer)))
	_, _ = m.GenerateContent(context.Background(), question)
	output, _ := value(exporter.GetSpans()[0].Attributes, "gen_ai.output.messages")
	fmt.Println(output.AsString())
	// Output: [{"role":"assistant","parts":[{"type":"text","content":"[name] says good"}],"finish_reason":"stop"}]
}

func ExampleWithProvider() {
	exporter := tracetest.NewInMemoryExporter()
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
	observer := llmretry.Must(otelretry.New(otelretry.WithTracerProvider(tracers),
		otelretry.WithProvider(func(model string) string {
			if strings.HasPrefix(model, "gpt-") {
				return "openai"
			}
			return "" // not known, left out
		})))

	large := llmretry.Override{Model: &script{replies: quick(says("good"))}, Name: "gpt-large"}
	m := llmretry.Must(llmretry.New(model(), llmretry.WithObserver(observer), llmretry.WithModelName("small-q4"),
		llmretry.WithParser(good), llmretry.WithReask(correction), llmretry.WithPerAttemptOverride(large)))
	_, _ = m.GenerateContent(context.Background(), question)
	for _, span := range exporter.GetSpans() {
		model, _ := value(span.Attributes, "gen_ai.request.model")
		provider, _ := value(span.Attributes, "gen_ai.provider.name")
		fmt.Printf("%s %q\n", model.AsString(), provider.AsString())
	}
	// Output:
	// small-q4 ""
	// gpt-large "openai"
}

func ExampleOutcomeCounter() {
	reader := sdkmetric.NewManualReader()
	count := llmretry.Must(otelretry.OutcomeCounter(otelretry.WithMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)))))

	decode := llmretry.SchemaRetry[time.Duration]{
		Validate: time.ParseDuration,
		AskAgain: func(context.Context, string) (string, error) { return "5m", nil },
		Compose:  llmretry.PreviousErrors(""),
		Outcome:  count,
	}
	fmt.Println(decode.Run(context.Background(), "five minutes"))
	for what, n := range outcomesOf(reader) {
		fmt.Println(what, n)
	}
	// Unordered output:
	// 5m0s <nil>
	// retry 1
	// success 1
}

// The usual set-up: spans to the terminal, or anywhere else with another exporter.
func Example_setUp() {
	ctx := context.Background()
	exporter := llmretry.Must(stdouttrace.New(stdouttrace.WithPrettyPrint(), stdouttrace.WithWriter(io.Discard)))
	tracers := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter))
	defer func() { _ = tracers.Shutdown(ctx) }() // without it the last spans are lost
	observer := llmretry.Must(otelretry.New(otelretry.WithTracerProvider(tracers)))
	m := llmretry.Must(llmretry.New(model(), llmretry.WithObserver(observer)))
	_, err := llms.GenerateFromSinglePrompt(ctx, m, "Who is Ada?")
	fmt.Println(err)
	// Output: <nil>
}
