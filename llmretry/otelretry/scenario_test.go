package otelretry_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/otelretry"
)

// scenario is one call, as it may go.
type scenario struct {
	name     string
	replies  []reply
	opts     []llmretry.Option
	call     []llms.CallOption
	outcomes map[string]int64 // of the counter of semantics H3
	calls    int              // of models
	cancel   time.Duration    // the caller's context ends then; 0 = it does not
}

type counts = map[string]int64

var scenarios = []scenario{
	{
		name: "success at once", replies: []reply{says("good")}, opts: []llmretry.Option{byParser, reasking}, calls: 1, outcomes: counts{"success": 1},
		call: []llms.CallOption{llms.WithTemperature(0), llms.WithMaxTokens(64), llms.WithTopP(0.9), llms.WithTopK(40), llms.WithSeed(7),
			llms.WithStopWords([]string{"END"}), llms.WithFrequencyPenalty(0.1), llms.WithPresencePenalty(0.2), llms.WithN(2), llms.WithJSONMode()},
	},
	{
		name: "transient, then success", replies: []reply{fails(503), says("good")},
		opts: []llmretry.Option{byParser, reasking}, calls: 2, outcomes: counts{"success": 1},
	},
	{
		name: "reask, then success", replies: []reply{says("bad"), says("good")},
		opts: []llmretry.Option{byParser, reasking}, calls: 2, outcomes: counts{"retry": 1, "success": 1},
	},
	{
		name: "interleaved", replies: []reply{fails(429), says("bad"), fails(503), says("worse"), says("good")}, calls: 5,
		outcomes: counts{"retry": 2, "success": 1},
		opts:     []llmretry.Option{byParser, reasking, llmretry.WithMaxAttempts(5), llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.3, 0.6)...)},
	},
	{
		name: "exhausted", replies: []reply{says("bad")},
		opts: []llmretry.Option{byParser, reasking}, calls: 3, outcomes: counts{"retry": 2, "exhausted": 1},
	},
	{name: "refused, no builder", replies: []reply{says("bad")}, opts: []llmretry.Option{byParser}, calls: 1, outcomes: counts{"exhausted": 1}},
	{
		name: "refused, only attempt", replies: []reply{says("bad")}, opts: []llmretry.Option{byParser, reasking, llmretry.WithMaxAttempts(1)},
		calls: 1, outcomes: counts{"exhausted": 1},
	},
	{
		name: "refused, replayed blindly", replies: []reply{says("bad"), says("good")}, calls: 2, outcomes: counts{"success": 1},
		opts: []llmretry.Option{byParser, llmretry.WithClassifier(func(error, llmretry.State) bool { return true })},
	},
	{
		name: "a provider ends it", replies: []reply{says("bad"), fails(400)},
		opts: []llmretry.Option{byParser, reasking}, calls: 2, outcomes: counts{"retry": 1},
	},
	{name: "transient, exhausted", replies: []reply{fails(503)}, opts: []llmretry.Option{byParser, reasking}, calls: 3},
	{
		name: "the builder ends it", replies: []reply{says("bad")}, calls: 1,
		opts: []llmretry.Option{byParser, llmretry.WithReask(func(context.Context, llmretry.Failure) (string, error) { return "", llmretryOver() })},
	},
	{
		name: "token budget ends it", replies: []reply{says("bad")}, opts: []llmretry.Option{byParser, reasking, llmretry.WithTokenBudget(10)},
		calls: 1, outcomes: counts{"exhausted": 1},
	},
	{
		name: "cancelled in the attempt", replies: []reply{says("bad"), says("good")},
		opts: []llmretry.Option{byParser, reasking}, cancel: 300 * time.Millisecond, calls: 2, outcomes: counts{"retry": 1},
	},
	{
		name: "cancelled in the wait", replies: []reply{says("bad"), says("good")}, calls: 1, cancel: 300 * time.Millisecond,
		opts: []llmretry.Option{byParser, reasking, llmretry.WithReaskBackoff(llmretry.Constant(time.Second))},
	},
	{
		name: "attempt timeout", replies: []reply{{takes: time.Minute}, says("good")}, opts: []llmretry.Option{byParser,
			reasking, llmretry.WithAttemptTimeout(time.Second)},
		calls: 2, outcomes: counts{"success": 1},
	},
	{
		name: "empty response", replies: []reply{{}, says(""), says("good")},
		opts: []llmretry.Option{byParser, reasking}, calls: 3, outcomes: counts{"success": 1},
	},
	{name: "filtered", replies: []reply{stops("good", "content_filter")}, opts: []llmretry.Option{byParser, reasking}, calls: 1},
	{
		name: "truncated", replies: []reply{stops("go", "length"), says("good")}, calls: 2, outcomes: counts{"success": 1},
		opts: []llmretry.Option{byParser, reasking, llmretry.WithTruncationOverride(llmretry.Set(llms.WithMaxTokens(128)))},
	},
	{
		name: "streaming", replies: []reply{{response: says("bad").response, chunks: []string{"b", "ad"}},
			{response: says("good").response, chunks: []string{"go", "od"}}},
		opts: []llmretry.Option{byParser, reasking}, calls: 2, outcomes: counts{"retry": 1, "success": 1},
		call: []llms.CallOption{llms.WithStreamingFunc(func(context.Context, []byte) error { return nil })},
	},
	{
		name: "another model", replies: []reply{says("bad")}, calls: 3, outcomes: counts{"retry": 2, "success": 1},
		opts: []llmretry.Option{byParser, reasking, llmretry.WithPerAttemptOverride(
			llmretry.Set(llms.WithModel("small-q8")),
			llmretry.Override{Model: &script{replies: []reply{says("good")}}, Name: "large"},
		)},
	},
	{
		name: "model by option", replies: []reply{says("good")},
		opts: []llmretry.Option{byParser}, call: []llms.CallOption{llms.WithModel("tuned")}, calls: 1, outcomes: counts{"success": 1},
	},
	{name: "no parser", replies: []reply{says("anything")}, calls: 1},
	{name: "no parser, transient", replies: []reply{fails(503), says("anything")}, calls: 2},
	{name: "nothing reported", replies: []reply{silent("good")}, opts: []llmretry.Option{byParser}, calls: 1, outcomes: counts{"success": 1}},
	{
		name: "tool calls pass", opts: []llmretry.Option{byParser, reasking}, calls: 1,
		replies: []reply{{response: &llms.ContentResponse{Choices: []*llms.ContentChoice{{StopReason: "tool_calls",
			ToolCalls: []llms.ToolCall{{ID: "1", FunctionCall: &llms.FunctionCall{Name: "look"}}}}}}}},
	},
	{
		name: "texts pass a tool validator", replies: []reply{says("anything")}, calls: 1,
		opts: []llmretry.Option{llmretry.WithToolValidator(func(context.Context, *llms.ContentResponse) error { return nil })},
	},
	{
		name: "by validator", replies: []reply{says("bad")}, calls: 3, outcomes: counts{"retry": 2, "exhausted": 1},
		opts: []llmretry.Option{reasking, llmretry.WithValidator(func(context.Context, *llms.ContentResponse) error { return errOdd })},
	},
	{
		name: "refused for good", replies: []reply{says("bad")}, calls: 1, outcomes: counts{"exhausted": 1},
		opts: []llmretry.Option{reasking, llmretry.WithValidator(func(context.Context, *llms.ContentResponse) error { return llmretry.Terminal(errOdd) })},
	},
	{name: "panic", replies: []reply{{panics: "the secret"}}, opts: []llmretry.Option{byParser, reasking}, calls: 1},
	{name: "an error of no kind", replies: []reply{{err: errOdd}}, opts: []llmretry.Option{byParser, reasking}, calls: 1},
}

