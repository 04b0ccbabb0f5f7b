package llmretry

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var rafNow = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Semantics C3: Retry-After in seconds and as a date, retry-after-ms. (back-03, back-06.)
func TestParseRetryAfter(t *testing.T) {
	const unknown = -1
	for value, want := range map[string]time.Duration{
		"0": 0, "1": time.Second, "120": 2 * time.Minute, " 2 ": 2 * time.Second, "007": 7 * time.Second,
		"1.5": 1500 * time.Millisecond, "0.25": 250 * time.Millisecond, "1.0000000019": time.Second + 1,
		"Sun, 01 Mar 2026 12:00:30 GMT":     30 * time.Second, // RFC 9110
		"Sunday, 01-Mar-26 12:00:30 GMT":    30 * time.Second, // RFC 850
		"Sun Mar  1 12:00:30 2026":          30 * time.Second, // asctime
		"Wed, 21 Oct 2015 07:28:00 GMT":     0,                // past
		"Wednesday, 21-Oct-15 07:28:00 GMT": 0,
		"Fri, 31 Dec 9999 23:59:59 GMT":     math.MaxInt64,
		"9223372036":                        9223372036 * time.Second,
		"9223372037":                        math.MaxInt64, // more than a Duration holds
		"9223372036854775807":               math.MaxInt64,
		"9223372036854775808":               math.MaxInt64, // more than an int64 holds
		strings.Repeat("9", 99):             math.MaxInt64,
		"9223372036.999999999":              math.MaxInt64,

		"": unknown, " ": unknown, "-5": unknown, "-0": unknown, "+3": unknown, "soon": unknown, "1s": unknown, "1e3": unknown,
		"0x10": unknown, "1_000": unknown, "1,5": unknown, ".5": unknown, "1.": unknown, "1.2.3": unknown, "1 2": unknown,
		"NaN": unknown, "Inf": unknown, "٣": unknown, "Sun, 01 Mar 2026 12:00:30 CET": unknown, "2026-03-01T12:00:30Z": unknown,
		"\x00": unknown, "--1": unknown, "-9223372036854775809": unknown,
	} {
		for _, status := range []int{429, 503, 400} {
			d, ok := parseRetryAfter(http.Header{"Retry-After": {value}}, status, rafNow)
			if want == unknown {
				require.False(t, ok, value)
				require.Zero(t, d, value)
				continue
			}
			require.True(t, ok, value)
			require.Equal(t, want, d, value)
		}
	}
	for value, want := range map[string]time.Duration{
		"250": 250 * time.Millisecond, "0": 0, "1.5": 1500 * time.Microsecond, strings.Repeat("9", 30): math.MaxInt64,
		"-1": unknown, "x": unknown, "": unknown,
	} {
		d, ok := parseRetryAfter(http.Header{"Retry-After-Ms": {value}}, 500, rafNow)
		require.Equal(t, want != unknown, ok, value)
		require.Equal(t, max(want, 0), d, value)
	}
}

// Semantics C3: which header counts when several are there.
func TestRetryAfterPrecedence(t *testing.T) {
	tests := []struct {
		name string
		h    http.Header
		want time.Duration
		ok   bool
	}{
		{"none", nil, 0, false},
		{"milliseconds are the exact ones", http.Header{"Retry-After": {"1"}, "Retry-After-Ms": {"294"}}, 294 * time.Millisecond, true},
		{"garbage milliseconds", http.Header{"Retry-After": {"1"}, "Retry-After-Ms": {"x"}}, time.Second, true},
		{"a proxy's garbage first", http.Header{"Retry-After": {"x", "3"}}, 3 * time.Second, true},
		{"0 is known", http.Header{"Retry-After": {"0"}, "X-Ratelimit-Reset": {"9"}}, 0, true},
		{"before the limits", http.Header{"Retry-After": {"1"}, "X-Ratelimit-Reset": {"9"}}, time.Second, true},
		{"limits behind garbage", http.Header{"Retry-After": {"-1"}, "X-Ratelimit-Reset": {"9"}}, 9 * time.Second, true},
		{"no values", http.Header{"Retry-After": {}, "Retry-After-Ms": nil, "X-Ratelimit-Reset": {}}, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, ok := parseRetryAfter(tt.h, 429, rafNow)
			require.Equal(t, tt.ok, ok)
			require.Equal(t, tt.want, d)
		})
	}
}

