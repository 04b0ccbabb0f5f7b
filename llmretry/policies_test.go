package llmretry_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// A validator can accept with a warning, which the report keeps, or refuse for good.
func TestVerdicts(t *testing.T) {
	doubt, hopeless := errors.New("the date is in the future"), errors.New("this is a receipt")
	verdict := func(err error) llmretry.Option {
		return llmretry.WithValidator(func(context.Context, *llms.ContentResponse) error { return err })
	}
	_, report, err := ask(t, decorate(t, newScript(t, says("x")), verdict(llmretry.Warn(doubt)), verdict(llmretry.Warn(nil)), verdict(nil)))
	require.NoError(t, err)
	assert.Equal(t, []error{doubt}, report.Attempts[0].Warnings)

	_, report, err = ask(t, decorate(t, newScript(t, says("x")), verdict(llmretry.Warn(doubt)), verdict(llmretry.Terminal(hopeless)), llmretry.WithReask(words)))
	assert.ErrorIs(t, err, hopeless)
	assert.ErrorIs(t, err, llmretry.ErrStructuredOutputInvalid)
	assert.Equal(t, "0 structured_output_invalid", summary(report), "the builder is not asked")
	var refusal *llmretry.StructuredOutputError
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, "this is a receipt", refusal.ErrorMessage)

	_, _, err = ask(t, decorate(t, newScript(t, says("x")), verdict(llmretry.Terminal(nil)), llmretry.WithReask(words)))
	assert.ErrorIs(t, err, llmretry.ErrStructuredOutputInvalid)
	terminal := llmretry.ParserFunc[int](func(string) (int, error) { return 0, llmretry.Terminal(hopeless) })
	_, _, err = ask(t, decorate(t, newScript(t, says("x")), llmretry.WithParser(terminal), llmretry.WithReask(words)))
	assert.ErrorIs(t, err, hopeless, "a parser's verdict too")
}

// A validator sees which attempt it judges and can relax on the last one.
func TestValidatorRelaxes(t *testing.T) {
	relaxing := llmretry.WithValidator(func(ctx context.Context, _ *llms.ContentResponse) error {
		doubt := errors.New("too short")
		if a := llmretry.AttemptFromContext(ctx); a.Index == a.Max-1 {
			return llmretry.Warn(doubt)
		}
		return doubt
	})
	_, report, err := ask(t, decorate(t, newScript(t, says("x"), says("x")), llmretry.WithMaxAttempts(2), relaxing, llmretry.WithReask(words)))
	require.NoError(t, err)
	assert.Equal(t, "0 structured_output_invalid, 1 reask ok", summary(report))
	assert.Len(t, report.Attempts[1].Warnings, 1)
}

// coded is a parser whose answer names the issue it finds.
var coded = llmretry.ParserFunc[string](func(text string) (string, error) {
	switch text {
	case "good":
		return text, nil
	case "opaque":
		return "", errors.New("no")
	}
	return "", llmretry.Issues{{Path: "/a", Code: text}}
})

