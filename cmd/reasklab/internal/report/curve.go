package report

import "github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/journal"

// byAttempts is the share of cases that were valid within 1, 2, ... most attempts. A strategy with fewer attempts stays
// where it is after its last one.
func byAttempts(records []journal.Record, most int) []Point {
	points := make([]Point, most)
	for x := range points {
		points[x] = point(x+1, records, func(r *journal.Record) bool { return len(r.Attempts) <= x+1 })
	}
	return points
}

// steps is how many points a curve over tokens has.
const steps = 40

// byTokens is the share of cases that were valid for so many tokens each: what a budget per case would have let
// through. All strategies have the same points, up to the dearest case of any.
func byTokens(records []journal.Record, dearest int) []Point {
	points := make([]Point, 0, steps+1)
	for i := range steps + 1 {
		x := dearest * i / steps
		points = append(points, point(x, records, func(r *journal.Record) bool { return r.Tokens() <= x }))
	}
	return points
}

func point(x int, records []journal.Record, within func(*journal.Record) bool) Point {
	p := Point{X: x}
	for i := range records {
		if records[i].Valid && within(&records[i]) {
			p.Valid++
		}
	}
	if len(records) > 0 {
		p.Share = float64(p.Valid) / float64(len(records))
	}
	return p
}
