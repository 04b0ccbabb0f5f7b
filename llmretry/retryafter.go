package llmretry

import (
	"net/http"
	"strings"
	"time"
)

// parseRetryAfter returns how long the server of a failed exchange wants to be left alone. Garbage and negative values
// are not known, so that the backoff curve stands alone; a date in the past is a known 0. The result is never
// negative. (Semantics C3.)
func parseRetryAfter(h http.Header, status int, now time.Time) (time.Duration, bool) {
	// Milliseconds first: a server that sends both rounds the seconds.
	for _, v := range h["Retry-After-Ms"] {
		if n, ok := parseNumber(strings.TrimSpace(v)); ok {
			return n.of(time.Millisecond), true
		}
	}
	for _, v := range h["Retry-After"] {
		if d, ok := parseSecondsOrDate(strings.TrimSpace(v), now); ok {
			return d, true
		}
	}
	if status != http.StatusTooManyRequests {
		// Servers send the x-ratelimit headers with every response; only a 429 is about them.
		return 0, false
	}
	return parseRateLimits(h, now)
}

// parseSecondsOrDate reads a Retry-After value. Fractions are no HTTP but plain in their meaning; a sign is refused in
// both directions.
func parseSecondsOrDate(s string, now time.Time) (time.Duration, bool) {
	if n, ok := parseNumber(s); ok {
		return n.of(time.Second), true
	}
	if s == "" || s[0] == '-' || s[0] == '+' {
		return 0, false
	}
	if at, err := http.ParseTime(s); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}

const (
	resetHeader     = "X-Ratelimit-Reset"     // and X-Ratelimit-Reset-Requests, -Tokens ...
	remainingHeader = "X-Ratelimit-Remaining" // with the same endings
)

// parseRateLimits returns when the last of the exhausted limits is reset. A limit with something remaining is not the
// one that refused the request.
func parseRateLimits(h http.Header, now time.Time) (longest time.Duration, known bool) {
	for name, values := range h {
		if len(name) < len(resetHeader) || !strings.EqualFold(name[:len(resetHeader)], resetHeader) || len(values) == 0 {
			continue
		}
		limit := name[len(resetHeader):]
		if limit != "" && limit[0] != '-' || !exhausted(h, limit) {
			continue
		}
		if d, ok := parseReset(strings.TrimSpace(values[0]), now); ok {
			longest, known = max(longest, d), true
		}
	}
	return longest, known
}

// exhausted reports whether nothing is known to remain of a limit.
func exhausted(h http.Header, limit string) bool {
	n, ok := parseNumber(strings.TrimSpace(h.Get(remainingHeader + limit)))
	return !ok || n.of(time.Second) == 0
}

// Below these a bare number counts seconds from now; from them on it is a point in time. As seconds from now the first
// would be 31 years, as seconds since 1970 the second the year 5138.
const (
	epochSeconds = 1e9
	epochMillis  = 1e11
)

// parseReset reads an x-ratelimit-reset value: seconds, a duration like 1m30s, or a time in seconds or milliseconds
// since 1970. Nothing in the headers tells which; the size does.
func parseReset(s string, now time.Time) (time.Duration, bool) {
	n, ok := parseNumber(s)
	switch {
	case !ok:
		return parseSpan(s)
	case n.whole >= epochMillis:
		return max(time.UnixMilli(n.whole).Sub(now), 0), true
	case n.whole >= epochSeconds:
		return max(time.Unix(n.whole, 0).Sub(now), 0), true
	}
	return n.of(time.Second), true
}

// retryAfterOf returns what the server asked for as far as err itself tells, without a Transport: a *ProviderError, an
// error with a RetryAfter method, one that carries the response or its header (googleapi.Error, the AWS SDK's), or
// google's RetryInfo. The outermost that knows decides. (Semantics C3.)
func retryAfterOf(err error) (d time.Duration, known bool) {
	defer func() { _ = recover() }() // a foreign method or a hostile shape; what was found until then stands
	walk(err, maxNodes, func(err, _ error, leaf bool) step {
		if d, known = retryAfterAt(err, leaf); known {
			return stop
		}
		return descend
	})
	return d, known
}

func retryAfterAt(err error, leaf bool) (time.Duration, bool) {
	switch e := err.(type) {
	case *ProviderError:
		return e.RetryAfter, e.RetryAfter > 0
	case interface{ RetryAfter() time.Duration }:
		if d := e.RetryAfter(); d > 0 {
			return d, true
		}
	case interface{ HTTPCode() int }: // gax's apierror prints the RetryInfo it found
		if d, ok := spanOnLine(err.Error(), "error details: retry in "); ok {
			return d, true
		}
	}
	s, v := shapeOf(err)
	if h := s.headerOf(v); h != nil {
		if d, ok := parseRetryAfter(h, nodeStatus(err), time.Now()); ok {
			return d, true
		}
	}
	if d, ok := retryInfo(s.detailsOf(v)); ok {
		return d, true
	}
	if leaf { // gemini's own message, the only trace of its RetryInfo behind an OpenAI-compatible endpoint
		return spanOnLine(err.Error(), "Please retry in ")
	}
	return 0, false
}

// spanOnLine reads the duration after the label on the line of text that begins with it.
func spanOnLine(text, label string) (time.Duration, bool) {
	for text != "" {
		at := strings.Index(text, label)
		if at < 0 {
			return 0, false
		}
		rest := text[at+len(label):]
		if at == 0 || text[at-1] == '\n' {
			line, _, _ := strings.Cut(rest, "\n")
			return parseSpan(strings.TrimSuffix(strings.TrimSpace(line), "."))
		}
		text = rest
	}
	return 0, false
}

// retryInfo reads a google.rpc.RetryInfo among the decoded details of a googleapi.Error.
func retryInfo(details []any) (time.Duration, bool) {
	for _, detail := range details {
		fields, _ := detail.(map[string]any)
		if fields["@type"] != "type.googleapis.com/google.rpc.RetryInfo" {
			continue
		}
		if delay, ok := fields["retryDelay"].(string); ok {
			return parseSpan(delay)
		}
	}
	return 0, false
}