// Semantics C3: x-ratelimit-reset*, on a 429 only, of limits of which nothing remains.
func TestRateLimitHeaders(t *testing.T) {
	h := func(pairs ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h.Set(pairs[i], pairs[i+1])
		}
		return h
	}
	tests := []struct {
		name string
		h    http.Header
		want time.Duration
		ok   bool
	}{
		{"seconds", h("x-ratelimit-reset", "12"), 12 * time.Second, true},
		{"fraction", h("x-ratelimit-reset-tokens-minute", "33.5"), 33500 * time.Millisecond, true},
		{"duration", h("x-ratelimit-reset-requests", "1m30s"), 90 * time.Second, true},
		{"milliseconds", h("x-ratelimit-reset-tokens", "6ms"), 6 * time.Millisecond, true},
		{"fraction of a duration", h("x-ratelimit-reset-tokens", "2m59.56s"), 2*time.Minute + 59560*time.Millisecond, true},
		{"days", h("x-ratelimit-reset-requests", "1d2h"), 26 * time.Hour, true},
		{"micro", h("x-ratelimit-reset-requests", "5µs3us7ns"), 8*time.Microsecond + 7, true},
		{"epoch seconds", h("x-ratelimit-reset", "1772366445"), 45 * time.Second, true},
		{"epoch milliseconds", h("x-ratelimit-reset", "1772366400250"), 250 * time.Millisecond, true},
		{"epoch past", h("x-ratelimit-reset", "1700000000"), 0, true},
		{"openrouter, recorded", h("X-Ratelimit-Limit", "1", "X-Ratelimit-Remaining", "0", "X-Ratelimit-Reset", "1754667660000"), 0, true},
		{"too large", h("x-ratelimit-reset", "9223372036854775807"), math.MaxInt64, true},
		{"too long", h("x-ratelimit-reset", "99999999999h"), math.MaxInt64, true},
		{"too long in sum", h("x-ratelimit-reset", "2562047h2562047h"), math.MaxInt64, true},

		{"remaining", h("x-ratelimit-reset", "12", "x-ratelimit-remaining", "3"), 0, false},
		{"nothing remaining", h("x-ratelimit-reset", "12", "x-ratelimit-remaining", "0"), 12 * time.Second, true},
		{"nothing remaining, as a fraction", h("x-ratelimit-reset", "12", "x-ratelimit-remaining", "0.0"), 12 * time.Second, true},
		{"less than nothing", h("x-ratelimit-reset", "12", "x-ratelimit-remaining", "-1"), 12 * time.Second, true},
		{"the exhausted one", h("x-ratelimit-reset-requests", "8s", "x-ratelimit-remaining-requests", "99",
			"x-ratelimit-reset-tokens", "2s", "x-ratelimit-remaining-tokens", "0"), 2 * time.Second, true},
		{"the longest of two", h("x-ratelimit-reset-requests", "8s", "x-ratelimit-remaining-requests", "0",
			"x-ratelimit-reset-tokens", "2s", "x-ratelimit-remaining-tokens", "0"), 8 * time.Second, true},
		{"remaining of another limit", h("x-ratelimit-reset-requests", "8s", "x-ratelimit-remaining", "99"), 8 * time.Second, true},
		{"one is garbage", h("x-ratelimit-reset-requests", "8s", "x-ratelimit-reset-tokens", "soon"), 8 * time.Second, true},

		{"negative", h("x-ratelimit-reset", "-1"), 0, false},
		{"negative duration", h("x-ratelimit-reset", "-1m"), 0, false},
		{"no unit", h("x-ratelimit-reset", "1m30"), 0, false},
		{"no number", h("x-ratelimit-reset", "s"), 0, false},
		{"unknown unit", h("x-ratelimit-reset", "3w"), 0, false},
		{"another header", h("x-ratelimit-resetting", "3", "x-ratelimit", "4"), 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, ok := parseRetryAfter(tt.h, 429, rafNow)
			require.Equal(t, tt.ok, ok)
			require.Equal(t, tt.want, d)

			_, ok = parseRetryAfter(tt.h, 503, rafNow)
			require.False(t, ok, "these headers are sent with every response")
		})
	}
}

type demandingError struct{ d time.Duration }

func (e demandingError) Error() string             { return "later" }
func (e demandingError) RetryAfter() time.Duration { return e.d }

