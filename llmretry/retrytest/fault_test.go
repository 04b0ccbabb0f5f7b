package retrytest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/retrytest"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

const ticketSchema = `{"type":"object","additionalProperties":false,"required":["customer","order","priority","due","lines"],"properties":{
	"customer":{"type":"string","minLength":1},
	"order":{"type":"integer","minimum":1},
	"priority":{"enum":["low","normal","high"]},
	"due":{"type":"string","format":"date"},
	"gift":{"type":"boolean"},
	"lines":{"type":"array","minItems":1,"items":{"type":"object","additionalProperties":false,"required":["sku","count"],
		"properties":{"sku":{"type":"string"},"count":{"type":"integer","minimum":1,"maximum":9}}}}}}`

const ticketValue = `{"customer": "Ada", "order": 4711, "priority": "high", "due": "2024-02-29", "gift": false, "lines": [{"sku": "lamp", "count": 1}, {"sku": "ü", "count": 2}]}`

func human(text string) llms.MessageContent {
	return llms.TextParts(llms.ChatMessageTypeHuman, text)
}

func assistant(text string) llms.MessageContent {
	return llms.TextParts(llms.ChatMessageTypeAI, text)
}

// numbered is a finder of as many cases as there are prompts: each prompt is a case of its own.
func numbered(c retrytest.Case) func([]llms.MessageContent) (retrytest.Case, error) {
	return func(ms []llms.MessageContent) (retrytest.Case, error) {
		c := c
		c.Name = ms[0].Parts[0].(llms.TextContent).Text
		return c, nil
	}
}

func faulty(t testing.TB, cfg retrytest.FaultConfig) *retrytest.FaultModel {
	t.Helper()
	if cfg.Find == nil {
		cfg.Find = numbered(retrytest.Case{Value: json.RawMessage(ticketValue), Schema: json.RawMessage(ticketSchema)})
	}
	m, err := retrytest.NewFaultModel(cfg)
	require.NoError(t, err)
	return m
}

func answerOf(t testing.TB, m llms.Model, messages []llms.MessageContent, opts ...llms.CallOption) (string, []retrytest.Fault) {
	t.Helper()
	r, err := m.GenerateContent(context.Background(), messages, opts...)
	require.NoError(t, err)
	require.Len(t, r.Choices, 1)
	return r.Choices[0].Content, r.Choices[0].GenerationInfo["Faults"].([]retrytest.Fault)
}

func TestFaultModelWithoutFaults(t *testing.T) {
	m := faulty(t, retrytest.FaultConfig{})
	r, err := m.GenerateContent(t.Context(), []llms.MessageContent{human("one")})
	require.NoError(t, err)
	c := r.Choices[0]
	assert.Equal(t, ticketValue, c.Content, "verbatim")
	assert.Equal(t, "stop", c.StopReason)
	assert.Empty(t, c.GenerationInfo["Faults"])
	assert.Equal(t, c.GenerationInfo["TotalTokens"], c.GenerationInfo["PromptTokens"].(int)+c.GenerationInfo["CompletionTokens"].(int))
	said, err := m.Call(t.Context(), "two")
	require.NoError(t, err)
	assert.Equal(t, ticketValue, said)
}

// only returns rates of which one is set.
func only(class retrytest.Class, rate float64) retrytest.Rates {
	var r retrytest.Rates
	field := map[retrytest.Class]*float64{
		retrytest.Prose: &r.Prose, retrytest.Empty: &r.Empty, retrytest.Truncated: &r.Truncated, retrytest.MissingDelimiter: &r.MissingDelimiter,
		retrytest.TrailingProse: &r.TrailingProse, retrytest.Fences: &r.Fences, retrytest.CutAtLimit: &r.CutAtLimit,
		retrytest.MissingField: &r.MissingField, retrytest.WrongType: &r.WrongType, retrytest.OutsideEnum: &r.OutsideEnum,
		retrytest.OutOfRange: &r.OutOfRange, retrytest.BadFormat: &r.BadFormat, retrytest.ExtraField: &r.ExtraField, retrytest.Misread: &r.Misread,
		retrytest.RateLimited: &r.RateLimited, retrytest.Unavailable: &r.Unavailable, retrytest.TimedOut: &r.TimedOut,
	}[class]
	*field = rate
	return r
}

