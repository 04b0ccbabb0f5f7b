// Package suggest picks the cheapest schedule that was good enough, and writes it as Go.
package suggest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/journal"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/report"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/strategy"
)

// Candidate is a strategy with at most so many attempts. A strategy that was run with four attempts has been run with
// one, two and three as well: the attempts that would not have come are left out.
type Candidate struct {
	Strategy *strategy.Strategy
	Attempts int
	Valid    report.Share
	Tokens   float64 // of a case, on average
	Cost     float64
	Calls    float64
}

// Candidates lists all of them, the cheapest first: by cost, or by tokens when no prices are known. An escalation to a
// bigger model then looks as cheap as its tokens.
func Candidates(set *strategy.Set, records []journal.Record, prices report.Prices) []Candidate {
	var list []Candidate
	for i := range set.Strategies {
		s := &set.Strategies[i]
		for attempts := 1; attempts <= s.Attempts; attempts++ {
			list = append(list, measure(s, attempts, records, prices))
		}
	}
	slices.SortStableFunc(list, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(a.Cost, b.Cost), cmp.Compare(a.Tokens, b.Tokens), cmp.Compare(a.Attempts, b.Attempts))
	})
	return list
}

func measure(s *strategy.Strategy, attempts int, records []journal.Record, prices report.Prices) Candidate {
	c := Candidate{Strategy: s, Attempts: attempts}
	n, valid := 0, 0
	for i := range records {
		r := &records[i]
		if r.Strategy != s.Name {
			continue
		}
		n++
		if r.Valid && len(r.Attempts) <= attempts {
			valid++
		}
		for k := range r.Attempts[:min(attempts, len(r.Attempts))] {
			a := &r.Attempts[k]
			c.Tokens += float64(a.Tokens())
			c.Cost += prices.Of(a)
			c.Calls += float64(a.Requests)
		}
	}
	c.Valid = report.NewShare(valid, n)
	if n > 0 {
		c.Tokens, c.Cost, c.Calls = c.Tokens/float64(n), c.Cost/float64(n), c.Calls/float64(n)
	}
	return c
}

// Cheapest returns the first candidate that reached the wanted share, and whether there is one.
func Cheapest(list []Candidate, want float64) (Candidate, bool) {
	i := slices.IndexFunc(list, func(c Candidate) bool { return c.Valid.Of > 0 && c.Valid.Share >= want })
	if i < 0 {
		return Candidate{}, false
	}
	return list[i], true
}

// Best returns the candidate that came closest to any wish.
func Best(list []Candidate) Candidate {
	return slices.MaxFunc(list, func(a, b Candidate) int { return cmp.Compare(a.Valid.Share, b.Valid.Share) })
}

// String says what was measured.
func (c Candidate) String() string {
	return fmt.Sprintf("%s, at most %s: %s valid (95 %% interval %s, %d cases), %.0f tokens and %.2f calls a case",
		c.Strategy.Name, plural(c.Attempts, "attempt"), report.Percent(c.Valid.Share), c.Valid.Range(), c.Valid.Of, c.Tokens, c.Calls)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