// Each class of failures can have its own schedule; others fall back to the plain one.
func TestClassOverride(t *testing.T) {
	temperature := func(ts ...float64) []llmretry.Override { return llmretry.Temperatures(ts...) }
	opts := []llmretry.Option{llmretry.WithMaxAttempts(9), llmretry.WithParser(coded), llmretry.WithReask(words),
		llmretry.WithPerAttemptOverride(temperature(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)...),
		llmretry.WithClassOverride(llmretry.ClassSyntax, temperature(1.1, 1.2)...),
		llmretry.WithClassOverride(llmretry.ClassSchema, temperature(2.1)...),
		llmretry.WithClassOverride(llmretry.ClassTransient, temperature(3.1)...),
		llmretry.WithClassOverride(llmretry.ClassTruncated, temperature(4.1)...),
		llmretry.WithClassOverride(llmretry.ClassEmpty, temperature(5.1)...),
	}
	s := newScript(t, says("syntax"), says("type"), says("check"), says("opaque"), fails(errDown), stops("type", "length"), says(""), says("syntax"), says("good"))
	_, _, err := ask(t, decorate(t, s, opts...), llms.WithTemperature(0))
	require.NoError(t, err)
	assert.Equal(t, []float64{0, 1.1, 2.1, 0.3, 1.2, 3.1, 4.1, 5.1, 1.2}, s.temperatures())

	validator := llmretry.WithValidator(func(_ context.Context, r *llms.ContentResponse) error {
		if r.Choices[0].Content == "good" && len(r.Choices) == 1 {
			return errors.New("no issues given")
		}
		return nil
	})
	s = newScript(t, says("good"), choices(choice("good", "stop"), choice("", "stop")))
	_, _, err = ask(t, decorate(t, s, append(opts, validator, llmretry.WithClassOverride(llmretry.ClassCheck, temperature(6.1)...))...))
	require.NoError(t, err)
	assert.Equal(t, []float64{0, 6.1}, s.temperatures(), "what only a validator refuses is a check")

	s = newScript(t, says("type"))
	_, _, err = ask(t, decorate(t, s, append(opts, llmretry.WithClassOverride(llmretry.ClassSchema, llmretry.Stop()))...))
	assert.ErrorIs(t, err, llmretry.ErrMaxAttempts)

	_, err = llmretry.New(s, llmretry.WithClassOverride("typo"))
	assert.ErrorIs(t, err, llmretry.ErrInvalidOption)
	base := decorate(t, newScript(t, says("type"), says("good"), says("type"), says("good")), opts...)
	plain := llmretry.Must(base.With(llmretry.WithClassOverride(llmretry.ClassSchema)))
	for m, want := range map[*llmretry.Model]float64{base: 2.1, plain: 0.1} {
		_, report, err := ask(t, m)
		require.NoError(t, err)
		assert.Equal(t, want, report.Attempts[1].Sent()["temperature"], "With changes a copy")
	}
}

// A model that keeps giving the same wrong answer is not paid for again.
func TestStagnation(t *testing.T) {
	opts := func(s llmretry.Stagnation, more ...llmretry.Option) []llmretry.Option {
		return append([]llmretry.Option{llmretry.WithMaxAttempts(9), llmretry.WithParser(coded), llmretry.WithReask(words), llmretry.WithStagnation(s)}, more...)
	}
	_, report, err := ask(t, decorate(t, newScript(t, says("type"), says("enum"), fails(errDown), says("enum")), opts(llmretry.Stagnation{Outputs: 2})...))
	assert.ErrorIs(t, err, llmretry.ErrStagnated)
	assert.ErrorIs(t, err, llmretry.ErrExhausted)
	assert.ErrorIs(t, err, llmretry.ErrStructuredOutputInvalid)
	assert.Len(t, report.Attempts, 4, "a transient failure between is not counted")

	twoTexts := llmretry.ParserFunc[string](func(text string) (string, error) {
		return "", llmretry.Issues{{Path: "/b", Code: "type", Message: text}, {Path: "/a", Code: "enum"}}
	})
	_, report, err = ask(t, decorate(t, newScript(t, says("1"), says("2"), says("3")), append(opts(llmretry.Stagnation{Issues: 3}), llmretry.WithParser(twoTexts))...))
	assert.ErrorIs(t, err, llmretry.ErrStagnated)
	assert.Len(t, report.Attempts, 3, "other words, the same issues")

	s := newScript(t, says("type"), says("type"), says("type"), says("type"))
	_, _, err = ask(t, decorate(t, s, opts(llmretry.Stagnation{Outputs: 2, Escalate: true}, llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.1, 0.2, 0.3)...))...))
	assert.ErrorIs(t, err, llmretry.ErrStagnated, "no entry is left to jump to")
	assert.Equal(t, []float64{0, 0.1, 0.3, 0.3}, s.temperatures(), "0.2 was jumped over")

	for _, bad := range []llmretry.Stagnation{{Outputs: 1}, {Issues: -1}} {
		_, err := llmretry.New(s, llmretry.WithStagnation(bad))
		assert.ErrorIs(t, err, llmretry.ErrInvalidOption)
	}
}