// Each class does to a schema's parser what it says, at every draw, and the fields that it names are those that the
// parser names.
func TestClasses(t *testing.T) {
	parser := llmretry.Must(outputparser.FromSchema([]byte(ticketSchema)))
	for _, test := range []struct {
		class   retrytest.Class
		refused bool
	}{
		{retrytest.Prose, true},
		{retrytest.Empty, true},
		{retrytest.Truncated, true},
		{retrytest.MissingDelimiter, true},
		{retrytest.TrailingProse, false},
		{retrytest.Fences, false},
		{retrytest.CutAtLimit, true},
		{retrytest.MissingField, true},
		{retrytest.WrongType, true},
		{retrytest.OutsideEnum, true},
		{retrytest.OutOfRange, true},
		{retrytest.BadFormat, true},
		{retrytest.ExtraField, true},
		{retrytest.Misread, false},
	} {
		t.Run(string(test.class), func(t *testing.T) {
			field := slices.Contains([]retrytest.Class{retrytest.MissingField, retrytest.WrongType, retrytest.OutsideEnum, retrytest.OutOfRange,
				retrytest.BadFormat, retrytest.ExtraField}, test.class)
			rate := 0.5
			m := faulty(t, retrytest.FaultConfig{Rates: only(test.class, rate)})
			hit := 0
			for i := range 400 {
				text, faults := answerOf(t, m, []llms.MessageContent{human(fmt.Sprint(i))})
				_, err := parser.Parse(text)
				if len(faults) == 0 {
					assert.Equal(t, ticketValue, text)
					continue
				}
				hit++
				assert.NotEqual(t, ticketValue, text)
				if !test.refused {
					assert.NoError(t, err, text)
					continue
				}
				require.Error(t, err, text)
				if field {
					var wrong interface{ Issues() llmretry.Issues }
					require.ErrorAs(t, err, &wrong)
					paths := map[string]bool{}
					for _, issue := range wrong.Issues() {
						paths[issue.Path] = true
					}
					want := map[string]bool{}
					for _, f := range faults {
						assert.Equal(t, test.class, f.Class)
						want[f.Path] = true
					}
					assert.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(paths)), text)
				}
			}
			assert.Greater(t, hit, 100)
		})
	}
}

// A rate is met: the draws are uniform.
func TestRateIsMet(t *testing.T) {
	const calls = 4000
	m := faulty(t, retrytest.FaultConfig{Rates: only(retrytest.Prose, 0.2)})
	hit := 0
	for i := range calls {
		if _, faults := answerOf(t, m, []llms.MessageContent{human(fmt.Sprint(i))}); len(faults) > 0 {
			hit++
		}
	}
	assert.InDelta(t, 0.2, float64(hit)/calls, 0.02) // three standard deviations
}

func TestTransportFaults(t *testing.T) {
	for _, test := range []struct {
		class retrytest.Class
		want  llmretry.ProviderError
	}{
		{retrytest.RateLimited, llmretry.ProviderError{Category: llmretry.CategoryRateLimit, Status: 429, RetryAfter: 7 * time.Second}},
		{retrytest.Unavailable, llmretry.ProviderError{Category: llmretry.CategoryUnavailable, Status: 503}},
		{retrytest.TimedOut, llmretry.ProviderError{Category: llmretry.CategoryUnavailable}},
	} {
		t.Run(string(test.class), func(t *testing.T) {
			m := faulty(t, retrytest.FaultConfig{Rates: only(test.class, 0.5), RetryAfter: 7 * time.Second})
			var failed, mended int
			for i := range 200 {
				messages := []llms.MessageContent{human(fmt.Sprint(i))}
				_, err := m.GenerateContent(t.Context(), messages)
				if err == nil {
					continue
				}
				failed++
				var provider *llmretry.ProviderError
				require.ErrorAs(t, err, &provider)
				got := *provider
				got.Err = nil
				assert.Equal(t, test.want, got)
				assert.True(t, llmretry.DefaultClassifier(err, llmretry.State{}))
				if _, err := m.GenerateContent(t.Context(), messages); err == nil {
					mended++
				}
			}
			assert.InDelta(t, 100, failed, 30)
			assert.InDelta(t, failed/2, mended, 20, "a server's faults do not belong to the request")
		})
	}
}

