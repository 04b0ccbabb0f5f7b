package report

import (
	"cmp"
	"slices"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/journal"
)

// Worst returns the ids of the cases that fared worst, at most n: those that the most strategies lost, and of equals those
// that took the most tokens. Cases that every strategy got valid at the first attempt are none.
func (r *Result) Worst(n int) []string {
	type fate struct {
		id             string
		lost, attempts int
		tokens         int
	}
	var fates []fate
	at := make(map[string]int)
	for i := range r.Records {
		record := &r.Records[i]
		k, known := at[record.Case]
		if !known {
			k = len(fates)
			at[record.Case] = k
			fates = append(fates, fate{id: record.Case})
		}
		if !record.Valid {
			fates[k].lost++
		}
		fates[k].attempts = max(fates[k].attempts, len(record.Attempts))
		fates[k].tokens += record.Tokens()
	}
	fates = slices.DeleteFunc(fates, func(f fate) bool { return f.lost == 0 && f.attempts <= 1 })
	slices.SortStableFunc(fates, func(a, b fate) int { return cmp.Or(cmp.Compare(b.lost, a.lost), cmp.Compare(b.tokens, a.tokens)) })
	var ids []string
	for _, f := range fates[:min(n, len(fates))] {
		ids = append(ids, f.id)
	}
	return ids
}

// Of returns the records of a case, in the order of the rows.
func (r *Result) Of(id string) []journal.Record {
	var records []journal.Record
	for _, row := range r.Rows {
		i := slices.IndexFunc(r.Records, func(record journal.Record) bool { return record.Case == id && record.Strategy == row.Name })
		if i >= 0 {
			records = append(records, r.Records[i])
		}
	}
	return records
}
