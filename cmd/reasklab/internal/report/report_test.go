package report

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/cases"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/journal"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/price"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/strategy"
	"github.com/llmretry/langchaingo-llmretry/internal/golden"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

const file = `
attempts: 3
correction: "No."
strategies:
  - {name: none}
  - {name: reask, on_refusal: reask, schedule: [{}, {bigger: true}]}
`

func known(n int) llmretry.Count { return llmretry.Count{N: n, Known: true} }

// result is that of twenty cases: none gets the first twelve, reask four more with two attempts and two with three.
func result(t *testing.T) (*Result, []cases.Case, *strategy.Set) {
	t.Helper()
	set, err := strategy.Read([]byte(file), 0)
	require.NoError(t, err)
	var lines strings.Builder
	for i := range 20 {
		fmt.Fprintf(&lines, `{"id":"c%02d","prompt":"Number %d?","expected":%d}`+"\n", i, i, i)
	}
	all, err := cases.Read(strings.NewReader(lines.String()), []byte(`{"type":"integer"}`))
	require.NoError(t, err)
	j := journal.Memory()
	for i := range all {
		require.NoError(t, j.Append(record(all[i].ID, "none", 1, i < 12, true)))
		switch {
		case i < 12:
			require.NoError(t, j.Append(record(all[i].ID, "reask", 1, true, i > 0)))
		case i < 16:
			require.NoError(t, j.Append(record(all[i].ID, "reask", 2, true, true)))
		default:
			require.NoError(t, j.Append(record(all[i].ID, "reask", 3, i < 18, true)))
		}
	}
	r := New(all, set, j, Prices{Main: price.Price{In: 1, Out: 2}, Bigger: price.Price{In: 10, Out: 20}})
	return r, all, set
}

// record is a case with so many attempts of 100 tokens and 50 ms, the third the bigger model's.
func record(id, name string, attempts int, valid, matches bool) journal.Record {
	r := journal.Record{Case: id, Strategy: name, Valid: valid}
	for i := range attempts {
		a := journal.Attempt{In: known(80), Out: known(20), Requests: 1, Millis: 50, Output: "x", Bigger: i == 2, Class: "syntax", Error: "no JSON"}
		if i > 0 {
			a.Reason, a.Class = llmretry.ReasonReask, "type"
			a.Issues = llmretry.Issues{{Code: "type", Want: "integer", Got: `"x"`}}
			a.Appended = []journal.Message{{Role: "ai", Text: "x"}, {Role: "human", Text: "No."}}
		}
		r.Attempts = append(r.Attempts, a)
	}
	if valid {
		last := &r.Attempts[attempts-1]
		last.Class, last.Error, last.Issues, last.Output = "", "", nil, id[1:]
		r.Value, r.Matches = []byte(id[1:]), &matches
	} else {
		r.Error = "failed"
	}
	return r
}

func TestResult(t *testing.T) {
	r, _, _ := result(t)
	assert.True(t, r.Complete && r.Priced)
	require.Len(t, r.Rows, 2)
	best, none := r.Rows[0], r.Rows[1]
	assert.Equal(t, "reask", best.Name)
	assert.Equal(t, NewShare(18, 20), best.ValidK)
	assert.Equal(t, NewShare(12, 20), best.Valid1)
	assert.Equal(t, NewShare(12, 20), none.ValidK)
	assert.Equal(t, NewShare(17, 20), *best.Right, "one is valid and wrong, two are not valid")
	assert.Equal(t, "6 of 8", best.Healed())
	assert.Equal(t, 12+2*4+3*4, best.Calls)
	assert.Equal(t, 32*80, best.In)
	assert.InDelta(t, 28*(80+40)/1e6+4*(800+400)/1e6, best.Cost, 1e-12)
	assert.Equal(t, 50.0, best.P50)
	assert.Equal(t, 150.0, best.P95)
	assert.Equal(t, []Count{{"syntax", 8}, {"type", 6}}, best.Refused)
	assert.Equal(t, []Count{{"type", 2}}, best.Lost)
	assert.Equal(t, []Point{{1, 12, 0.6}, {2, 16, 0.8}, {3, 18, 0.9}}, best.ByAttempts)
	assert.Equal(t, []Point{{1, 12, 0.6}, {2, 12, 0.6}, {3, 12, 0.6}}, none.ByAttempts)
	require.Len(t, best.ByTokens, steps+1)
	assert.Equal(t, Point{0, 0, 0}, best.ByTokens[0])
	assert.Equal(t, Point{300, 18, 0.9}, best.ByTokens[steps])
	require.Len(t, r.Pairs, 1)
	assert.InDelta(t, 0.03125, r.Pairs[0].Adjusted, 1e-12)
	r.Pairs[0].P, r.Pairs[0].Adjusted = 0, 0
	assert.Equal(t, Pair{A: "reask", B: "none", Cases: 20, OnlyA: 6}, r.Pairs[0])
	assert.Equal(t, []string{"syntax", "type"}, r.Classes())
}

func TestTable(t *testing.T) {
	r, _, _ := result(t)
	var b strings.Builder
	require.NoError(t, r.Table(&b))
	golden.Check(t, "table.golden", b.String())
}

// A run that was cut short: what both strategies have is compared.
func TestIncomplete(t *testing.T) {
	_, all, set := result(t)
	j := journal.Memory()
	require.NoError(t, j.Append(record("c00", "none", 1, false, true)))
	require.NoError(t, j.Append(record("c00", "reask", 2, true, true)))
	require.NoError(t, j.Append(record("c01", "none", 1, true, true)))
	r := New(all, set, j, Prices{})
	assert.False(t, r.Complete || r.Priced)
	assert.Equal(t, 1, r.Pairs[0].Cases)
	assert.Equal(t, "-", r.Money(1))
	empty := New(all, set, journal.Memory(), Prices{})
	require.NoError(t, empty.Table(new(strings.Builder)))
	assert.Empty(t, empty.Worst(3))
}

func TestWorst(t *testing.T) {
	r, _, _ := result(t)
	assert.Equal(t, []string{"c18", "c19", "c16", "c17", "c12"}, r.Worst(5))
	assert.Len(t, r.Worst(100), 8, "those that were valid at once are none")
	of := r.Of("c18")
	require.Len(t, of, 2)
	assert.Equal(t, "reask", of[0].Strategy)
}

// Replay makes the report of a record again.
func TestReplay(t *testing.T) {
	r, all, set := result(t)
	records := r.Of("c17")
	report := Replay(&all[17], set, &records[0])
	require.NoError(t, report.Err)
	require.Len(t, report.Attempts, 3)
	assert.Len(t, report.Attempts[0].Messages, 1)
	assert.Len(t, report.Attempts[1].Messages, 3)
	assert.Equal(t, llmretry.CategoryStructuredOutputInvalid, report.Attempts[1].Category)
	assert.Equal(t, "bigger", report.Attempts[2].Model)
	assert.Equal(t, llmretry.ErrorCategory(""), report.Attempts[2].Category)
	usage, complete := report.Usage()
	assert.True(t, complete)
	assert.Equal(t, 300, usage.Total.N)
	assert.Len(t, all[17].Messages, 1, "the case is left as it is")

	lost := r.Of("c19")
	report = Replay(&all[19], set, &lost[0])
	require.EqualError(t, report.Err, "failed")
	var refusal *llmretry.StructuredOutputError
	require.True(t, errors.As(report.Attempts[2].Err, &refusal))
	assert.Equal(t, "x", refusal.OutputContent)
}
