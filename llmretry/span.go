package llmretry

import (
	"math"
	"strings"
	"time"
)

// forever stands for a demand too large for a Duration: it is longer than any limit.
const forever time.Duration = math.MaxInt64

// number is an unsigned decimal: 12, 0.25.
type number struct {
	whole    int64  // MaxInt64 when it is larger
	fraction string // digits
}

// parseNumber reads all of s: no sign, no exponent, digits on both sides of a point.
func parseNumber(s string) (n number, ok bool) {
	whole, fraction, point := strings.Cut(s, ".")
	if whole == "" || !digits(whole) || point && fraction == "" || !digits(fraction) {
		return number{}, false
	}
	for i := range len(whole) {
		d := int64(whole[i] - '0')
		if n.whole > (math.MaxInt64-d)/10 {
			n.whole = math.MaxInt64
			break
		}
		n.whole = n.whole*10 + d
	}
	n.fraction = fraction
	return n, true
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// of returns n units, at most forever.
func (n number) of(unit time.Duration) time.Duration {
	if n.whole > int64(forever/unit) {
		return forever
	}
	d := time.Duration(n.whole) * unit
	for i := 0; i < len(n.fraction) && unit >= 10; i++ {
		unit /= 10
		d = addSpan(d, time.Duration(n.fraction[i]-'0')*unit)
	}
	return d
}

func addSpan(a, b time.Duration) time.Duration {
	if a > forever-b {
		return forever
	}
	return a + b
}

// parseSpan reads a duration in Go's notation, as rate limit headers use it: 1m30s, 6ms, 2m59.56s. It differs from
// time.ParseDuration in that it takes days, no sign, and a span that is too long for what it is.
func parseSpan(s string) (total time.Duration, ok bool) {
	for s != "" {
		i := strings.IndexFunc(s, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
		if i <= 0 {
			return 0, false
		}
		n, numeric := parseNumber(s[:i])
		unit, rest := cutUnit(s[i:])
		if !numeric || unit == 0 {
			return 0, false
		}
		total, ok, s = addSpan(total, n.of(unit)), true, rest
	}
	return total, ok
}

// cutUnit reads the unit s begins with; 0 = none. The two-letter ones come first: "ms" is not a minute.
func cutUnit(s string) (time.Duration, string) {
	for _, u := range [...]struct {
		name string
		unit time.Duration
	}{
		{"ms", time.Millisecond}, {"us", time.Microsecond}, {"µs", time.Microsecond}, {"ns", time.Nanosecond},
		{"s", time.Second}, {"m", time.Minute}, {"h", time.Hour}, {"d", 24 * time.Hour},
	} {
		if rest, ok := strings.CutPrefix(s, u.name); ok {
			return u.unit, rest
		}
	}
	return 0, s
}
