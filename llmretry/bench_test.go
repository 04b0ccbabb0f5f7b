package llmretry_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// BenchmarkCall shows what the decorator adds to the bare model, and what each feature adds to that. Compare the rows
// of one run. docs/performance.md explains them.
func BenchmarkCall(b *testing.B) {
	inner := &fixed{says("a").response}
	observer := llmretry.Observer{Attempt: func(ctx context.Context, _ llmretry.AttemptStart) (context.Context, func(llmretry.Attempt)) {
		return ctx, nil
	}}
	rows := []struct {
		name string
		opts []llmretry.Option
	}{
		{"decorated", nil},
		{"policies", []llmretry.Option{llmretry.WithReask(words), llmretry.WithOnRetry(func(context.Context, error, int) {}), llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.3)...)}},
		{"parser", []llmretry.Option{llmretry.WithParser(want("a"))}},
		{"observer", []llmretry.Option{llmretry.WithObserver(observer)}},
		{"attempt timeout", []llmretry.Option{llmretry.WithAttemptTimeout(time.Minute)}},
		{"token budget", []llmretry.Option{llmretry.WithTokenBudget(1000)}},
		{"call options", []llmretry.Option{llmretry.WithCallOptions(llms.WithJSONMode())}},
		{"flattened", []llmretry.Option{llmretry.WithFlattenedTranscript(nil)}},
	}
	run := func(name string, ctx context.Context, m llms.Model, opts ...llms.CallOption) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.GenerateContent(ctx, hello, opts...); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	ctx := context.Background()
	run("bare", ctx, inner)
	run("bare, five options", ctx, inner, prebuilt...)
	run("decorated, five options", ctx, decorate(b, inner), prebuilt...)
	for _, row := range rows {
		run(row.name, ctx, decorate(b, inner, row.opts...))
	}
	run("decorated twice", ctx, decorate(b, decorate(b, inner)))
	run("options by context", llmretry.NewContext(ctx, llmretry.WithMaxAttempts(2)), decorate(b, inner))
	run("ceiling", llmretry.LimitModelCalls(ctx, 1<<30), decorate(b, inner))
	stream := llms.WithStreamingFunc(func(context.Context, []byte) error { return nil })
	run("stream", ctx, decorate(b, inner), stream)
	run("metadata", ctx, decorate(b, inner), llms.WithMetadata(map[string]any{"a": 1}))
	b.Run("captured", func(b *testing.B) {
		m := decorate(b, inner)
		b.ReportAllocs()
		for b.Loop() {
			ctx, _ := llmretry.CaptureReports(ctx)
			_, _ = m.GenerateContent(ctx, hello)
		}
	})
	transport := llmretry.NewTransport(roundTrip(func(*http.Request) (*http.Response, error) { return &http.Response{StatusCode: 200}, nil }))
	overHTTP := modelFunc(func(ctx context.Context, _ []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
		r, err := transport.RoundTrip((&http.Request{}).WithContext(ctx))
		if err != nil || r.StatusCode != 200 {
			return nil, err
		}
		return inner.response, nil
	})
	run("transport, bare", ctx, overHTTP)
	run("transport, decorated", ctx, decorate(b, overHTTP))
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// BenchmarkHeal shows what attempts after the first cost, and that the payload of the first message does not matter.
func BenchmarkHeal(b *testing.B) {
	image := []llms.MessageContent{{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{llms.BinaryContent{MIMEType: "image/png", Data: make([]byte, 5<<20)}, llms.TextContent{Text: "hello"}}}}
	for _, row := range []struct {
		name     string
		messages []llms.MessageContent
		bad      int
		reply    reply
	}{
		{"1 transient", hello, 1, fails(errDown)},
		{"3 transient", hello, 3, fails(errDown)},
		{"1 reask", hello, 1, says("bad")},
		{"3 reasks", hello, 3, says("bad")},
		{"16 reasks", hello, 16, says("bad")},
		{"1 reask, 5 MB image", image, 1, says("bad")},
		{"16 reasks, 5 MB image", image, 16, says("bad")},
	} {
		n, good := 0, says("good").response
		m := decorate(b, modelFunc(func(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
			if n++; n <= row.bad {
				return row.reply.response, row.reply.err
			}
			n = 0
			return good, nil
		}), llmretry.WithMaxAttempts(row.bad+1), llmretry.WithParser(accepts("good")),
			llmretry.WithReask(func(context.Context, llmretry.Failure) (string, error) { return "fix it", nil }))
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.GenerateContent(context.Background(), row.messages); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// accepts is a parser that costs next to nothing, so that a benchmark shows the decorator.
func accepts(text string) llmretry.ParserFunc[string] {
	return func(got string) (string, error) {
		if got != text {
			return "", errBad
		}
		return got, nil
	}
}

func BenchmarkParallel(b *testing.B) {
	m := decorate(b, &fixed{says("a").response})
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			_, _ = m.GenerateContent(context.Background(), hello)
		}
	})
}
