package llmretry_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Code below a decorator can tell which attempt it serves; attempt 0 and no decorator are the zero value.
func TestAttemptFromContext(t *testing.T) {
	var infos []llmretry.AttemptInfo
	note := func(r reply) reply {
		r.do = func(ctx context.Context) { infos = append(infos, llmretry.AttemptFromContext(ctx)) }
		return r
	}
	s := newScript(t, note(says("bad")), note(fails(errDown)), note(says("good")))
	_, _, err := ask(t, decorate(t, s, llmretry.WithParser(want("good")), llmretry.WithReask(words)))
	require.NoError(t, err)
	assert.Equal(t, []llmretry.AttemptInfo{{}, {Index: 1, Max: 3, Reason: llmretry.ReasonReask}, {Index: 2, Max: 3, Reason: llmretry.ReasonTransient}}, infos)
	assert.Zero(t, llmretry.AttemptFromContext(t.Context()))

	infos = nil
	inner := decorate(t, newScript(t, note(fails(errBad)), note(says("a"))))
	outer := decorate(t, inner, llmretry.WithClassifier(func(error, llmretry.State) bool { return true }))
	_, _, err = ask(t, outer)
	require.NoError(t, err)
	assert.Equal(t, []llmretry.AttemptInfo{{}, {}}, infos, "of the nearest decorator")
}

// CaptureReports collects one report per call of the first decorators below, in order of their end.
func TestCaptureReports(t *testing.T) {
	inner := decorate(t, newScript(t, says("a"), fails(errBad), says("c")))
	outer := decorate(t, inner)
	ctx, all := llmretry.CaptureReports(t.Context())
	assert.Empty(t, all())
	_, err := outer.GenerateContent(ctx, hello)
	require.NoError(t, err)
	nested, some := llmretry.CaptureReports(ctx)
	_, err = inner.GenerateContent(nested, hello)
	require.Error(t, err)
	_, err = outer.GenerateContent(t.Context(), hello)
	require.NoError(t, err)
	require.Len(t, all(), 2, "a call inside both captures is in both")
	require.Len(t, some(), 1)
	assert.NoError(t, all()[0].Err)
	assert.Len(t, all()[0].Attempts[0].Nested, 1)
	assert.Same(t, err2(err, errBad), errBad)
	assert.ErrorIs(t, all()[1].Err, errBad)
	assert.Same(t, all()[1], some()[0])
}

func err2(_, err error) error { return err }

// Everything a context carries is for the decorators below an attempt no more, but for ceilings.
func TestScopeIsHidden(t *testing.T) {
	s := newScript(t, fails(errDown), says("a"))
	inner := decorate(t, s)
	ctx, reports := llmretry.CaptureReports(llmretry.NewContext(t.Context(), llmretry.WithMaxAttempts(1)))
	_, err := decorate(t, inner).GenerateContent(ctx, hello)
	require.NoError(t, err, "the inner decorator kept its three attempts")
	assert.Len(t, reports(), 1)
}

