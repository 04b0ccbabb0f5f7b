package adapters_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// variant is one way of playing a file. All must behave alike: what a Transport adds is not needed for any case, and
// the typed entry is the untyped one with a value.
type variant struct {
	name      string
	transport bool      // the client's HTTP goes through an llmretry.Transport
	typed     bool      // by llmretry.Generate instead of WithParser, where there is a schema
	form      *wireForm // of another provider than openai
}

// open makes the client of the variant's provider.
func (v variant) open(t testing.TB, url, model string, transport bool) (llms.Model, func()) {
	t.Helper()
	if v.form != nil {
		return v.form.open(t, url, model, transport), func() {}
	}
	return openaiClient(t, url, model, transport)
}

// server answers in the form of the variant's provider.
func (v variant) server(t testing.TB, answers []mockResponse) *recordingServer {
	t.Helper()
	s := newRecordingServer(t, answers...)
	s.form = v.form
	return s
}

func (f *fixture) variants() []variant {
	list := []variant{{name: "with-transport", transport: true, typed: true}, {name: "without-transport", typed: true}}
	for _, c := range f.calls() {
		if c.typed() {
			return append(list, variant{name: "by-parser", transport: true})
		}
	}
	return list
}

// typed reports whether llmretry.Generate can make the call: under a middleware the outer decorator has no parser.
func (c *fixtureCall) typed() bool { return c.ResponseSchema != nil && c.RetryMiddleware == nil }

// openaiClient is langchaingo's. Connections are not kept, since their goroutines would outlive a bubble.
func openaiClient(t testing.TB, url, model string, transport bool) (llms.Model, func()) {
	t.Helper()
	base := &http.Transport{DisableKeepAlives: true}
	hc := &http.Client{Transport: base}
	if transport {
		hc.Transport = llmretry.NewTransport(base)
	}
	client, err := openai.New(
		openai.WithBaseURL(url), openai.WithToken("token"), openai.WithModel(model), openai.WithHTTPClient(hc),
	)
	require.NoError(t, err)
	return client, base.CloseIdleConnections
}
