package llmretry_test

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/llmretry/langchaingo-llmretry/internal/golden"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// line is what both of slog's handlers make of a value.
func line(name string, v any) string {
	var out bytes.Buffer
	text := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: untimed}))
	text.Info(name, "v", v)
	structured := slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{ReplaceAttr: untimed}))
	structured.Info(name, "v", v)
	return out.String()
}

func untimed(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
		return slog.Attr{}
	}
	return a
}

// Semantics H2: a log that is given a report or an error of ours gets figures, names and codes, and no contents.
func TestLogValue(t *testing.T) {
	r := shownReport()
	trail := llmretry.NewTrail(0)
	refusal := r.LastRefused()
	values := map[string]any{
		"report": r, "attempt": r.Attempts[0], "failure": refusal.Failure, "issues": refusal.Issues, "issue": refusal.Issues[1], "trail": trail,
		"entry": llmretry.TrailEntry{Step: "triage", Error: private, Raw: private, Count: 1},
	}
	for name, err := range shownErrors() {
		values["error "+name] = err
	}
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(values)) {
		all.WriteString(line(name, values[name]))
	}
	assert.NotContains(t, all.String(), private)
	golden.Check(t, "logvalue.golden", all.String())
}

func TestLogValueOfNil(t *testing.T) {
	for _, v := range []slog.LogValuer{
		(*llmretry.Report)(nil), (*llmretry.StructuredOutputError)(nil), (*llmretry.AttemptsError)(nil), (*llmretry.ProviderError)(nil),
		(*llmretry.PanicError)(nil), (*llmretry.ExhaustedError)(nil), (*llmretry.Trail)(nil), llmretry.Issues(nil), llmretry.Attempt{},
	} {
		assert.NotPanics(t, func() { slog.New(slog.DiscardHandler).With("v", v.LogValue()).InfoContext(context.Background(), "") })
		assert.NotContains(t, line("nil", v), "panicked")
	}
}
