package benchmarks

import (
	"context"
	"errors"
	"testing"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Every scenario has the same fake below it: a model that answers at once from what it was given beforehand. It makes
// nothing per call and does not apply its options, so that what remains is the code under test.

// answers is a model that always gives the same answer.
type answers struct{ response *llms.ContentResponse }

func (m answers) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	return m.response, nil
}

func (m answers) Call(context.Context, string, ...llms.CallOption) (string, error) {
	return m.response.Choices[0].Content, nil
}

// stumbles is a model that gives the same bad answer, or the same error, a number of times before each good one.
type stumbles struct {
	times, n int
	bad      *llms.ContentResponse
	err      error
	good     *llms.ContentResponse
}

func (m *stumbles) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	if m.n++; m.n <= m.times {
		return m.bad, m.err
	}
	m.n = 0
	return m.good, nil
}

func (m *stumbles) Call(ctx context.Context, _ string, _ ...llms.CallOption) (string, error) {
	r, err := m.GenerateContent(ctx, nil)
	if err != nil {
		return "", err
	}
	return r.Choices[0].Content, nil
}

func says(text string) *llms.ContentResponse {
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: text, StopReason: "stop"}}}
}

func asks(text string) []llms.MessageContent {
	return []llms.MessageContent{{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{llms.TextContent{Text: text}}}}
}

var (
	hello = asks("hello")

	// five options, made once: making them is the caller's cost and the same with and without a decorator.
	five = []llms.CallOption{llms.WithModel("m"), llms.WithTemperature(0.2), llms.WithMaxTokens(512), llms.WithTopP(0.9), llms.WithJSONMode()}

	// errDown is what langchaingo's HTTP clients say of a 503.
	errDown = errors.New("API returned unexpected status code: 503: Service Unavailable")
)

func decorate(tb testing.TB, m llms.Model, opts ...llmretry.Option) *llmretry.Model {
	tb.Helper()
	d, err := llmretry.New(m, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

// loop measures one call of f.
func loop(b *testing.B, name string, f func() error) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := f(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
