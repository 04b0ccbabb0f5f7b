package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const ticket = `{"customer":"Ada Lovelace","order":4711,"priority":"high","refund_cents":4999}`

// provider is a server that answers every request with one body. It returns its URL and the last request.
type provider struct {
	*httptest.Server
	request *http.Request
	sent    map[string]any
}

func newProvider(t *testing.T, body any) *provider {
	t.Helper()
	p := new(provider)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		p.request = r
		_ = json.Unmarshal(data, &p.sent)
		_ = json.NewEncoder(w).Encode(body)
	}))
	t.Cleanup(p.Close)
	return p
}

type object = map[string]any

func asks(t *testing.T, p *provider, args ...string) {
	t.Helper()
	code, stdout, stderr := start(t.Context(), args...)
	assert.Equal(t, exitOK, code)
	assert.Empty(t, stderr)
	assert.Contains(t, stdout, "attempts: 1, tokens: 12\n")
	assert.Contains(t, stdout, "{Customer:Ada Lovelace Order:4711 Priority:high RefundCents:4999}")
	assert.NotContains(t, stdout, "REQUEST", "the wire is not ours to show")
	assert.Equal(t, "the-model", p.sent["model"])
}

func TestOpenAI(t *testing.T) {
	p := newProvider(t, object{
		"choices": []object{{"message": object{"role": "assistant", "content": ticket}, "finish_reason": "stop"}},
		"usage":   object{"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12},
	})
	t.Setenv("OPENAI_BASE_URL", p.URL+"/v1")
	t.Setenv("OPENAI_API_KEY", "key")
	t.Setenv("OPENAI_MODEL", "")
	asks(t, p, "-provider", "openai", "-model", "the-model")
	assert.Equal(t, "/v1/chat/completions", p.request.URL.Path)
	assert.Equal(t, "Bearer key", p.request.Header.Get("Authorization"))

	t.Setenv("OPENAI_MODEL", "the-model")
	asks(t, p, "-provider", "openai")
}

func TestOllama(t *testing.T) {
	p := newProvider(t, object{
		"message": object{"role": "assistant", "content": ticket}, "done": true, "prompt_eval_count": 9, "eval_count": 3,
	})
	t.Setenv("OLLAMA_HOST", p.URL)
	asks(t, p, "-provider", "ollama", "-model", "the-model")
	assert.Equal(t, "/api/chat", p.request.URL.Path)
}

// langchaingo reads no environment variable for anthropic's address, so the request is caught on its way out: the
// client's transport is http.DefaultTransport at the end.
func TestAnthropic(t *testing.T) {
	p := newProvider(t, object{
		"role": "assistant", "type": "message", "stop_reason": "end_turn", "content": []object{{"type": "text", "text": ticket}},
		"usage": object{"input_tokens": 9, "output_tokens": 3},
	})
	target, err := url.Parse(p.URL)
	require.NoError(t, err)
	var asked string
	swap(t, roundTripper(func(r *http.Request) (*http.Response, error) {
		asked = r.URL.String()
		r = r.Clone(r.Context())
		r.URL.Scheme, r.URL.Host = target.Scheme, target.Host
		return p.Client().Transport.RoundTrip(r)
	}))
	t.Setenv("ANTHROPIC_API_KEY", "key")
	asks(t, p, "-provider", "anthropic", "-model", "the-model")
	assert.Equal(t, "https://api.anthropic.com/v1/messages", asked)
	assert.Equal(t, "key", p.request.Header.Get("X-Api-Key"))
}

// A provider that cannot be reached: exit code 1, every attempt in the table.
func TestUnreachable(t *testing.T) {
	swap(t, roundTripper(func(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF }))
	t.Setenv("ANTHROPIC_API_KEY", "key")
	code, stdout, stderr := start(t.Context(), "-provider", "anthropic", "-model", "the-model")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, masked(stdout), "\n3  transient  max_tokens=200 temperature=0.6  2  provider_unavailable")
	assert.Contains(t, stdout, "attempts: 4")
	assert.Contains(t, stderr, "unexpected EOF")
}

// swap replaces http.DefaultTransport for a test, which must not be parallel.
func swap(t *testing.T, rt http.RoundTripper) {
	t.Helper()
	t.Setenv("NOT_PARALLEL", "1") // panics in a parallel test
	old := http.DefaultTransport
	http.DefaultTransport = rt
	t.Cleanup(func() { http.DefaultTransport = old })
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