// Semantics C3: what is known without a Transport.
func TestRetryAfterOf(t *testing.T) {
	seven := http.Header{"Retry-After": {"7"}}
	tests := []struct {
		name string
		err  error
		want time.Duration
	}{
		{"nothing", errors.New("x"), 0},
		{"annotated", &ProviderError{RetryAfter: time.Minute, Err: demandingError{1}}, time.Minute},
		{"annotated without", &ProviderError{Err: demandingError{time.Second}}, time.Second},
		{"method", fmt.Errorf("x: %w", demandingError{time.Second}), time.Second},
		{"negative method", demandingError{-1}, 0},
		{"googleapi", &apiError{httpErr: &googleError{Code: 429}, err: &googleError{Code: 429, Header: seven}}, 7 * time.Second},
		{"googleapi limits", &googleError{Code: 429, Header: http.Header{"X-Ratelimit-Reset": {"9"}}}, 9 * time.Second},
		{"googleapi limits, no 429", &googleError{Code: 500, Header: http.Header{"X-Ratelimit-Reset": {"9"}}}, 0},
		{"aws", bedrockError(503, "ServiceUnavailableException", "x"), 7 * time.Second},
		{"response field", &tokenError{&http.Response{StatusCode: 503, Header: seven}}, 7 * time.Second},
		{"RetryInfo", &googleError{Code: 429, Details: []any{"x", nil, map[string]any{"@type": "type.googleapis.com/google.rpc.ErrorInfo"},
			map[string]any{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "33.5s"}}}, 33500 * time.Millisecond},
		{"RetryInfo garbage", &googleError{Code: 429, Details: []any{map[string]any{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": 33}}}, 0},
		{"RetryInfo over gRPC", &apiError{err: errors.New("rpc error: code = ResourceExhausted desc = x"),
			details: "error details: name = QuotaFailure subj = x desc = error details: retry in 1s\nerror details: retry in 1m3s\n"}, 63 * time.Second},
		{"gemini's message", errors.New("API returned unexpected status code: 429: quota\n\nPlease retry in 38.5s."), 38500 * time.Millisecond},
		{"openai's message is no such line", errors.New("API returned unexpected status code: 429: Rate limit reached. Please retry in 3s."), 0},
		{"through a carrier", &AttemptsError{Err: &ProviderError{RetryAfter: 3}}, 3},
		{"in a join", errors.Join(errors.New("x"), &ProviderError{RetryAfter: 3}), 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, ok := retryAfterOf(tt.err)
			require.Equal(t, tt.want, d)
			require.Equal(t, tt.want > 0, ok)
		})
	}
}

// Semantics C3: never negative, never a panic, and 0 when nothing is known.
func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{
		"9223372036854775807", "-5", "1.5", "+3", " 2 ", "soon", "Wednesday, 21-Oct-15 07:28:00 GMT", "Wed, 21 Oct 2015 07:28:00 GMT",
		"1m30s", "6ms", "1754667660000", "1d", "99999999999999999999h", "0.000000000000001", "1µs", ".", "1..1s",
	} {
		f.Add(s, s, s, "0", 429)
		f.Add("", "", s, "", 429)
		f.Add(s, "", "", "1", 503)
	}
	f.Fuzz(func(t *testing.T, after, ms, reset, remaining string, status int) {
		h := http.Header{
			"Retry-After": {after}, "Retry-After-Ms": {ms}, "X-Ratelimit-Reset": {reset},
			"X-Ratelimit-Remaining": {remaining}, "X-Ratelimit-Reset-Tokens": {after},
		}
		d, ok := parseRetryAfter(h, status, rafNow)
		if d < 0 || !ok && d != 0 {
			t.Errorf("parseRetryAfter = %v, %v", d, ok)
		}
		if std, err := time.ParseDuration(reset); err == nil && std > 0 && !strings.ContainsAny(reset, "+-") && reset[0] != '.' {
			if got, ok := parseSpan(reset); ok && got.Round(time.Microsecond) != std.Round(time.Microsecond) {
				t.Errorf("parseSpan(%q) = %v, the time package says %v", reset, got, std)
			}
		}
		d, ok = retryAfterOf(&googleError{Code: status, Header: h})
		if d < 0 || !ok && d != 0 {
			t.Errorf("retryAfterOf = %v, %v", d, ok)
		}
	})
}
