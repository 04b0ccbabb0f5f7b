// Package report makes of the records of a run what can be compared.
package report

import (
	"cmp"
	"slices"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/cases"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/journal"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/price"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/stats"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/strategy"
)

// Result is what came out, the best strategy first: the one with the most valid answers, and of equals the cheapest.
type Result struct {
	Provider string           `json:"provider"`
	Inputs   string           `json:"inputs"` // hash
	Cases    int              `json:"cases"`
	Complete bool             `json:"complete"` // every case has a record under every strategy
	Priced   bool             `json:"priced"`
	Rows     []Row            `json:"strategies"`
	Pairs    []Pair           `json:"pairs"`
	Records  []journal.Record `json:"records"` // in the order of the cases, then of the strategies
}

// Row is one strategy.
type Row struct {
	Name       string  `json:"name"`
	Attempts   int     `json:"attempts"` // at most
	Cases      int     `json:"cases"`    // with a record
	Valid1     Share   `json:"valid_at_1"`
	ValidK     Share   `json:"valid_at_k"`
	Right      *Share  `json:"right,omitempty"` // of the cases with an expected value; nil = there are none
	Calls      int     `json:"calls"`           // requests, those that a provider failed included
	In         int     `json:"tokens_in"`
	Out        int     `json:"tokens_out"`
	Unreported int     `json:"unreported"` // attempts with an answer and no usage
	Cost       float64 `json:"cost"`
	P50        float64 `json:"p50_ms"` // of a case, all its attempts together
	P95        float64 `json:"p95_ms"`
	Refused    []Count `json:"refused"` // answers, by what was wrong with them
	Lost       []Count `json:"lost"`    // cases, by what was wrong with the last answer
	ByAttempts []Point `json:"by_attempts"`
	ByTokens   []Point `json:"by_tokens"`
}

// Share is a share of cases with its 95 % interval.
type Share struct {
	Count    int            `json:"count"`
	Of       int            `json:"of"`
	Share    float64        `json:"share"`
	Interval stats.Interval `json:"interval"`
}

// NewShare returns the share of k in n.
func NewShare(k, n int) Share {
	s := Share{Count: k, Of: n, Interval: stats.Wilson(k, n)}
	if n > 0 {
		s.Share = float64(k) / float64(n)
	}
	return s
}

// Count counts failures of one class.
type Count struct {
	Class string `json:"class"`
	N     int    `json:"n"`
}

// Point is a point of a curve: so many cases were valid within X attempts, or X tokens each.
type Point struct {
	X     int     `json:"x"`
	Valid int     `json:"valid"`
	Share float64 `json:"share"`
}

// Prices are those of the two models.
type Prices struct{ Main, Bigger price.Price }

// Of returns what an attempt cost.
func (p Prices) Of(a *journal.Attempt) float64 {
	if a.Bigger {
		return p.Bigger.Of(a.In.N, a.Out.N)
	}
	return p.Main.Of(a.In.N, a.Out.N)
}

// Free reports that no price was given.
func (p Prices) Free() bool { return p.Main.Free() && p.Bigger.Free() }

// New makes a result of what the journal has.
func New(all []cases.Case, set *strategy.Set, j *journal.Journal, prices Prices) *Result {
	r := &Result{Cases: len(all), Priced: !prices.Free()}
	byStrategy := make([][]journal.Record, len(set.Strategies))
	for i := range all {
		for k := range set.Strategies {
			if record, ok := j.Done(journal.Key{Case: all[i].ID, Strategy: set.Strategies[k].Name}); ok {
				r.Records = append(r.Records, record)
				byStrategy[k] = append(byStrategy[k], record)
			}
		}
	}
	r.Complete = len(r.Records) == len(all)*len(set.Strategies)
	most, dearest := 1, 0
	for k := range set.Strategies {
		most = max(most, set.Strategies[k].Attempts)
	}
	for i := range r.Records {
		dearest = max(dearest, r.Records[i].Tokens())
	}
	for k := range set.Strategies {
		r.Rows = append(r.Rows, newRow(&set.Strategies[k], byStrategy[k], most, dearest, prices))
	}
	slices.SortStableFunc(r.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.ValidK.Share, a.ValidK.Share), cmp.Compare(a.Cost, b.Cost), cmp.Compare(a.In+a.Out, b.In+b.Out))
	})
	r.Pairs = pairs(r)
	return r
}

func newRow(s *strategy.Strategy, records []journal.Record, most, dearest int, prices Prices) Row {
	row := Row{Name: s.Name, Attempts: s.Attempts, Cases: len(records)}
	refused, lost := make(map[string]int), make(map[string]int)
	var millis []float64
	first, valid, right, known := 0, 0, 0, 0
	for i := range records {
		record := &records[i]
		took := 0.0
		for k := range record.Attempts {
			a := &record.Attempts[k]
			row.Calls += a.Requests
			row.In += a.In.N
			row.Out += a.Out.N
			row.Cost += prices.Of(a)
			took += a.Millis
			if a.Class != "" {
				refused[a.Class]++
			}
			if a.Output != "" && !(a.In.Known && a.Out.Known) {
				row.Unreported++
			}
		}
		millis = append(millis, took)
		if record.Matches != nil {
			known++
			if *record.Matches {
				right++
			}
		} else if !record.Valid {
			known++ // no valid answer is not the right one either
		}
		switch {
		case !record.Valid:
			lost[record.Class()]++
			continue
		case len(record.Attempts) == 1:
			first++
		}
		valid++
	}
	row.Valid1, row.ValidK = NewShare(first, len(records)), NewShare(valid, len(records))
	if slices.ContainsFunc(records, func(r journal.Record) bool { return r.Matches != nil }) {
		share := NewShare(right, known)
		row.Right = &share
	}
	row.P50, row.P95 = stats.Quantile(millis, 0.5), stats.Quantile(millis, 0.95)
	row.Refused, row.Lost = counts(refused), counts(lost)
	row.ByAttempts, row.ByTokens = byAttempts(records, most), byTokens(records, dearest)
	return row
}

// counts lists the classes, the most frequent first.
func counts(by map[string]int) []Count {
	list := make([]Count, 0, len(by))
	for class, n := range by {
		list = append(list, Count{class, n})
	}
	slices.SortFunc(list, func(a, b Count) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Class, b.Class)) })
	return list
}
