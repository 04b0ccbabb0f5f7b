package llmretry_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// fail records one failure.
func fail(t testing.TB, trail *llmretry.Trail, step, message, raw string) {
	t.Helper()
	s := llmretry.SchemaRetry[int]{
		Validate: func(string) (int, error) { return 0, errors.New(message) },
		AskAgain: (&agent{t: t}).ask, Compose: llmretry.PreviousErrors(""), Trail: trail, Step: step, MaxAttempts: 1,
	}
	_, err := s.Run(context.Background(), raw)
	require.ErrorIs(t, err, llmretry.ErrExhausted)
}

func entries(t *testing.T, trail *llmretry.Trail) string {
	t.Helper()
	var list []string
	for _, e := range trail.Entries() {
		list = append(list, e.Step+":"+e.Error+":"+e.Raw+"*"+strconv.Itoa(e.Count))
	}
	return strings.Join(list, " ")
}

// Semantics K3, K10: what is the same in step, error and raw text is one entry, at its first place.
func TestTrailFolds(t *testing.T) {
	trail := llmretry.NewTrail(0)
	for _, e := range [][3]string{{"s", "e", "r"}, {"s", "e", "other"}, {"s", "other", "r"}, {"other", "e", "r"}, {"s", "e", "r"}, {"s", "e", "r"}, {"other", "e", "r"}} {
		fail(t, trail, e[0], e[1], e[2])
	}
	assert.Equal(t, "s:e:r*3 s:e:other*1 s:other:r*1 other:e:r*2", entries(t, trail))
}

// Semantics K10: the attempt of a folded entry is that of its first time, and Count says how often.
func TestTrailFoldsAttempts(t *testing.T) {
	trail := llmretry.NewTrail(0)
	s := decode(&agent{t: t, answers: []string{"b", "a", "b", "a"}})
	s.Trail, s.MaxAttempts = trail, 5
	_, err := s.Run(t.Context(), "a")
	require.ErrorIs(t, err, llmretry.ErrExhausted)
	assert.Equal(t, []llmretry.TrailEntry{
		{Attempt: 0, Error: "a is no number", Raw: "a", Count: 3},
		{Attempt: 1, Error: "b is no number", Raw: "b", Count: 2},
	}, trail.Entries())
}

// Semantics K10: bounded, the oldest go first; a repeat needs no room.
func TestTrailBounded(t *testing.T) {
	trail := llmretry.NewTrail(2)
	for _, raw := range []string{"1", "2", "1", "3", "3", "1"} {
		fail(t, trail, "s", "e", raw)
	}
	assert.Equal(t, "s:e:3*2 s:e:1*1", entries(t, trail), "1 came back as a new failure after it had been dropped")

	for name, trail := range map[string]*llmretry.Trail{"limit 0": llmretry.NewTrail(0), "the zero value": new(llmretry.Trail)} {
		for i := range 130 {
			fail(t, trail, "s", "e", strconv.Itoa(i))
		}
		list := trail.Entries()
		require.Len(t, list, 100, name)
		assert.Equal(t, "30", list[0].Raw, name)
		assert.Equal(t, "129", list[99].Raw, name)
	}
	one := llmretry.NewTrail(1)
	fail(t, one, "s", "e", "1")
	fail(t, one, "s", "e", "2")
	assert.Equal(t, "s:e:2*1", entries(t, one))
}

func TestTrailEntriesAreCopies(t *testing.T) {
	trail := llmretry.NewTrail(0)
	assert.Nil(t, trail.Entries())
	assert.Nil(t, (*llmretry.Trail)(nil).Entries())
	fail(t, trail, "s", "e", "r")
	trail.Entries()[0].Error = "changed"
	assert.Equal(t, "s:e:r*1", entries(t, trail))

	// What a question, a builder and an error are given is theirs, too.
	s := decode(&agent{t: t, answers: []string{"b"}})
	s.Trail, s.MaxAttempts = trail, 2
	s.Compose = func(_ string, earlier []llmretry.TrailEntry) string { earlier[0].Error = "changed"; return "" }
	_, err := s.Run(t.Context(), "a")
	var exhausted *llmretry.ExhaustedError
	require.ErrorAs(t, err, &exhausted)
	exhausted.Trail[1].Error = "changed"
	assert.Equal(t, "s:e:r*1 :a is no number:a*1 :b is no number:b*1", entries(t, trail))
}