// The determinism trap: at temperature 0 the same request has the same answer, byte for byte, whatever came between.
func TestReplayHealsNothing(t *testing.T) {
	rates := retrytest.DefaultRates()
	rates.RateLimited, rates.Unavailable, rates.TimedOut = 0, 0, 0
	m := faulty(t, retrytest.FaultConfig{Rates: rates, Effects: retrytest.DefaultEffects()})
	ask := func(i int, opts ...llms.CallOption) string {
		text, _ := answerOf(t, m, []llms.MessageContent{human(fmt.Sprint(i))}, opts...)
		return text
	}
	var cold, hot, seeded int
	for i := range 200 {
		first := ask(i)
		for range 3 {
			if ask(i) != first {
				cold++
			}
		}
		first = ask(i, llms.WithTemperature(0.9))
		if ask(i, llms.WithTemperature(0.9)) != first {
			hot++
		}
		first = ask(i, llms.WithTemperature(0.9), llms.WithSeed(1))
		if ask(i, llms.WithTemperature(0.9), llms.WithSeed(1)) != first {
			seeded++
		}
	}
	assert.Zero(t, cold)
	assert.Greater(t, hot, 20)
	assert.Zero(t, seeded)
}

// wrong counts how many cases are answered wrongly by a request that follows a wrong first answer.
func wrong(t *testing.T, cfg retrytest.FaultConfig, then func(first []llms.MessageContent, faults []retrytest.Fault) []llms.MessageContent, opts ...llms.CallOption) (before, after int) {
	t.Helper()
	m := faulty(t, cfg)
	for i := range 600 {
		first := []llms.MessageContent{human(fmt.Sprint(i))}
		text, faults := answerOf(t, m, first)
		if len(faults) == 0 {
			continue
		}
		before++
		if _, left := answerOf(t, m, then(append(first, assistant(text)), faults), opts...); len(left) > 0 {
			after++
		}
	}
	return before, after
}

// What heals, and how much: a correction that names the path most, any other one a little, warmth by drawing anew.
func TestEffects(t *testing.T) {
	cfg := retrytest.FaultConfig{Rates: only(retrytest.WrongType, 0.1), Effects: retrytest.Effects{Named: 0.8, Reasked: 0.2, Redraw: 1}}
	named := func(ms []llms.MessageContent, faults []retrytest.Fault) []llms.MessageContent {
		said := "Wrong:"
		for _, f := range faults {
			said += " " + f.Path + ": want another type."
		}
		return append(ms, human(said))
	}
	plain := func(ms []llms.MessageContent, _ []retrytest.Fault) []llms.MessageContent {
		return append(ms, human("That is wrong."))
	}
	replay := func(ms []llms.MessageContent, _ []retrytest.Fault) []llms.MessageContent { return ms[:1] }

	before, after := wrong(t, cfg, named)
	assert.Less(t, float64(after)/float64(before), 0.35)
	before, after = wrong(t, cfg, plain)
	assert.Greater(t, float64(after)/float64(before), 0.7)
	assert.Less(t, after, before)
	before, after = wrong(t, cfg, replay)
	assert.Equal(t, before, after)
	before, after = wrong(t, cfg, replay, llms.WithTemperature(1))
	assert.InDelta(t, 0.66, float64(after)/float64(before), 0.15, "as wrong as any answer is, and not more")

	before, after = wrong(t, retrytest.FaultConfig{Rates: cfg.Rates}, named, llms.WithTemperature(1))
	assert.Equal(t, before, after, "without effects nothing heals")
}

