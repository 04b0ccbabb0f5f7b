package adapters_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/otelretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

// private are the words that stand for contents, by where they are. None may be seen where contents were not asked for.
var private = map[string]string{
	"system": "quartz-system-1", "prompt": "quartz-prompt-2", "image": "quartz-image-3", "output": "quartz-output-4", "property": "quartz_property_5",
	"argument": "quartz-argument-6", "correction": "quartz-correction-7", "token": "quartz-token-8", "organization": "quartz-organization-9",
	"url": "quartz-url-10", "reply header": "quartz-header-11", "option": "quartz-option-12", "tool": "quartz-description-13", "result": "quartz-result-14",
}

var privateMessages = []llms.MessageContent{
	llms.TextParts(llms.ChatMessageTypeSystem, "You know "+private["system"]),
	{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{
		llms.TextContent{Text: "Tell nobody: " + private["prompt"]},
		llms.ImageURLContent{URL: "https://example.org/?" + private["image"]},
	}},
	{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{callTool("look", `{"for": "`+private["argument"]+`"}`)}},
	{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{ToolCallID: "1", Name: "look", Content: private["result"]}}},
}

func callTool(name, arguments string) llms.ToolCall {
	return llms.ToolCall{ID: "1", Type: "function", FunctionCall: &llms.FunctionCall{Name: name, Arguments: arguments}}
}

// TestPrivateByDefault lets langchaingo's openai client end in every way and looks through everything that is said about
// it without being asked for contents: logs, spans, metrics, what slog makes of errors and reports, and their formats.
// (Semantics H2.)
func TestPrivateByDefault(t *testing.T) {
	for _, c := range privateCalls(t) {
		t.Run(c.name, func(t *testing.T) {
			figures, texts := c.run(t)
			assertPrivate(t, "figures", figures)
			if c.quotes {
				assert.Contains(t, texts, private["prompt"], "the provider's own words")
			} else {
				assertPrivate(t, "texts", texts)
			}
			assert.Contains(t, figures, "llm call", "the test looks at something")
		})
	}
}

func assertPrivate(t *testing.T, where, said string) {
	t.Helper()
	for _, place := range slices.Sorted(maps.Keys(private)) {
		if at := strings.Index(said, private[place]); at >= 0 {
			t.Errorf("%s: the %s in ...%s...", where, place, said[max(0, at-200):min(len(said), at+60)])
		}
	}
}

// run makes the call. figures is what must never have contents; texts are errors' own words.
func (c privately) run(t *testing.T) (figures, texts string) {
	t.Helper()
	address := refused
	if c.answer != nil {
		address = newLoopback(t, func(_ int, r *received) reply { return c.answer(r) }).url
	}
	transport := &http.Transport{DisableKeepAlives: true}
	client, err := openai.New(openai.WithBaseURL(address+"/v1?key="+private["url"]+"&path="), openai.WithToken(private["token"]), openai.WithModel("gpt-4o"),
		openai.WithOrganization(private["organization"]), openai.WithHTTPClient(&http.Client{Transport: llmretry.NewTransport(transport)}))
	require.NoError(t, err)

	var out strings.Builder
	var log bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	observe, export := telemetry(t)
	parser := outputparser.JSON[struct {
		Name string
		Age  int
	}]
	model, err := llmretry.New(client, append([]llmretry.Option{
		llmretry.WithParser(must(parser())), llmretry.WithMaxAttempts(2), llmretry.WithBackoff(llmretry.Constant(0)), llmretry.WithModelName("gpt-4o"),
		llmretry.WithReask(func(context.Context, llmretry.Failure) (string, error) { return private["correction"], nil }),
		llmretry.WithObserver(llmretry.SlogObserver(logger)), llmretry.WithObserver(observe),
	}, c.options...)...)
	require.NoError(t, err)
	ctx, reports := llmretry.CaptureReports(t.Context())
	save := &llms.FunctionDefinition{Name: "save", Description: private["tool"]}
	_, err = model.GenerateContent(ctx, privateMessages,
		llms.WithStopWords([]string{"END"}), // that one is in spans, semantics H1
		llms.WithMetadata(map[string]any{"note": private["option"]}), llms.WithTools([]llms.Tool{{Type: "function", Function: save}}))
	require.Equal(t, c.ends, llmretry.Category(err), "%v", err)
	require.Equal(t, c.ends == "", err == nil)

	report := reports()[0]
	logger.Info("values", "report", report, "attempt", report.Attempts[0])
	slog.New(slog.NewTextHandler(&log, nil)).Info("values", "report", report, "attempt", report.Attempts[0])
	out.WriteString(export())
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		fmt.Fprintf(&out, format+format, report, report.Attempts[0])
	}
	errs := []error{err}
	for _, a := range report.Attempts {
		errs = append(errs, a.Err)
	}
	var failed *llmretry.AttemptsError
	if errors.As(err, &failed) {
		errs = append(errs, failed.Stop)
	}
	var said strings.Builder
	for _, err := range errs {
		if err == nil {
			continue
		}
		if _, ours := err.(slog.LogValuer); ours {
			logger.Info("error", "error", err)
			slog.New(slog.NewTextHandler(&log, nil)).Info("error", "error", err)
		}
		fmt.Fprintf(&said, "%v\n%+v\n%#v\n%s\n%q\n%v\n", err, err, fmt.Errorf("step: %w", err), err, err, struct{ E error }{err})
	}
	return out.String() + log.String(), said.String()
}

// telemetry returns an observer without payload, and what it has exported as one text.
func telemetry(t *testing.T) (llmretry.Observer, func() string) {
	t.Helper()
	spans, reader := tracetest.NewInMemoryExporter(), metric.NewManualReader()
	observer, err := otelretry.New(otelretry.WithTracerProvider(trace.NewTracerProvider(trace.WithSyncer(spans))),
		otelretry.WithMeterProvider(metric.NewMeterProvider(metric.WithReader(reader))))
	require.NoError(t, err)
	return observer, func() string {
		var metrics metricdata.ResourceMetrics
		require.NoError(t, reader.Collect(context.Background(), &metrics))
		require.NotEmpty(t, spans.GetSpans())
		return fmt.Sprintf("%+v %+v", spans.GetSpans(), metrics)
	}
}

// TestPrivateWhenAsked makes sure that the words are there to be found: JSON of a report has the contents.
func TestPrivateWhenAsked(t *testing.T) {
	ctx, reports := llmretry.CaptureReports(t.Context())
	l := newLoopback(t, func(_ int, r *received) reply { return answered(private["output"], "stop")(r) })
	client, err := openai.New(openai.WithBaseURL(l.url), openai.WithToken("key"), openai.WithHTTPClient(clientFor(t, l.url, true)))
	require.NoError(t, err)
	_, err = must(llmretry.New(client)).GenerateContent(ctx, privateMessages, llms.WithStopWords([]string{private["option"]}))
	require.NoError(t, err)
	data, err := json.Marshal(reports()[0])
	require.NoError(t, err)
	for _, place := range []string{"system", "prompt", "image", "output", "argument", "result", "option"} {
		assert.Contains(t, string(data), private[place], place)
	}
}