// Observers: contexts nest in the order given, ends run in reverse; each end runs exactly once, on a panic too.
func TestObserver(t *testing.T) {
	type key string
	var events []string
	watch := func(name string) llmretry.Option {
		return llmretry.WithObserver(llmretry.Observer{
			Attempt: func(ctx context.Context, s llmretry.AttemptStart) (context.Context, func(llmretry.Attempt)) {
				events = append(events, fmt.Sprintf("%s start %d/%d %s %s msgs=%d opts=%d saw=%v", name, s.Index, s.Max, s.Reason, s.Model, len(s.Messages), len(s.Options), ctx.Value(key("a")) != nil))
				return context.WithValue(ctx, key(name), true), func(a llmretry.Attempt) {
					events = append(events, fmt.Sprintf("%s end %d %s", name, a.Index, a.Category))
				}
			},
			Done: func(_ context.Context, r *llmretry.Report, err error) {
				events = append(events, fmt.Sprintf("%s done %d %v", name, len(r.Attempts), err == nil))
			},
		})
	}
	s := newScript(t, says("bad"), says("good"))
	m := decorate(t, s, llmretry.WithModelName("m1"), watch("a"), watch("b"), llmretry.WithObserver(llmretry.Observer{}), llmretry.WithObserver(llmretry.Observer{
		Attempt: func(context.Context, llmretry.AttemptStart) (context.Context, func(llmretry.Attempt)) {
			return nil, nil
		},
	}), llmretry.WithParser(want("good")), llmretry.WithReask(words))
	_, err := m.GenerateContent(t.Context(), hello, llms.WithSeed(1))
	require.NoError(t, err)
	assert.Equal(t, []string{
		"a start 0/3  m1 msgs=1 opts=1 saw=false", "b start 0/3  m1 msgs=1 opts=1 saw=true",
		"b end 0 structured_output_invalid", "a end 0 structured_output_invalid",
		"a start 1/3 reask m1 msgs=3 opts=2 saw=false", "b start 1/3 reask m1 msgs=3 opts=2 saw=true",
		"b end 1 ", "a end 1 ", "a done 2 true", "b done 2 true",
	}, events)
	assert.NotNil(t, s.requests()[0].ctx.Value(key("b")), "the model gets the observers' context")

	events = nil
	m = decorate(t, newScript(t), watch("a"), llmretry.WithObserver(llmretry.Observer{
		Attempt: func(context.Context, llmretry.AttemptStart) (context.Context, func(llmretry.Attempt)) { panic(errDown) },
	}))
	assert.PanicsWithValue(t, errDown, func() { _, _ = m.GenerateContent(t.Context(), hello) })
	assert.Equal(t, []string{"a start 0/3   msgs=1 opts=0 saw=false", "a end 0 panic", "a done 0 false"}, events)
}

// Semantics J1: one decorated model serves any number of goroutines, without cross-talk. The calls mix success, reask,
// transient failure and cancellation; the attempts in the reports are the model calls made.
func TestConcurrency(t *testing.T) {
	const goroutines, calls = 64, 1000
	var mu sync.Mutex
	made := map[string]int{}
	model := modelFunc(func(ctx context.Context, ms []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
		id := ms[0].Parts[0].(llms.TextContent).Text
		mu.Lock()
		made[id]++
		n := made[id]
		mu.Unlock()
		switch kind := id[0] - '0'; {
		case kind == 1 && n == 1:
			return says("bad " + id).response, nil
		case kind == 2 && n == 1:
			return nil, errDown
		case kind == 3:
			cancelIn(ctx)
			return nil, errors.New("request cancelled")
		case kind == 1 && ms[len(ms)-1].Parts[0].(llms.TextContent).Text != "fix bad "+id:
			return says("cross-talk").response, nil
		}
		return says("good " + id).response, nil
	})
	m := decorate(t, model, llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.5)...),
		llmretry.WithReask(func(_ context.Context, f llmretry.Failure) (string, error) { return "fix " + f.OutputContent, nil }))
	attempts := make([]int, goroutines)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for i := range calls {
				id := fmt.Sprintf("%d/%d/%d", i%4, g, i)
				ctx, cancel := context.WithCancel(context.Background())
				ctx = context.WithValue(ctx, cancelKey{}, func() { cancel() })
				result, err := llmretry.Generate(ctx, m, want("good "+id), []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, id)}, llms.WithTemperature(0))
				if (i%4 == 3) != errors.Is(err, context.Canceled) || (err == nil) != (result.Value == "good "+id) {
					t.Errorf("%s: %q, %v", id, result.Value, err)
				}
				attempts[g] += len(result.Report.Attempts)
				cancel()
			}
		})
	}
	wg.Wait()
	total := 0
	for _, n := range made {
		total += n
	}
	sum := 0
	for _, n := range attempts {
		sum += n
	}
	assert.Equal(t, total, sum)
	assert.Len(t, made, goroutines*calls)
	assert.Equal(t, goroutines*calls*6/4, total)
}

// The summary of a report lists attempts in order however many there are.
func TestManyAttempts(t *testing.T) {
	replies := append(slices.Repeat([]reply{says("bad")}, 40), says("good"))
	s := newScript(t, replies...)
	_, report, err := ask(t, decorate(t, s, llmretry.WithMaxAttempts(50), llmretry.WithParser(want("good")), llmretry.WithReask(words)))
	require.NoError(t, err)
	assert.Len(t, report.Attempts, 41)
	assert.Len(t, s.requests()[40].messages, 81)
}
