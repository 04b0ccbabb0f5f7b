package suggest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/journal"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/price"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/report"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/strategy"
	"github.com/llmretry/langchaingo-llmretry/internal/golden"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

const file = `
temperature: 0
max_tokens: 300
attempts: 3
correction: "No: {{issues .}}\n"
strategies:
  - {name: none}
  - {name: replay, on_refusal: replay, schedule: [{temperature: 0.3}, {temperature: 0.7, max_tokens: 600}]}
  - {name: reask, on_refusal: reask, transcript: {fresh_after: 1}}
  - {name: "bigger\n*/ }", on_refusal: reask, correction: "a ` + "`" + ` in it", schedule: [{}, {bigger: true}, {bigger: true, temperature: 1}]}
`

func set(t *testing.T) *strategy.Set {
	t.Helper()
	s, err := strategy.Read([]byte(file), 0)
	require.NoError(t, err)
	return s
}

// record is a case that was valid at an attempt, 0 for never, with 100 tokens an attempt.
func record(id int, name string, validAt, attempts int) journal.Record {
	r := journal.Record{Case: fmt.Sprint(id), Strategy: name, Valid: validAt > 0}
	for i := range attempts {
		a := journal.Attempt{In: count(80), Out: count(20), Requests: 1, Class: "type", Bigger: i > 0 && name != "reask"}
		if i == validAt-1 {
			a.Class = ""
		}
		r.Attempts = append(r.Attempts, a)
	}
	return r
}

func count(n int) llmretry.Count { return llmretry.Count{N: n, Known: true} }

// ten cases: none gets five, reask eight with two attempts and nine with three, the bigger model ten with two.
func records() (all []journal.Record) {
	for id := range 10 {
		if id < 5 {
			for _, name := range []string{"none", "reask", "bigger\n*/ }"} {
				all = append(all, record(id, name, 1, 1))
			}
			continue
		}
		all = append(all, record(id, "none", 0, 1), record(id, "bigger\n*/ }", 2, 2))
		switch {
		case id < 8:
			all = append(all, record(id, "reask", 2, 2))
		case id < 9:
			all = append(all, record(id, "reask", 3, 3))
		default:
			all = append(all, record(id, "reask", 0, 3))
		}
	}
	return all
}

func TestCheapest(t *testing.T) {
	s := set(t)
	dear := report.Prices{Main: price.Price{In: 1, Out: 1}, Bigger: price.Price{In: 50, Out: 50}}
	for _, c := range []struct {
		want     float64
		prices   report.Prices
		name     string
		attempts int
		tokens   float64
	}{
		{0.5, dear, "none", 1, 100},
		{0.8, dear, "reask", 2, 150},
		{0.9, dear, "reask", 3, 170},
		{0.95, dear, "bigger\n*/ }", 2, 150},
		{0.9, report.Prices{}, "bigger\n*/ }", 2, 150}, // without prices its tokens are as good as any
	} {
		got, ok := Cheapest(Candidates(s, records(), c.prices), c.want)
		require.True(t, ok, "%v", c.want)
		assert.Equal(t, c.name, got.Strategy.Name, "%v", c.want)
		assert.Equal(t, c.attempts, got.Attempts, "%v", c.want)
		assert.InDelta(t, c.tokens, got.Tokens, 1e-9, "%v", c.want)
	}
	few := Candidates(s, records()[:3], dear)
	_, ok := Cheapest(few, 0.5)
	assert.True(t, ok)
	_, ok = Cheapest(Candidates(s, nil, dear), 0)
	assert.False(t, ok, "nothing is known")
	list := Candidates(s, records(), dear)
	assert.InDelta(t, 1, Best(list).Valid.Share, 0)
	require.NoError(t, s.Only("none"))
	_, ok = Cheapest(Candidates(s, records(), dear), 0.9)
	assert.False(t, ok)
}

// Every schedule that can be suggested compiles, is formatted, and vet has nothing to say.
func TestCodeCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: this compiles")
	}
	s := set(t)
	dir := t.TempDir()
	var all string
	var names []string
	for i := range s.Strategies {
		one := &s.Strategies[i]
		for attempts := 1; attempts <= one.Attempts; attempts++ {
			code, err := Code(Candidate{Strategy: one, Attempts: attempts, Valid: report.NewShare(9, 10), Tokens: 123, Calls: 1.5}, s)
			require.NoError(t, err)
			all += code + "\n"
			if attempts < one.Attempts && one.Name != "reask" || one.Name == "reask" && attempts != 2 {
				continue // one of each kind is enough to compile; all are in the golden file
			}
			name := filepath.Join(dir, fmt.Sprintf("healing_%d_%d.go", i, attempts))
			require.NoError(t, os.WriteFile(name, []byte(code), 0o600))
			names = append(names, name)
		}
	}
	golden.Check(t, "code.golden", all)
	for _, name := range names {
		out, err := exec.Command("go", "vet", name).CombinedOutput() // in this module
		require.NoError(t, err, "%s\n%s", name, out)
	}
	out, err := exec.Command("gofmt", append([]string{"-l"}, names...)...).CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Empty(t, string(out))
}