// llmretryOver is what a builder returns that asked a decorated model of its own.
func llmretryOver() error {
	m := llmretry.Must(llmretry.New(&script{replies: []reply{fails(503)}}, llmretry.WithBackoff(llmretry.Constant(0))))
	_, err := m.GenerateContent(context.Background(), hello)
	return err
}

// play makes the scenario's call under a span of the caller's, on a bubble's clock, and checks what every scenario is
// to agree on.
func (s scenario) play(t *testing.T, check func(t *testing.T, r *rig, err error), opts ...otelretry.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, opts...)
		inner := &script{replies: s.replies}
		m, err := llmretry.New(inner, append([]llmretry.Option{llmretry.WithObserver(r.observer), llmretry.WithModelName("small-q4"),
			llmretry.WithBackoff(llmretry.Constant(50 * time.Millisecond))}, s.opts...)...)
		require.NoError(t, err)
		ctx, span := r.tracers.Tracer("test").Start(t.Context(), "caller")
		if s.cancel > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeoutCause(ctx, s.cancel, errOdd)
			defer cancel()
			ctx = undeadlined{ctx}
		}
		_, err = m.GenerateContent(ctx, hello, s.call...)
		span.End()
		check(t, r, err)
	})
}

// undeadlined hides when a context ends: a call that knew would not begin the wait.
type undeadlined struct{ context.Context }

func (undeadlined) Deadline() (time.Time, bool) { return time.Time{}, false }

// each plays all scenarios, in order.
func each(t *testing.T, check func(t *testing.T, s scenario, r *rig, err error), opts ...otelretry.Option) {
	for _, s := range scenarios {
		t.Run(strings.ReplaceAll(s.name, " ", "-"), func(t *testing.T) {
			s.play(t, func(t *testing.T, r *rig, err error) { check(t, s, r, err) }, opts...)
		})
	}
}
