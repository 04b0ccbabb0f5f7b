package otelretry_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/otelretry"
)

// fixed is a model that costs nothing.
type fixed struct{ response *llms.ContentResponse }

func (f *fixed) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	return f.response, nil
}

func (f *fixed) Call(context.Context, string, ...llms.CallOption) (string, error) { return "", nil }

// nowhere takes spans and forgets them.
type nowhere struct{}

func (nowhere) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (nowhere) OnEnd(sdktrace.ReadOnlySpan)                     {}
func (nowhere) Shutdown(context.Context) error                  { return nil }
func (nowhere) ForceFlush(context.Context) error                { return nil }

func observing(t testing.TB, opts ...otelretry.Option) llmretry.Option {
	observer, err := otelretry.New(opts...)
	require.NoError(t, err)
	return llmretry.WithObserver(observer)
}

// BenchmarkAttempt shows what a call of one attempt costs. Compare the rows of one run with the first two; "watched" is
// what any observer costs. docs/performance.md explains them.
func BenchmarkAttempt(b *testing.B) {
	never := otelretry.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample())))
	always := otelretry.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(nowhere{})))
	unmeasured := otelretry.WithMeterProvider(metricnoop.NewMeterProvider())
	measured := otelretry.WithMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader())))
	watch := llmretry.Observer{Attempt: func(ctx context.Context, _ llmretry.AttemptStart) (context.Context, func(llmretry.Attempt)) {
		return ctx, func(llmretry.Attempt) {}
	}}
	for _, row := range []struct {
		name string
		opts []llmretry.Option
	}{
		{"off", nil},
		{"watched", []llmretry.Option{llmretry.WithObserver(watch)}},
		{"no SDK", []llmretry.Option{observing(b)}},
		{"never sampled", []llmretry.Option{observing(b, never, unmeasured)}},
		{"never sampled, metrics", []llmretry.Option{observing(b, never, measured)}},
		{"sampled", []llmretry.Option{observing(b, always, unmeasured)}},
		{"sampled, metrics", []llmretry.Option{observing(b, always, measured)}},
		{"sampled, payload", []llmretry.Option{observing(b, always, unmeasured, otelretry.WithPayload(4096, nil))}},
	} {
		b.Run(row.name, func(b *testing.B) {
			m := llmretry.Must(llmretry.New(&fixed{says("good").response}, append(row.opts, byParser, llmretry.WithModelName("m"))...))
			ctx := context.Background()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.GenerateContent(ctx, hello); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkObserver shows the observer's own share of a call of one attempt, without the decorator's.
func BenchmarkObserver(b *testing.B) {
	never := otelretry.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample())))
	measured := otelretry.WithMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader())))
	reply := says("good").response
	usage := llmretry.Usage{Input: llmretry.Count{N: 10, Known: true}, Output: llmretry.Count{N: 4, Known: true}}
	start := llmretry.AttemptStart{Model: "m", Messages: hello}
	attempt := llmretry.Attempt{Model: "m", Judged: true, Response: reply, Usage: usage, Output: "good", Messages: hello,
		FinishReason: llmretry.FinishStop}
	report := &llmretry.Report{Attempts: []llmretry.Attempt{attempt}}
	for _, row := range []struct {
		name string
		opts []otelretry.Option
	}{
		{"no SDK", nil},
		{"never sampled", []otelretry.Option{never, otelretry.WithMeterProvider(metricnoop.NewMeterProvider())}},
		{"never sampled, metrics", []otelretry.Option{never, measured}},
	} {
		b.Run(row.name, func(b *testing.B) {
			o, err := otelretry.New(row.opts...)
			require.NoError(b, err)
			ctx := context.Background()
			b.ReportAllocs()
			for b.Loop() {
				_, end := o.Attempt(ctx, start)
				end(attempt)
				o.Done(ctx, report, nil)
			}
		})
	}
}

// Without an observer nothing of this package is on a call's way.
func TestOffAllocatesNothing(t *testing.T) {
	bare := &fixed{says("good").response}
	decorated := llmretry.Must(llmretry.New(bare, llmretry.WithModelName("m")))
	allocs := func(m llms.Model) float64 {
		return testing.AllocsPerRun(100, func() { _, _ = m.GenerateContent(context.Background(), hello) })
	}
	assert.Equal(t, allocs(bare), allocs(decorated))
}
