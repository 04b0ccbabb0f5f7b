package main

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/retrytest"
)

const recording = "quickstart.jsonl"

// recorded asks through a recorder, and returns what it wrote.
func recorded(t *testing.T) (llmretry.Result[Ticket], []byte) {
	t.Helper()
	s, err := startServer(busyOnce)
	require.NoError(t, err)
	defer s.Close()
	client := &http.Client{Transport: llmretry.NewTransport(nil)}
	defer client.CloseIdleConnections()
	model, err := offlineModel(s, client)
	require.NoError(t, err)
	var file bytes.Buffer
	recorder, err := retrytest.NewRecorder(model, &file)
	require.NoError(t, err)
	result, err := ask(t.Context(), recorder)
	require.NoError(t, err)
	return result, file.Bytes()
}

func player(t *testing.T) *retrytest.Player {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", recording))
	require.NoError(t, err)
	defer file.Close()
	p, err := retrytest.NewPlayer(file)
	require.NoError(t, err)
	return p
}

// The whole conversation replays from its file, without a server, bit for bit: the answers, the refusal, the 503 with
// its Retry-After, the usage.
func TestRecordedQuickstart(t *testing.T) {
	first, file := recorded(t)
	name := filepath.Join("testdata", recording)
	if *update {
		require.NoError(t, os.WriteFile(name, file, 0o644))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(file))

	p := player(t)
	second, err := ask(t.Context(), p)
	require.NoError(t, err)
	require.NoError(t, p.Done())
	assert.Equal(t, first.Value, second.Value)
	assert.Equal(t, first.Response, second.Response)
	var a, b bytes.Buffer
	printAttempts(&a, first.Report)
	printAttempts(&b, second.Report)
	// Live, the decorator puts what the Transport saw before the client's text; on replay it is in the error itself.
	assert.Equal(t, strings.ReplaceAll(masked(a.String()), "provider_unavailable (status 503) (retry after TIME): ", ""), masked(b.String()))
	assert.Equal(t, first.Report.Attempts[1].Wait, second.Report.Attempts[1].Wait, "the server's wait")
}

// A prompt that changed is found at once, and nobody asks again.
func TestRecordedQuickstartStale(t *testing.T) {
	p := player(t)
	model := llmretry.Must(llmretry.New(p))
	_, err := model.GenerateContent(t.Context(), []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, mail)}, llms.WithTemperature(0))
	var mismatch *retrytest.MismatchError
	require.ErrorAs(t, err, &mismatch)
	assert.Contains(t, mismatch.Diff, "option max_tokens is not set; recorded 200")
	assert.ErrorContains(t, p.Done(), "3 exchanges of 3 not played")
}
