package report

import (
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/stats"
)

// Pair compares two strategies on the cases that both have a record of, by McNemar's exact test.
type Pair struct {
	A        string  `json:"a"` // the one ranked higher
	B        string  `json:"b"`
	Cases    int     `json:"cases"`
	OnlyA    int     `json:"only_a"` // cases that only A got valid
	OnlyB    int     `json:"only_b"`
	P        float64 `json:"p"`
	Adjusted float64 `json:"p_adjusted"` // for the number of pairs, by Holm's method
}

// pairs compares each strategy with each one ranked lower.
func pairs(r *Result) []Pair {
	valid := make(map[string]map[string]bool, len(r.Rows)) // by strategy and case
	for i := range r.Records {
		record := &r.Records[i]
		if valid[record.Strategy] == nil {
			valid[record.Strategy] = make(map[string]bool)
		}
		valid[record.Strategy][record.Case] = record.Valid
	}
	var list []Pair
	var ps []float64
	for i, a := range r.Rows {
		for _, b := range r.Rows[i+1:] {
			p := compare(a.Name, b.Name, valid[a.Name], valid[b.Name])
			list, ps = append(list, p), append(ps, p.P)
		}
	}
	for i, adjusted := range stats.Holm(ps) {
		list[i].Adjusted = adjusted
	}
	return list
}

func compare(nameA, nameB string, a, b map[string]bool) Pair {
	p := Pair{A: nameA, B: nameB}
	for id, validA := range a {
		validB, both := b[id]
		switch {
		case !both:
			continue
		case validA && !validB:
			p.OnlyA++
		case validB && !validA:
			p.OnlyB++
		}
		p.Cases++
	}
	p.P = stats.McNemar(p.OnlyA, p.OnlyB)
	return p
}
