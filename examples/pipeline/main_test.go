package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/llmretry/langchaingo-llmretry/internal/golden"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRun(t *testing.T) {
	var w bytes.Buffer
	require.NoError(t, run(t.Context(), &w))
	golden.Check(t, "output.golden", w.String())
	_, second, _ := strings.Cut(w.String(), "Plan an answer to this mail: "+mail+"\n\n")
	assert.Regexp(t, `\A\s*Earlier answers were refused:\s*/priority: want one of .*, got "urgent"\s*/steps: `, second, "K5: step 2's first reask carries step 1's error")
	assert.Contains(t, w.String(), `{outcome="success"} 2`+"\n"+`schema_retry_attempts_total{outcome="retry"} 4`+"\n"+
		`schema_retry_attempts_total{outcome="exhausted"} 1`, "K8: the retry of the provider's 503 is none of these")
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var w bytes.Buffer
	require.ErrorIs(t, run(ctx, &w), context.Canceled)
	assert.Empty(t, w.String())
}