// The transcript of reasks can be bounded: the last pairs, a fresh start, a clipped echo.
func TestTranscriptPolicy(t *testing.T) {
	run := func(p llmretry.TranscriptPolicy, messages []llms.MessageContent, outputs ...string) [][]string {
		var replies []reply
		for _, o := range outputs {
			replies = append(replies, says(o))
		}
		s := newScript(t, replies...)
		m := decorate(t, s, llmretry.WithMaxAttempts(len(outputs)), llmretry.WithParser(want("good")), llmretry.WithTranscriptPolicy(p),
			llmretry.WithReask(func(_ context.Context, f llmretry.Failure) (string, error) { return "fix " + f.OutputContent[:1], nil }))
		_, err := m.GenerateContent(t.Context(), messages)
		require.Error(t, err)
		var sent [][]string
		for _, r := range s.requests() {
			sent = append(sent, texts(r.messages))
		}
		return sent
	}
	assert.Equal(t, []string{"human: hello", "ai: b", "human: fix b", "ai: c", "human: fix c"},
		run(llmretry.TranscriptPolicy{KeepLast: 2}, hello, "a", "b", "c", "d")[3])
	fresh := run(llmretry.TranscriptPolicy{FreshAfter: 2}, hello, "a", "b", "c", "d")
	assert.Equal(t, []string{"human: hello", "ai: a", "human: fix a", "ai: b", "human: fix b"}, fresh[2])
	assert.Equal(t, []string{"human: hello", "ai: c", "human: fix c"}, fresh[3])

	long := strings.Repeat("é", 500) + "tail"
	echo := run(llmretry.TranscriptPolicy{ClipEcho: 40}, hello, long, "x")[1][1]
	assert.LessOrEqual(t, len(strings.TrimPrefix(echo, "ai: ")), 40)
	assert.True(t, strings.HasPrefix(echo, "ai: éé") && strings.HasSuffix(echo, "tail"), echo)

	bounded := llmretry.TranscriptPolicy{MaxBytes: 34} // a pair is 17
	within := run(bounded, hello, "a234567890", "b234567890", "c234567890", "d")
	assert.Equal(t, []string{"human: hello", "ai: a234567890", "human: fix a", "ai: b234567890", "human: fix b"}, within[2][:5])
	assert.Equal(t, []string{"human: hello", "ai: b234567890", "human: fix b", "ai: c234567890", "human: fix c"}, within[3])
	within = run(bounded, hello, "a", "b", strings.Repeat("c", 10_000), "d")
	assert.Equal(t, []string{"human: hello", "ai: cccccccccccc\n...\ncccccccccccc", "human: fix c"}, within[3])
	within = run(llmretry.TranscriptPolicy{MaxBytes: 16}, hello, strings.Repeat("a", 17), "b")
	assert.Equal(t, []string{"human: hello", "ai: aaaaa\n...\naaaaaa", "human: fix a"}, within[1], "a correction is never cut, and room is left for the output")

	prefilled := append(hello[:1:1], llms.TextParts(llms.ChatMessageTypeAI, "{"))
	assert.Equal(t, []string{"human: hello", "ai: {b", "human: fix b"}, run(llmretry.TranscriptPolicy{KeepLast: 1}, prefilled, "a", "b", "c")[2])

	for _, bad := range []llmretry.TranscriptPolicy{{KeepLast: -1}, {FreshAfter: -1}, {ClipEcho: 3}, {MaxBytes: -1}, {MaxBytes: 15}} {
		_, err := llmretry.New(newScript(t), llmretry.WithTranscriptPolicy(bad))
		assert.ErrorIs(t, err, llmretry.ErrInvalidOption)
	}
}

// The last refused output and the best one are reachable from the error.
func TestBestAttempt(t *testing.T) {
	counting := llmretry.ParserFunc[string](func(text string) (string, error) {
		if text == "opaque" {
			return "", errors.New("no")
		}
		return "", make(llmretry.Issues, len(text))
	})
	_, err := decorate(t, newScript(t, says("opaque"), says("xxx"), says("x"), says("yy"), fails(errBad)), llmretry.WithMaxAttempts(9),
		llmretry.WithParser(counting), llmretry.WithReask(words)).GenerateContent(t.Context(), hello)
	var attempts *llmretry.AttemptsError
	require.ErrorAs(t, err, &attempts)
	assert.Equal(t, "yy", attempts.Report.LastRefused().OutputContent)
	assert.Equal(t, "x", attempts.Report.Best().OutputContent)
	assert.Nil(t, new(llmretry.Report).Best())
	assert.Nil(t, new(llmretry.Report).LastRefused())
}
