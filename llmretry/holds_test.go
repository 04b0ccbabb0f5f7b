package llmretry

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/cache"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"
)

// router is a wrapper without Unwrap.
type router struct {
	next   *router
	models []llms.Model
	hidden func() llms.Model
}

func (*router) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	return nil, nil
}
func (*router) Call(context.Context, string, ...llms.CallOption) (string, error) { return "", nil }

// A Transport is found in langchaingo's real clients, and both it and a decorator through wrappers that have no Unwrap.
func TestHolds(t *testing.T) {
	plain := &http.Client{}
	seeing := &http.Client{Transport: &wrappedTransport{NewTransport(nil)}}
	clients := func(c *http.Client) map[string]llms.Model {
		return map[string]llms.Model{
			"openai":    Must(openai.New(openai.WithToken("x"), openai.WithHTTPClient(c))),
			"anthropic": Must(anthropic.New(anthropic.WithToken("x"), anthropic.WithHTTPClient(c))),
			"ollama":    Must(ollama.New(ollama.WithModel("x"), ollama.WithHTTPClient(c))),
		}
	}
	for name, m := range clients(plain) {
		assert.False(t, holds(m), name)
		assert.True(t, holds(Must(New(m))), name)
	}
	for name, m := range clients(seeing) {
		assert.True(t, holds(m), name)
		assert.True(t, holds(cache.New(m, nil)), "%s in langchaingo's cache", name)
		assert.True(t, holds(&router{next: &router{models: []llms.Model{m}}}), "%s in a router", name)
	}
	loop := &router{}
	loop.next = loop
	assert.False(t, holds(loop), "a cycle")
	wide := &router{models: make([]llms.Model, 1_000_000)}
	for i := range wide.models {
		wide.models[i] = wide
	}
	assert.False(t, holds(wide), "bounded")
	assert.False(t, holds(nil))
	assert.False(t, holds(&router{hidden: func() llms.Model { return nil }}))
}

type wrappedTransport struct{ http.RoundTripper }

// Semantics A8: a decorator below a wrapper without Unwrap is Nested from the first call to the last, also when the
// first call does not reach it.
func TestNestedBehindARouter(t *testing.T) {
	inner := Must(New(&router{}, WithMaxAttempts(1)))
	first := true
	r := &switching{inner: inner, own: func() bool { was := first; first = false; return was }}
	outer := Must(New(r, WithMaxAttempts(1)))
	_, err := outer.GenerateContent(t.Context(), nil)
	require.NoError(t, err)
	ctx, reports := CaptureReports(t.Context())
	_, err = outer.GenerateContent(ctx, nil)
	require.Error(t, err)
	assert.Len(t, reports()[0].Attempts[0].Nested, 1)
}

// switching answers itself or hands on.
type switching struct {
	inner llms.Model
	own   func() bool
}

func (s *switching) GenerateContent(ctx context.Context, ms []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
	if s.own() {
		return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "a"}}}, nil
	}
	return s.inner.GenerateContent(ctx, ms, opts...)
}

func (s *switching) Call(context.Context, string, ...llms.CallOption) (string, error) { return "", nil }