// Semantics K10: safe for concurrent use; nothing is lost below the limit.
func TestTrailConcurrently(t *testing.T) {
	trail := llmretry.NewTrail(20)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				fail(t, trail, "s", "e", strconv.Itoa(i%10))
				assert.LessOrEqual(t, len(trail.Entries()), 20)
				if g == 0 {
					_, err := json.Marshal(trail)
					assert.NoError(t, err)
				}
			}
		})
	}
	wg.Wait()
	total := 0
	for _, e := range trail.Entries() {
		total += e.Count
	}
	assert.Len(t, trail.Entries(), 10)
	assert.Equal(t, 400, total)
}

// Semantics K10: a call with a trail records its refusals and hands the builder what was there before each.
func TestWithTrail(t *testing.T) {
	trail := llmretry.NewTrail(0)
	fail(t, trail, "plan", "earlier step", "x")
	var given []llmretry.Failure
	builder := func(_ context.Context, f llmretry.Failure) (string, error) {
		given = append(given, f)
		return "again", nil
	}
	s := newScript(t, says("bad"), fails(errDown), says("bad"), says("worse"), says("good"))
	m := decorate(t, s, llmretry.WithParser(want("good")), llmretry.WithReask(builder), llmretry.WithMaxAttempts(5))
	ctx := llmretry.NewContext(t.Context(), llmretry.WithTrail(trail, "rank"))
	_, report, err := askWith(t, ctx, m)
	require.NoError(t, err)
	require.Len(t, report.Attempts, 5)

	plan := llmretry.TrailEntry{Step: "plan", Error: "earlier step", Raw: "x", Count: 1}
	bad := llmretry.TrailEntry{Step: "rank", Attempt: 0, Error: "/word: want good, got bad", Raw: "bad", Count: 1}
	twice := bad
	twice.Count = 2
	worse := llmretry.TrailEntry{Step: "rank", Attempt: 3, Error: "/word: want good, got worse", Raw: "worse", Count: 1}
	require.Len(t, given, 3)
	assert.Equal(t, []llmretry.TrailEntry{plan}, given[0].Earlier)
	assert.Equal(t, []llmretry.TrailEntry{plan, bad}, given[1].Earlier, "without the failure that is reported")
	assert.Equal(t, []llmretry.TrailEntry{plan, twice}, given[2].Earlier)
	assert.Equal(t, []llmretry.TrailEntry{plan, twice, worse}, trail.Entries(), "the success, and the 503, are not in it")

	var refusal *llmretry.StructuredOutputError
	require.ErrorAs(t, report.Attempts[3].Err, &refusal)
	assert.Equal(t, given[2].Earlier, refusal.Earlier, "everybody is shown the same")
}

// Semantics K10: nothing but structured_output_invalid is recorded, and that whether or not it is reasked.
func TestWithTrailRecordsRefusalsOnly(t *testing.T) {
	reject := func(context.Context, *llms.ContentResponse) error { return errors.New("no") }
	for _, tt := range []struct {
		name    string
		replies []reply
		opts    []llmretry.Option
		want    string
	}{
		{"refused, no builder", []reply{says("bad")}, nil, "s:/word: want good, got bad:bad*1"},
		{"refused by a validator", []reply{says("good")}, []llmretry.Option{llmretry.WithValidator(reject)}, "s:no:good*1"},
		{"exhausted", []reply{says("bad"), says("bad")}, []llmretry.Option{llmretry.WithReask(words), llmretry.WithMaxAttempts(2)}, "s:/word: want good, got bad:bad*2"},
		{"a blind replay", []reply{says("bad"), says("good")}, []llmretry.Option{llmretry.WithClassifier(func(error, llmretry.State) bool { return true })}, "s:/word: want good, got bad:bad*1"},
		{"refused for good", []reply{says("good")}, []llmretry.Option{llmretry.WithReask(words), llmretry.WithValidator(func(context.Context, *llms.ContentResponse) error { return llmretry.Terminal(errors.New("no")) })}, "s:no:good*1"},
		{"accepted with a warning", []reply{says("good")}, []llmretry.Option{llmretry.WithValidator(func(context.Context, *llms.ContentResponse) error { return llmretry.Warn(errors.New("no")) })}, ""},
		{"accepted", []reply{says("good")}, nil, ""},
		{"transient", []reply{fails(errDown), fails(errDown), fails(errDown)}, nil, ""},
		{"final", []reply{fails(errBad)}, nil, ""},
		{"empty", []reply{says(""), says(""), says("")}, nil, ""},
		{"filtered", []reply{stops("bad", "content_filter")}, nil, ""},
		{"truncated", []reply{stops("bad", "length")}, []llmretry.Option{llmretry.WithTruncationOverride(llmretry.Stop())}, ""},
		{"a panic in the model", []reply{{panics: "x"}}, nil, ""},
		{"a panic in a validator", []reply{says("good")}, []llmretry.Option{llmretry.WithValidator(func(context.Context, *llms.ContentResponse) error { panic("x") })}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			trail := llmretry.NewTrail(0)
			m := decorate(t, newScript(t, tt.replies...), append(tt.opts, llmretry.WithParser(want("good")), llmretry.WithTrail(trail, "s"))...)
			_, _ = m.GenerateContent(t.Context(), hello)
			assert.Equal(t, tt.want, entries(t, trail))
		})
	}
}