// A better model makes some of the mistakes and no other ones.
func TestStrength(t *testing.T) {
	small := faulty(t, retrytest.FaultConfig{Rates: retrytest.DefaultRates()})
	big := faulty(t, retrytest.FaultConfig{Rates: retrytest.DefaultRates(), Effects: retrytest.Effects{Strength: 0.7}})
	var few, many int
	for i := range 500 {
		messages := []llms.MessageContent{human(fmt.Sprint(i))}
		r1, err1 := small.GenerateContent(t.Context(), messages)
		r2, err2 := big.GenerateContent(t.Context(), messages)
		if err1 != nil || err2 != nil {
			assert.Equal(t, err1, err2)
			continue
		}
		if len(r2.Choices[0].GenerationInfo["Faults"].([]retrytest.Fault)) > 0 {
			few++
			assert.NotEmpty(t, r1.Choices[0].GenerationInfo["Faults"])
		}
		if len(r1.Choices[0].GenerationInfo["Faults"].([]retrytest.Fault)) > 0 {
			many++
		}
	}
	assert.Less(t, few, many/2)
	assert.Positive(t, few)
}

// The order of calls and concurrency make no difference.
func TestOrderMakesNoDifference(t *testing.T) {
	cfg := retrytest.FaultConfig{Seed: 3, Rates: retrytest.DefaultRates(), Effects: retrytest.DefaultEffects()}
	const n = 100
	run := func(m *retrytest.FaultModel, i int) string {
		r, err := m.GenerateContent(context.Background(), []llms.MessageContent{human(fmt.Sprint(i))}, llms.WithTemperature(0.7))
		if err != nil {
			return err.Error()
		}
		return r.Choices[0].Content
	}
	var want, got [n]string
	m := faulty(t, cfg)
	for i := range n {
		want[n-1-i] = run(m, n-1-i)
	}
	m = faulty(t, cfg)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { got[i] = run(m, i) })
	}
	wg.Wait()
	assert.Equal(t, want, got)

	cfg.Seed = 4
	m = faulty(t, cfg)
	for i := range n {
		got[i] = run(m, i)
	}
	assert.NotEqual(t, want, got)
}

// A cut is mended by room and not by words; JSON mode keeps the text JSON.
func TestLimitAndJSONMode(t *testing.T) {
	m := faulty(t, retrytest.FaultConfig{Rates: retrytest.Rates{CutAtLimit: 1}})
	messages := []llms.MessageContent{human("x")}
	for _, test := range []struct {
		max  int
		want string
	}{{0, "length"}, {60, "length"}, {1000, "stop"}} {
		r, err := m.GenerateContent(t.Context(), messages, llms.WithMaxTokens(test.max))
		require.NoError(t, err)
		assert.Equal(t, test.want, r.Choices[0].StopReason, "%d", test.max)
	}
	m = faulty(t, retrytest.FaultConfig{})
	r, err := m.GenerateContent(t.Context(), messages, llms.WithMaxTokens(5))
	require.NoError(t, err)
	assert.Equal(t, ticketValue[:20], r.Choices[0].Content, "even a model without faults cannot say more than it may")
	assert.Equal(t, "length", r.Choices[0].StopReason)

	m = faulty(t, retrytest.FaultConfig{Rates: retrytest.Rates{Prose: 1, MissingDelimiter: 1, Fences: 1, TrailingProse: 1, Misread: 1}})
	text, faults := answerOf(t, m, messages, llms.WithJSONMode())
	assert.True(t, json.Valid([]byte(text)), text)
	assert.NotEmpty(t, faults)
}

func TestFaultModelStreams(t *testing.T) {
	m := faulty(t, retrytest.FaultConfig{})
	var said string
	text, _ := answerOf(t, m, []llms.MessageContent{human("x")}, llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
		said += string(chunk)
		return nil
	}))
	assert.Equal(t, text, said)
	enough := errors.New("enough")
	_, err := m.GenerateContent(t.Context(), []llms.MessageContent{human("x")}, llms.WithStreamingFunc(func(context.Context, []byte) error { return enough }))
	assert.ErrorIs(t, err, enough)
}

