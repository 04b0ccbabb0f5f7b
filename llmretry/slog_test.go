package llmretry_test

import (
	"bytes"
	"errors"
	"log/slog"
	"regexp"
	"testing"
	"testing/synctest"

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
	assert.Equal(t, `level=WARN msg="llm attempt" attempt=0 model=small category=structured_output_invalid finish_reason=stop issues=1 codes=check messages=1 output_bytes=10 latency=X input_tokens=10 output_tokens=10 total_tokens=20
level=WARN msg="llm attempt" attempt=1 reason=reask model=small category=provider_unavailable status=503 messages=3 output_bytes=0 latency=X
level=DEBUG msg="llm attempt" attempt=2 reason=transient model=small finish_reason=stop messages=3 output_bytes=4 latency=X input_tokens=10 output_tokens=4 total_tokens=14
level=INFO msg="llm call" attempts=3 ok=true latency=X input_tokens=20 output_tokens=14 total_tokens=34 usage_complete=true
`, logged(t, slog.LevelDebug, says("the secret"), fails(errDown), says("good")))

	assert.Equal(t, `level=ERROR msg="llm call" attempts=3 ok=false category=structured_output_invalid stop=max_attempts latency=X input_tokens=30 output_tokens=30 total_tokens=60 usage_complete=true
`, logged(t, slog.LevelError, says("the secret"), says("the secret"), says("the secret")))
	before := slog.Default()
	defer slog.SetDefault(before)
	slog.SetDefault(slog.New(slog.DiscardHandler))
	assert.NotPanics(t, func() {
		m := decorate(t, newScript(t, says("good")), llmretry.WithObserver(llmretry.SlogObserver(nil)))
		_, _ = m.GenerateContent(t.Context(), hello)
	})
}

// Semantics H4: a wait is worth a line of its own, since nothing else happens meanwhile; levels are chosen, and may
// change while calls run.
func TestSlogLevels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		logger := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
		var done slog.LevelVar
		levels := llmretry.SlogLevels{Failed: slog.LevelInfo, Wait: slog.LevelInfo, Done: &done}
		m := decorate(t, newScript(t, fails(errLimited), says("good"), says("good")), llmretry.WithBackoff(llmretry.Constant(second)),
			llmretry.WithObserver(levels.Observer(logger)))
		_, err := m.GenerateContent(t.Context(), hello)
		require.NoError(t, err)
		done.Set(slog.LevelWarn)
		_, err = m.GenerateContent(t.Context(), hello)
		require.NoError(t, err)
		assert.Equal(t, `level=INFO msg="llm attempt" attempt=0 category=provider_rate_limit status=429 messages=1 output_bytes=0 latency=0s
level=INFO msg="llm wait" attempt=0 category=provider_rate_limit wait=1s
level=INFO msg="llm call" attempts=2 ok=true latency=0s wait=1s input_tokens=10 output_tokens=4 total_tokens=14 usage_complete=true
level=WARN msg="llm call" attempts=1 ok=true latency=0s input_tokens=10 output_tokens=4 total_tokens=14 usage_complete=true
`, out.String())
	})
}