// Semantics K10, B8: a refusal is recorded where it was made. Options by context reach the outer decorator, and what the
// inner one refuses is to the outer one an error like any other.
func TestWithTrailNested(t *testing.T) {
	trail := llmretry.NewTrail(0)
	inner := decorate(t, newScript(t, says("bad")), llmretry.WithParser(want("good")))
	outer := decorate(t, inner)
	_, err := outer.GenerateContent(llmretry.NewContext(t.Context(), llmretry.WithTrail(trail, "s")), hello)
	require.ErrorIs(t, err, llmretry.ErrStructuredOutputInvalid)
	assert.Empty(t, trail.Entries())
}

// Semantics K10: the canceled attempt is the context's, not the parser's.
func TestWithTrailCanceled(t *testing.T) {
	trail := llmretry.NewTrail(0)
	ctx, cancel := context.WithCancel(t.Context())
	s := newScript(t, reply{response: says("bad").response, do: func(context.Context) { cancel() }})
	_, err := decorate(t, s, llmretry.WithParser(want("good")), llmretry.WithTrail(trail, "s")).GenerateContent(ctx, hello)
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, trail.Entries())
}

// Semantics K5, K10: the typed entry too, and tools; one trail, step by step, with a budget per call.
func TestWithTrailPipeline(t *testing.T) {
	trail := llmretry.NewTrail(0)
	var told []string
	builder := func(_ context.Context, f llmretry.Failure) (string, error) {
		told = append(told, strconv.Itoa(len(f.Earlier)))
		return "again", nil
	}
	run := func(step string, s *script, opts ...llmretry.Option) {
		m := decorate(t, s, append(opts, llmretry.WithReask(builder), llmretry.WithTrail(trail, step))...)
		_, err := llmretry.Generate(t.Context(), m, want("good"), hello)
		require.True(t, err == nil || errors.Is(err, llmretry.ErrToolCalls), err)
	}
	run("one", newScript(t, says("a"), says("b"), says("good")))
	run("two", newScript(t, says("c"), says("good")))
	call := &llms.ContentChoice{ToolCalls: []llms.ToolCall{callsTool("1", "f", "{")}}
	fine := &llms.ContentChoice{ToolCalls: []llms.ToolCall{callsTool("2", "f", "{}")}}
	run("three", newScript(t, choices(call), choices(fine)), llmretry.WithToolValidator(func(_ context.Context, r *llms.ContentResponse) error {
		if r.Choices[0].ToolCalls[0].FunctionCall.Arguments != "{}" {
			return errors.New("arguments")
		}
		return nil
	}))
	assert.Equal(t, []string{"0", "1", "2", "3"}, told)
	last := trail.Entries()[3]
	assert.Equal(t, "three", last.Step)
	assert.Equal(t, `{"name": "f", "arguments": "{"}`, last.Raw, "of tool calls it is their text, as in OutputContent")
}

func TestWithTrailInvalid(t *testing.T) {
	_, err := llmretry.New(newScript(t), llmretry.WithTrail(nil, "s"))
	require.ErrorIs(t, err, llmretry.ErrInvalidOption)
	assert.ErrorContains(t, err, "WithTrail: nil trail")
	_, err = llmretry.New(newScript(t), llmretry.WithTrail(llmretry.NewTrail(-5), "s"))
	require.ErrorIs(t, err, llmretry.ErrInvalidOption)
	assert.ErrorContains(t, err, "negative limit")
	m := decorate(t, newScript(t))
	_, err = m.GenerateContent(llmretry.NewContext(t.Context(), llmretry.WithTrail(nil, "")), hello)
	assert.ErrorIs(t, err, llmretry.ErrInvalidOption, "never a panic")
	_, err = llmretry.New(newScript(t), llmretry.WithTrail(llmretry.NewTrail(math.MaxInt), ""))
	assert.NoError(t, err, "a step needs no name, a limit no ceiling")
}
