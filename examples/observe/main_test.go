package main

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/llmretry/langchaingo-llmretry/internal/golden"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(int) { http.DefaultTransport.(*http.Transport).CloseIdleConnections() }))
}

// printed runs the program with what is never the same twice masked: how long it took, and where the server listened.
func printed(t *testing.T, s settings) string {
	var w bytes.Buffer
	require.NoError(t, run(t.Context(), &w, s))
	text := regexp.MustCompile(`  \d[\d.]*(?:m|µ)?s\b`).ReplaceAllString(w.String(), "  T")
	text = regexp.MustCompile(`sum=\d+\.\d\d\d`).ReplaceAllString(text, "sum=T")
	return regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(text, "HOST")
}

func TestRun(t *testing.T) {
	text := printed(t, settings{})
	golden.Check(t, "output.golden", text)
	assert.NotContains(t, text, "grandmother")
	assert.NotContains(t, text, "all day")
}

func TestRunWithPayload(t *testing.T) {
	text := printed(t, settings{payload: true})
	golden.Check(t, "payload.golden", text)
	assert.NotContains(t, text, "grandmother")
	assert.Contains(t, text, "[redacted]'s pasta")
}

func TestRunWithCollector(t *testing.T) {
	var got atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/v1/traces", r.URL.Path)
		got.Add(1)
	}))
	defer server.Close()
	printed(t, settings{otlp: server.URL})
	assert.EqualValues(t, 1, got.Load(), "one batch")
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, run(ctx, new(bytes.Buffer), settings{}), context.Canceled)
}

func TestCannotPrint(t *testing.T) {
	require.ErrorIs(t, run(t.Context(), broken{}, settings{}), errBroken)
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }
