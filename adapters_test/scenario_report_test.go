package adapters_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// reportScenarios are about what the caller learns.
var reportScenarios = []scenario{
	{"usage-02", "F5, F10, G2", everyAttemptItsOwnUsage},
	{"err-02", "A5, F2", errorNamesPathAndLimit},
	{"err-03", "C5, G2, H4", nothingIsSilent},
}

func everyAttemptItsOwnUsage(t *testing.T) {
	r := newRig(t, openaiDialect(), true, inOrder(
		reply{body: chatCompletion(nil, answer{text: seven, in: 10, out: 1})}, reply{body: chatCompletion(nil, answer{text: blue, in: 12, out: 2})},
	))
	c := scene{client: r.client}.play(t)
	require.NoError(t, c.err)
	usage := func(in, out int) llmretry.Usage {
		known := func(n int) llmretry.Count { return llmretry.Count{N: n, Known: true} }
		return llmretry.Usage{Input: known(in), Output: known(out), Total: known(in + out)}
	}
	info := c.response.Choices[0].GenerationInfo
	assert.Equal(t, []any{12, 2}, []any{info["PromptTokens"], info["CompletionTokens"]}, "the returned response's own")
	assert.Equal(t, usage(10, 1), c.report.Attempts[0].Usage)
	assert.Equal(t, usage(12, 2), c.report.Attempts[1].Usage)
	sum, complete := c.report.Usage()
	assert.Equal(t, usage(22, 3), sum)
	assert.True(t, complete)
}

func errorNamesPathAndLimit(t *testing.T) {
	c := scene{turns: []turn{tells(seven), tells(seven), tells(seven)}}.play(t)
	assert.ErrorContains(t, c.err, "/answer")
	assert.ErrorContains(t, c.err, "3 attempts")
	var refusal *llmretry.StructuredOutputError
	require.ErrorAs(t, c.err, &refusal)
	assert.Equal(t, "/answer", refusal.Issues[0].Path)
	assert.JSONEq(t, blueSchema, string(refusal.Schema))
	assert.ErrorIs(t, c.err, refusal.Err, "and the parser's own error is its cause")
}

// Every attempt and every retry is told of, a retry before its wait, and nothing after the end.
func nothingIsSilent(t *testing.T) {
	down := openaiDialect().fails(http.StatusServiceUnavailable, "overloaded", "")
	r := newRig(t, openaiDialect(), true, inOrder(down, reply{body: chatCompletion(nil, answer{text: seven})}, reply{body: chatCompletion(nil, answer{text: blue})}))
	var events []string
	var at []time.Time
	tell := func(format string, args ...any) {
		events, at = append(events, strings.TrimSpace(fmt.Sprintf(format, args...))), append(at, time.Now())
	}
	observer := llmretry.WithObserver(llmretry.Observer{
		Attempt: func(ctx context.Context, s llmretry.AttemptStart) (context.Context, func(llmretry.Attempt)) {
			return ctx, func(a llmretry.Attempt) { tell("attempt %d %s", a.Index, a.Category) }
		},
		Retry: func(_ context.Context, a llmretry.Attempt, wait time.Duration) {
			tell("retry after %d in %v: %s", a.Index, wait, llmretry.Category(a.Err))
		},
		Done: func(_ context.Context, r *llmretry.Report, err error) { tell("done %d %v", len(r.Attempts), err) },
	})
	hook := llmretry.WithOnRetry(func(_ context.Context, err error, attempt int) {
		tell("hook %d %t", attempt, strings.Contains(err.Error(), "503") || strings.Contains(err.Error(), "/answer"))
	})
	c := scene{client: r.client, opts: []llmretry.Option{observer, hook, llmretry.WithBackoff(llmretry.Constant(time.Second))}}.play(t)
	require.NoError(t, c.err)
	assert.Equal(t, []string{
		"attempt 0 provider_unavailable", "hook 0 true", "retry after 0 in 1s: provider_unavailable",
		"attempt 1 structured_output_invalid", "hook 1 true", "retry after 1 in 0s: structured_output_invalid",
		"attempt 2", "done 3 <nil>",
	}, events)
	assert.Equal(t, time.Second, at[3].Sub(at[2]), "told before the wait")
}
