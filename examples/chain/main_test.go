package main

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/llmretry/langchaingo-llmretry/internal/golden"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRun(t *testing.T) {
	var w bytes.Buffer
	require.NoError(t, run(t.Context(), &w))
	golden.Check(t, "output.golden", w.String())
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, run(ctx, new(bytes.Buffer)), context.Canceled)
}
