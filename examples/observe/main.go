// Observe shows what OpenTelemetry gets to see of calls that heal themselves: a span for each attempt with the HTTP
// request below it, and the metrics, printed to the terminal; and the attempts as a page.
//
//	go run ./examples/observe
//	go run ./examples/observe -payload
//	go run ./examples/observe -page attempts.html
//	go run ./examples/observe -otlp http://localhost:4318
//
// The model is played in this process; langchaingo's own openai client talks to it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"

	"github.com/llmretry/langchaingo-llmretry/internal/loopback"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/otelretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/llmretry/langchaingo-llmretry/reaskprompt"
)

// Recipe is what we want to be told.
type Recipe struct {
	Dish    string `json:"dish"`
	Minutes int    `json:"minutes"`
}

type settings struct {
	payload bool
	page    string // file for the attempts as a page; "" = none
	otlp    string // URL of a collector; "" = none
}

func main() {
	var s settings
	flag.BoolVar(&s.payload, "payload", false, "show messages and outputs too")
	flag.StringVar(&s.page, "page", filepath.Join(os.TempDir(), "llmretry-attempts.html"), "write what was said as a page to this file, none if empty")
	flag.StringVar(&s.otlp, "otlp", "", "send the spans to this OTLP/HTTP endpoint as well")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, s); err != nil {
		fmt.Fprintln(os.Stderr, "observe:", err)
		os.Exit(1)
	}
}

// run makes the calls and prints what was recorded of them.
func run(ctx context.Context, w io.Writer, s settings) error {
	t, err := newTelemetry(ctx, s.otlp)
	if err != nil {
		return err
	}
	reports, err := calls(ctx, t, s.payload)
	if err != nil {
		return errors.Join(err, t.shutdown(ctx))
	}
	r, err := t.recording(ctx)
	if err = errors.Join(err, t.shutdown(ctx)); err != nil {
		return err
	}
	r.reports = reports
	if err := r.print(w); err != nil || s.page == "" {
		return err
	}
	return r.page(w, s.page)
}

// calls asks twice: one answer heals, the other does not.
func calls(ctx context.Context, t *telemetry, payload bool) ([]*llmretry.Report, error) {
	server, err := loopback.Start(played())
	if err != nil {
		return nil, err
	}
	defer server.Close()
	model, err := newModel(server.URL, t, payload)
	if err != nil {
		return nil, err
	}
	ctx, reports := llmretry.CaptureReports(ctx)
	for _, dish := range []string{"pasta", "stew"} {
		if err := ask(ctx, t, model, dish); err != nil {
			return nil, err
		}
	}
	return reports(), nil
}

// newModel decorates a client whose HTTP requests are spans of their own: the transport of llmretry is outside, since it
// is what the client's errors leave out.
func newModel(url string, t *telemetry, payload bool) (*llmretry.Model, error) {
	requests := otelhttp.NewTransport(&http.Transport{DisableKeepAlives: true}, otelhttp.WithTracerProvider(t.tracers), otelhttp.WithMeterProvider(t.meters))
	client, err := openai.New(openai.WithBaseURL(url), openai.WithToken("none"), openai.WithModel("small-q4"),
		openai.WithHTTPClient(&http.Client{Transport: llmretry.NewTransport(requests)}))
	if err != nil {
		return nil, err
	}
	opts := []otelretry.Option{otelretry.WithTracerProvider(t.tracers), otelretry.WithMeterProvider(t.meters)}
	if payload {
		opts = append(opts, otelretry.WithPayload(2048, unnamed))
	}
	observer, err := otelretry.New(opts...)
	if err != nil {
		return nil, err
	}
	return llmretry.New(client,
		llmretry.WithObserver(observer),
		llmretry.WithModelName("small-q4"),
		llmretry.WithBackoff(llmretry.Constant(20*time.Millisecond)),
		llmretry.WithReask(llmretry.Must(reaskprompt.Template("{{issues .}}"))),
		llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.3, 0.6)...))
}

// unnamed is what may be shown of a text.
func unnamed(text string) string { return strings.ReplaceAll(text, "grandmother", "[redacted]") }

// ask is the caller: its span is the one that the attempts are under.
func ask(ctx context.Context, t *telemetry, model *llmretry.Model, dish string) error {
	ctx, span := t.tracers.Tracer("examples/observe").Start(ctx, "recipe of "+dish)
	defer span.End()
	question := "My grandmother's " + dish + ": dish and minutes, as JSON."
	_, err := llmretry.Generate(ctx, model, llmretry.Must(outputparser.JSON[Recipe]()),
		[]llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, question)}, llms.WithTemperature(0))
	if errors.Is(err, llmretry.ErrExhausted) { // is to be seen
		return nil
	}
	return err
}
