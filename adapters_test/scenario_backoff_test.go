package adapters_test

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// backoffScenarios are about waits, and about what a server says of them.
var backoffScenarios = []scenario{
	{"back-01", "C1", curveNeverOverflows},
	{"back-03", "C3", endlessRetryAfter},
	{"back-05", "C3", retryAfterIsNotCut},
	{"back-06", "C3", formsOfRetryAfter},
	{"back-07", "A3, C3", retryAfterKeepsTheError},
	{"back-08", "A3, B5", callersErrorIsKept},
}

// The curve is of upper bounds, from which the wait is drawn, so it is they that do not fall. No limit at all cannot be
// said; the longest there is comes close.
func curveNeverOverflows(t *testing.T) {
	for _, limit := range []time.Duration{30 * time.Second, math.MaxInt64} {
		for _, base := range []time.Duration{1, 500 * time.Millisecond, time.Hour} {
			backoff := llmretry.FullJitter(base, limit)
			for attempt := range 10000 {
				wait := backoff(attempt)
				require.GreaterOrEqual(t, wait, time.Duration(0), "%v %v %d", base, limit, attempt)
				require.LessOrEqual(t, wait, limit)
				if attempt < 10 {
					require.LessOrEqual(t, wait, base<<attempt)
				}
			}
		}
	}
	largest := time.Duration(0)
	for range 200 {
		largest = max(largest, llmretry.FullJitter(500*time.Millisecond, 30*time.Second)(1000))
	}
	assert.Greater(t, largest, 15*time.Second, "high attempts draw from the whole range")
}

func limited(header string) reply {
	return openaiDialect().fails(http.StatusTooManyRequests, "rate limited", header)
}

// A number that no Duration holds is longer than any wait that is allowed.
func endlessRetryAfter(t *testing.T) {
	for _, header := range []string{"9223372036854775807", "99999999999999999999999999"} {
		r := newRig(t, openaiDialect(), true, inOrder(limited(header), reply{body: chatCompletion(nil, answer{text: blue})}))
		c := scene{client: r.client, within: deadlineAfter(300 * time.Millisecond)}.play(t)
		assert.Len(t, r.received(), 1, header)
		assert.ErrorIs(t, c.err, llmretry.ErrRetryAfter, header)
		assert.Zero(t, c.elapsed, "nothing is waited for")
	}
}

func retryAfterIsNotCut(t *testing.T) {
	r := newRig(t, openaiDialect(), true, inOrder(limited("300"), limited("300")))
	c := scene{client: r.client, opts: []llmretry.Option{llmretry.WithMaxAttempts(5)}}.play(t)
	assert.Len(t, r.received(), 1, "the default takes up to a minute")
	assert.ErrorIs(t, c.err, llmretry.ErrRetryAfter)
	var provider *llmretry.ProviderError
	require.ErrorAs(t, c.err, &provider)
	assert.Equal(t, 300*time.Second, provider.RetryAfter)
	assert.Equal(t, llmretry.CategoryRateLimit, llmretry.Category(c.err))
	assert.Zero(t, c.elapsed)

	// A caller who has the time waits for as long as the server said.
	r = newRig(t, openaiDialect(), true, inOrder(limited("300"), reply{body: chatCompletion(nil, answer{text: blue})}))
	c = scene{client: r.client, opts: []llmretry.Option{llmretry.WithMaxRetryAfter(time.Hour)}}.play(t)
	require.NoError(t, c.err)
	assert.Equal(t, 300*time.Second, c.elapsed)
}

func formsOfRetryAfter(t *testing.T) {
	const curve = time.Millisecond
	for header, wait := range map[string]time.Duration{
		"Fri, 21 Oct 1994 07:28:00 GMT":  curve, // past, on a bubble's clock too, which begins in 2000: no more than the curve
		"Friday, 21-Oct-94 07:28:00 GMT": curve,
		"Fri Oct 21 07:28:00 1994":       curve,
		"0":                              curve,
		"-5":                             curve,
		"+3":                             curve,
		"soon":                           curve,
		"1.5":                            1500 * time.Millisecond,
		" 2 ":                            2 * time.Second,
	} {
		r := newRig(t, openaiDialect(), true, inOrder(limited(header), reply{body: chatCompletion(nil, answer{text: blue})}))
		c := scene{client: r.client, opts: []llmretry.Option{llmretry.WithMaxAttempts(2), llmretry.WithBackoff(llmretry.Constant(curve))}}.play(t)
		require.NoError(t, c.err, header)
		assert.Len(t, r.received(), 2, header)
		assert.Equal(t, wait, c.elapsed, header)
	}
}

func retryAfterKeepsTheError(t *testing.T) {
	r := newRig(t, openaiDialect(), true, inOrder(limited("1")))
	c := scene{client: r.client, opts: []llmretry.Option{llmretry.WithMaxAttempts(1)}}.play(t)
	assert.EqualError(t, c.err, "API returned unexpected status code: 429: rate limited", "with one attempt it is the client's own value")

	r = newRig(t, openaiDialect(), true, inOrder(limited("1"), limited("1")))
	c = scene{client: r.client, opts: []llmretry.Option{llmretry.WithMaxAttempts(2)}}.play(t)
	assert.ErrorContains(t, c.err, "429: rate limited")
	var provider *llmretry.ProviderError
	require.ErrorAs(t, c.err, &provider)
	assert.Equal(t, time.Second, provider.RetryAfter, "the demand stands beside the error")
	assert.ErrorIs(t, c.err, provider.Err)
}

// There is no marker to unwrap: what a classifier calls final comes back as it is.
func callersErrorIsKept(t *testing.T) {
	inner := errors.New("inner")
	outer := fmt.Errorf("outer: %w", inner)
	never := llmretry.WithClassifier(func(error, llmretry.State) bool { return false })
	c := scene{turns: []turn{{err: outer}}, opts: []llmretry.Option{never}}.play(t)
	assert.Len(t, c.asked, 1)
	assert.Same(t, outer, c.err)
	assert.ErrorIs(t, c.err, inner)
}
