package main

import (
	"fmt"
	"io"
	"math"
)

// target is one promise about cost. Times are this machine's; bytes, allocations and ratios are what to hold on to.
type target struct {
	name string
	seen func(rs *results) (seen string, met bool)
}

var targets = []target{
	{"untyped, no options: at most 60 ns and 0 allocations over the bare call", overBare("options=0", 60)},
	{"five prebuilt options: at most 100 ns, 0 allocations over bare", overBare("options=5", 100)},
	{"parent deadline, hook, classifier and builder set: the same", overBare("deadline+policies", 100)},
	{"all of these together: the same", overBare("options=5+deadline+policies", 100)},
	{"any observer: at most 1 allocation more", observers},
	{"a value by schema: at least 12x faster than fantasy", faster("fantasy", 12)},
	{"a value by schema: at least 60x faster than genkit", faster("genkit", 60)},
	{"a value by schema: at most 1.05x the time by hand", faster("by-hand", 1/1.05)},
	{"first reask: at most 700 ns, 8 allocations, 1200 B plus text", reask(0, 1, 700, 8, 1200)},
	{"each further reask: at most 400 ns, 5 allocations, 500 B plus text", reask(1, 4, 400, 5, 500)},
	{"a transient failure classified by its text: under 1 µs", classified},
	{"bytes of a reask: the same for 1 KB, 100 KB and 5 MB", sameBytes},
	{"bytes of reasks: linear, 16 cost at most 1.5x what 16 times the first costs", linear},
	{"2 processors: at least 1.9x", speedUp},
	{"10 000 in flight: at most 128 B of heap per call over bare", inFlightHeap("llmretry")},
	{"the same, 10 000 first calls of a decorator", inFlightHeap("llmretry-first-calls")},
	{"10 000 in flight: no further goroutine", inFlightGoroutines},
}

func writeTargets(w io.Writer, rs *results) {
	fmt.Fprint(w, "### Targets\n\n")
	t := newTable("target", "seen", "")
	for _, target := range targets {
		seen, met := target.seen(rs)
		verdict := "**not met**"
		if met {
			verdict = "met"
		}
		t.row(target.name, seen, verdict)
	}
	t.write(w)
}

// over is what row k adds to row base: ns, B and allocations. A row that was not measured makes them NaN, which meets
// no target.
func (rs *results) over(k, base key) (ns, bytes, allocs float64) {
	diff := func(unit string) float64 {
		a, ok1 := rs.median(k, unit)
		b, ok2 := rs.median(base, unit)
		if !ok1 || !ok2 {
			return math.NaN()
		}
		return a - b
	}
	return diff("ns/op"), diff("B/op"), diff("allocs/op")
}

func overBare(group string, limit float64) func(*results) (string, bool) {
	return func(rs *results) (string, bool) {
		ns, _, allocs := rs.over(key{"Clean", group, "llmretry", "2"}, key{"Clean", group, "bare", "2"})
		return fmt.Sprintf("%.0f ns, %.0f allocs", ns, allocs), ns <= limit && allocs <= 0
	}
}

func observers(rs *results) (string, bool) {
	_, _, done := rs.over(key{"Clean", "observer", "llmretry-Done", "2"}, key{"Clean", "observer", "bare", "2"})
	_, _, attempt := rs.over(key{"Clean", "observer", "llmretry-Attempt", "2"}, key{"Clean", "observer", "bare", "2"})
	return fmt.Sprintf("%.0f (Done), %.0f (Attempt and Done)", done, attempt), done <= 1 && attempt <= 1
}

func faster(peer string, atLeast float64) func(*results) (string, bool) {
	return func(rs *results) (string, bool) {
		own, ok1 := rs.median(key{"Typed", "schema", "llmretry", "2"}, "ns/op")
		its, ok2 := rs.median(key{"Typed", "schema", peer, "2"}, "ns/op")
		if !ok1 || !ok2 {
			return "not run", false
		}
		if atLeast < 1 {
			return fmt.Sprintf("%.2fx", own/its), its/own >= atLeast
		}
		return fmt.Sprintf("%.1fx", its/own), its/own >= atLeast
	}
}

// reask is the cost of one reask, between two numbers of them.
func reask(from, to int, ns, allocs, bytes float64) func(*results) (string, bool) {
	at := func(n int) key { return key{"Reask", fmt.Sprintf("reasks=%d", n), "llmretry", "2"} }
	return func(rs *results) (string, bool) {
		t, b, a := rs.over(at(to), at(from))
		n := float64(to - from)
		t, b, a = t/n, b/n, a/n
		return fmt.Sprintf("%.0f ns, %.1f allocs, %.0f B", t, a, b), t <= ns && a <= allocs && b <= bytes
	}
}

func classified(rs *results) (string, bool) {
	ns, ok := rs.median(key{"Classify", "503", "text", "2"}, "ns/op")
	return duration(ns), ok && ns < 1000
}

func sameBytes(rs *results) (string, bool) {
	met, widest := true, 0.0
	for _, n := range reaskCounts {
		small, ok := rs.median(transcriptKey("1KB", n, "llmretry"), "B/op")
		for _, size := range []string{"100KB", "5MB"} {
			large, found := rs.median(transcriptKey(size, n, "llmretry"), "B/op")
			met = met && ok && found && large == small
			widest = max(widest, math.Abs(large-small))
		}
	}
	return fmt.Sprintf("largest difference %.0f B", widest), met
}

func linear(rs *results) (string, bool) {
	one, ok1 := rs.median(transcriptKey("1KB", 1, "llmretry"), "B/op")
	all, ok2 := rs.median(transcriptKey("1KB", 16, "llmretry"), "B/op")
	ratio := all / (16 * one)
	return fmt.Sprintf("%.2fx", ratio), ok1 && ok2 && ratio <= 1.5
}

func speedUp(rs *results) (string, bool) {
	ratio := func(subject string) float64 {
		one, _ := rs.median(key{"Parallel", "untyped", subject, "1"}, "ns/op")
		two, _ := rs.median(key{"Parallel", "untyped", subject, "2"}, "ns/op")
		return one / two
	}
	own := ratio("llmretry")
	return fmt.Sprintf("%.2fx (bare: %.2fx)", own, ratio("bare")), own >= 1.9
}

func inFlight(rs *results, subject, unit string) (float64, bool) {
	own, ok1 := rs.median(key{"InFlight", "calls=10000", subject, "2"}, unit)
	bare, ok2 := rs.median(key{"InFlight", "calls=10000", "bare", "2"}, unit)
	return own - bare, ok1 && ok2
}

func inFlightHeap(subject string) func(*results) (string, bool) {
	return func(rs *results) (string, bool) {
		more, ok := inFlight(rs, subject, "heap-B/call")
		return fmt.Sprintf("%.0f B", more), ok && more <= 128
	}
}

func inFlightGoroutines(rs *results) (string, bool) {
	more, ok := inFlight(rs, "llmretry", "goroutines/call")
	return fmt.Sprintf("%.2f", more), ok && more < 0.01
}