// Latency is said, and slept only when asked for.
func TestFaultModelSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		latency := retrytest.Latency{Base: time.Second, PerPromptToken: time.Millisecond, PerCompletionToken: 10 * time.Millisecond}
		for _, sleeps := range []bool{false, true} {
			m := faulty(t, retrytest.FaultConfig{Latency: latency, Sleep: sleeps})
			begin := time.Now()
			r, err := m.GenerateContent(t.Context(), []llms.MessageContent{human("x")})
			require.NoError(t, err)
			info := r.Choices[0].GenerationInfo
			usage := llmretry.Usage{Input: llmretry.Count{N: info["PromptTokens"].(int)}, Output: llmretry.Count{N: info["CompletionTokens"].(int)}}
			want := time.Duration(0)
			if sleeps {
				want = latency.Of(usage)
			}
			assert.Equal(t, want, time.Since(begin))
		}
		m := faulty(t, retrytest.FaultConfig{Latency: latency, Sleep: true})
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err := m.GenerateContent(ctx, []llms.MessageContent{human("x")})
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		_, err = m.GenerateContent(ctx, []llms.MessageContent{human("x")})
		assert.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func TestNewFaultModelRefuses(t *testing.T) {
	find := retrytest.ByText(nil)
	for name, cfg := range map[string]retrytest.FaultConfig{
		"no Find":             {},
		"Prose is 1.1":        {Find: find, Rates: retrytest.Rates{Prose: 1.1}},
		"Named is -1":         {Find: find, Effects: retrytest.Effects{Named: -1}},
		"a negative duration": {Find: find, RetryAfter: -1},
	} {
		_, err := retrytest.NewFaultModel(cfg)
		assert.ErrorIs(t, err, llmretry.ErrInvalidOption, name)
	}
	_, err := retrytest.NewFaultModel(retrytest.FaultConfig{Find: find, Effects: retrytest.Effects{Heat: 2}})
	assert.NoError(t, err)
}

func TestFaultModelCases(t *testing.T) {
	m := faulty(t, retrytest.FaultConfig{Find: retrytest.ByText(map[string]retrytest.Case{
		"mail":         {Value: json.RawMessage(`1`)},
		"mail of Ada":  {Value: json.RawMessage(`2`)},
		"neither":      {},
		"no JSON":      {Value: json.RawMessage(`{`)},
		"two values":   {Value: json.RawMessage(`1 2`)},
		"no schema":    {Schema: json.RawMessage(`{`)},
		"out of reach": {Schema: json.RawMessage(`{"type":"string","pattern":"^x$"}`)},
	})})
	said, err := m.Call(t.Context(), "Read the mail of Ada.")
	require.NoError(t, err)
	assert.Equal(t, "2", said, "the longest text")
	for _, prompt := range []string{"neither", "no JSON", "two values", "no schema", "out of reach", "unheard of"} {
		_, err := m.Call(t.Context(), prompt)
		assert.Error(t, err, prompt)
		assert.False(t, llmretry.DefaultClassifier(err, llmretry.State{}), prompt)
	}
	_, err = m.Call(t.Context(), "unheard of")
	assert.ErrorIs(t, err, retrytest.ErrNoCase)
	_, err = m.Call(t.Context(), "mail", nil)
	assert.ErrorContains(t, err, "call option 0 is nil")
}

// A case without a schema can be spoiled too, as far as the value shows what it should be.
func TestValueAlone(t *testing.T) {
	m := faulty(t, retrytest.FaultConfig{
		Find:  numbered(retrytest.Case{Value: json.RawMessage(ticketValue)}),
		Rates: retrytest.Rates{MissingField: 0.2, WrongType: 0.2, ExtraField: 0.2, OutsideEnum: 1, OutOfRange: 1},
	})
	seen := map[retrytest.Class]int{}
	for i := range 100 {
		text, faults := answerOf(t, m, []llms.MessageContent{human(fmt.Sprint(i))})
		assert.True(t, json.Valid([]byte(text)))
		for _, f := range faults {
			seen[f.Class]++
		}
	}
	assert.Len(t, seen, 3, "%v", seen)
}
