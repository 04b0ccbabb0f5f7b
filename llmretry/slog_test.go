package llmretry_test

import (
	"bytes"
	"errors"
	"log/slog"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// logged makes a call and returns its log lines with times masked.
func logged(t *testing.T, level slog.Level, replies ...reply) string {
	var out bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	m := decorate(t, newScript(t, replies...), llmretry.WithModelName("small"), llmretry.WithParser(want("good")),
		llmretry.WithReask(words), llmretry.WithObserver(llmretry.SlogObserver(logger)))
	_, err := m.GenerateContent(t.Context(), hello)
	if err != nil {
		require.True(t, errors.Is(err, llmretry.ErrExhausted), err)
	}
	return regexp.MustCompile(`latency=\S+`).ReplaceAllString(out.String(), "latency=X")
}

// Semantics H2, H4: one line per attempt and exactly one per call; lengths, never contents.
func TestSlogObserver(t *testing.T) {
	assert.Equal(t, `level=WARN msg="llm attempt" attempt=0 model=small category=structured_output_invalid finish_reason=stop messages=1 output_bytes=10 latency=X input_tokens=10 output_tokens=10 total_tokens=20
level=DEBUG msg="llm retry" attempt=0 category=structured_output_invalid wait=0s
level=WARN msg="llm attempt" attempt=1 reason=reask model=small category=provider_unavailable messages=3 output_bytes=0 latency=X
level=DEBUG msg="llm retry" attempt=1 category=provider_unavailable wait=0s
level=DEBUG msg="llm attempt" attempt=2 reason=transient model=small finish_reason=stop messages=3 output_bytes=4 latency=X input_tokens=10 output_tokens=4 total_tokens=14
level=INFO msg="llm call" attempts=3 ok=true input_tokens=20 output_tokens=14 total_tokens=34 usage_complete=true
`, logged(t, slog.LevelDebug, says("the secret"), fails(errDown), says("good")))

	assert.Equal(t, `level=ERROR msg="llm call" attempts=3 ok=false category=structured_output_invalid input_tokens=30 output_tokens=30 total_tokens=60 usage_complete=true
`, logged(t, slog.LevelError, says("the secret"), says("the secret"), says("the secret")))
	before := slog.Default()
	defer slog.SetDefault(before)
	slog.SetDefault(slog.New(slog.DiscardHandler))
	assert.NotPanics(t, func() {
		m := decorate(t, newScript(t, says("good")), llmretry.WithObserver(llmretry.SlogObserver(nil)))
		_, _ = m.GenerateContent(t.Context(), hello)
	})
}
