package main

import (
	"bytes"
	"context"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

var update = flag.Bool("update", false, "write the golden files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	durations = regexp.MustCompile(`\b[0-9.]+(µs|ms|s)\b`)
	blanks    = regexp.MustCompile(` {2,}`)
	breaks    = regexp.MustCompile(` +\n`)
)

// masked replaces durations, and the alignment that depends on their lengths.
func masked(s string) string {
	s = durations.ReplaceAllString(s, "TIME")
	return breaks.ReplaceAllString(blanks.ReplaceAllString(s, "  "), "\n")
}

// start runs the program and returns what it wrote.
func start(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(ctx, args, &out, &errs)
	return code, out.String(), errs.String()
}

// Two runs of the whole program print the same but for the times. (Semantics D2, E4, E6, G2, H1.)
func TestOffline(t *testing.T) {
	golden := filepath.Join("testdata", "offline.golden")
	for _, name := range []string{"first", "second"} {
		t.Run(name, func(t *testing.T) {
			if !*update {
				t.Parallel()
			}
			code, stdout, stderr := start(t.Context())
			assert.Equal(t, exitOK, code)
			assert.Empty(t, stderr)
			got := masked(stdout)
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), got)
		})
	}
}

// offline starts a server and asks its model as the program does.
func offline(t *testing.T, busy int) (llmretry.Result[Ticket], []exchange, error) {
	t.Helper()
	s, err := startServer(busy)
	require.NoError(t, err)
	defer s.Close()
	client := &http.Client{Transport: llmretry.NewTransport(nil)}
	defer client.CloseIdleConnections()
	model, err := offlineModel(s, client)
	require.NoError(t, err)
	result, err := ask(t.Context(), model)
	return result, s.Exchanges(), err
}

var healed = Ticket{Customer: "Ada Lovelace", Order: 4711, Priority: "high", RefundCents: 4999}

// The report and the wire tell the same story: refused, asked again with the correction, busy, the same question
// again, healed.
func TestHealing(t *testing.T) {
	t.Parallel()
	result, wire, err := offline(t, busyOnce)
	require.NoError(t, err)
	assert.Equal(t, healed, result.Value)
	attempts := result.Report.Attempts
	require.Len(t, attempts, 3)
	require.Len(t, wire, 3, "G2: one attempt per request")

	for i, want := range []struct {
		reason      llmretry.RetryReason
		category    llmretry.ErrorCategory
		temperature float64
		messages    int
		status      int
	}{
		{"", llmretry.CategoryStructuredOutputInvalid, 0, 2, 200},
		{llmretry.ReasonReask, llmretry.CategoryUnavailable, 0.3, 4, 503},
		{llmretry.ReasonTransient, "", 0.6, 4, 200},
	} {
		a, e := attempts[i], wire[i]
		assert.Equal(t, i, a.Index)
		assert.Equal(t, want.reason, a.Reason)
		assert.Equal(t, want.category, a.Category)
		assert.Equal(t, map[string]any{"temperature": want.temperature, "max_tokens": 200}, a.Sent(), "D1 to D4")
		assert.InDelta(t, want.temperature, e.Temperature, 0, "as the server saw it")
		assert.Len(t, a.Messages, want.messages)
		assert.Len(t, e.Messages, want.messages)
		assert.Equal(t, want.status, e.Status)
	}

	assert.Equal(t, wire[0].Messages, wire[1].Messages[:2], "E5: a prefix")
	assert.Equal(t, message{"assistant", wire[0].Answer}, wire[1].Messages[2], "E4: the output verbatim")
	assert.Equal(t, message{"user", "Your answer was refused:\n" +
		"/priority: want one of \"low\", \"normal\", \"high\", got \"urgent\"\n" +
		"/refund_cents: want integer of at least 0, got \"49.99\"\n" +
		"Answer again with the corrected JSON object only."}, wire[1].Messages[3], "E1: the words of main.go")
	assert.Equal(t, wire[1].Messages, wire[2].Messages, "E6: a transient retry appends nothing")

	assert.Zero(t, attempts[0].Wait, "C2: no wait after a refused output")
	assert.Equal(t, time.Second, attempts[1].Wait, "C3: Retry-After, which is longer than the curve")
	var provider *llmretry.ProviderError
	require.ErrorAs(t, attempts[1].Err, &provider)
	assert.Equal(t, http.StatusServiceUnavailable, provider.Status)
	assert.Equal(t, time.Second, provider.RetryAfter)
}

// Without the outage the correction alone heals, at 0.3: too cold for the model to happen upon the answer by itself.
func TestCorrectionHeals(t *testing.T) {
	t.Parallel()
	result, wire, err := offline(t, neverBusy)
	require.NoError(t, err)
	assert.Equal(t, healed, result.Value)
	require.Len(t, wire, 2)
	assert.InDelta(t, 0.3, wire[1].Temperature, 0)
}

func TestUsage(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_MODEL", "")
	t.Setenv("ANTHROPIC_API_KEY", "")
	tests := []struct {
		name string
		args []string
		says string
	}{
		{"unknown flag", []string{"-temperature", "1"}, "flag provided but not defined: -temperature"},
		{"flag without value", []string{"-provider"}, "flag needs an argument: -provider"},
		{"argument", []string{"openai"}, `unexpected argument "openai"`},
		{"unknown provider", []string{"-provider", "opnai", "-model", "m"}, `unknown provider "opnai": want openai, anthropic or ollama`},
		{"model alone", []string{"-model", "m"}, "-model needs -provider"},
		{"openai without model", []string{"-provider", "openai"}, "needs -model or OPENAI_MODEL"},
		{"anthropic without model", []string{"-provider", "anthropic"}, "needs -model"},
		{"ollama without model", []string{"-provider", "ollama"}, "needs -model"},
		{"openai without key", []string{"-provider", "openai", "-model", "m"}, "OPENAI_API_KEY"},
		{"anthropic without key", []string{"-provider", "anthropic", "-model", "m"}, "ANTHROPIC_API_KEY"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, stdout, stderr := start(t.Context(), tt.args...)
			assert.Equal(t, exitUsage, code)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, tt.says)
		})
	}
	code, _, stderr := start(t.Context(), "-h")
	assert.Equal(t, exitOK, code)
	assert.Contains(t, stderr, "-provider")
}

// A call that cannot succeed is exit code 1, with the error and what is known of the attempts.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, stdout, stderr := start(ctx)
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, stdout, "attempts: 0")
	assert.Contains(t, stderr, "context canceled")
}
