package page

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/cases"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/journal"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/report"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/strategy"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

const hostile = `</title><script>alert(1)</script>"'{{.}}`

// result has n strategies with hostile names, and four cases of which the k-th is valid at attempt k, the last one never.
func result(t *testing.T, n int) (*report.Result, []cases.Case, *strategy.Set) {
	t.Helper()
	var file strings.Builder
	file.WriteString("correction: no\nstrategies:\n")
	for i := range n {
		fmt.Fprintf(&file, "  - {name: %q, on_refusal: reask}\n", fmt.Sprint(i, hostile))
	}
	set, err := strategy.Read([]byte(file.String()), 3)
	require.NoError(t, err)
	var lines strings.Builder
	for i := range 4 {
		fmt.Fprintf(&lines, `{"id":%q,"prompt":%q}`+"\n", fmt.Sprint(i, hostile), hostile)
	}
	all, err := cases.Read(strings.NewReader(lines.String()), []byte(`{}`))
	require.NoError(t, err)
	j := journal.Memory()
	for i := range all {
		for _, name := range set.Names() {
			r := journal.Record{Case: all[i].ID, Strategy: name, Valid: i < 3}
			for k := range min(i+1, 3) {
				a := journal.Attempt{Class: "type", Output: hostile, In: llmretry.Count{N: 10, Known: true}, Out: llmretry.Count{N: 1, Known: true}, Requests: 1}
				if k == i {
					a.Class = ""
				}
				r.Attempts = append(r.Attempts, a)
			}
			require.NoError(t, j.Append(r))
		}
	}
	r := report.New(all, set, j, report.Prices{})
	r.Provider = hostile
	return r, all, set
}

// Whatever anybody named anything, it is text; the policy's hash is that of the style; every strategy has its color.
func TestWrite(t *testing.T) {
	r, _, _ := result(t, 11)
	var b strings.Builder
	worst := []Case{{ID: hostile, Prompt: hostile, Runs: []Run{{Label: hostile, Link: "javascript:alert(1)"}, {Label: "none"}}}}
	require.NoError(t, Write(&b, &Page{Result: r, Want: 0.9, Suggestion: hostile, Code: hostile, Worst: worst}))
	page := b.String()
	assert.NotContains(t, page, "<script")
	assert.NotContains(t, page, `href="javascript:`)
	assert.Contains(t, page, "<h1>Which strategy heals "+html.EscapeString(hostile)[:10])
	assert.Contains(t, page, "Nothing reaches 90 %")
	assert.NotContains(t, page, "model of faults")

	_, rest, _ := strings.Cut(page, "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	assert.Contains(t, html.UnescapeString(page), policyFor(style))
	assert.Contains(t, style, ".s10{--own:")
	assert.Equal(t, 11, strings.Count(page, `type="checkbox"`))
	assert.Equal(t, 11*(3+41), strings.Count(page, "<circle cx"))
	seen := make(map[string]bool)
	for _, m := range regexp.MustCompile(`\.s\d+\{(--own:#\w+;--dash:[\w ]+)\}`).FindAllStringSubmatch(style, -1) {
		seen[m[1]] = true
	}
	assert.Len(t, seen, 11, "color and dash together tell strategies apart")
}

func TestNotices(t *testing.T) {
	r, _, _ := result(t, 1)
	r.Complete = false
	var b strings.Builder
	require.NoError(t, Write(&b, &Page{Result: r, Offline: true}))
	assert.Contains(t, b.String(), "Incomplete: the run stopped after 4 of 4 runs. Asked was a model of faults")
	assert.NotContains(t, b.String(), "Nothing reaches", "nothing was asked for")
	assert.NotContains(t, b.String(), "Case by case", "there is nothing to compare")
}

func TestWriteCases(t *testing.T) {
	r, all, set := result(t, 2)
	folder := filepath.Join(t.TempDir(), "a b-cases")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	for _, name := range []string{"case-07-01.html", "mine.html"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
	}
	worst, err := WriteCases(folder, 2, r, all, set)
	require.NoError(t, err)
	require.Len(t, worst, 2)
	assert.Equal(t, all[3].ID, worst[0].ID, "the one that was lost")
	assert.Equal(t, hostile, worst[0].Prompt)
	assert.Equal(t, "a%20b-cases/case-01-01.html", worst[0].Runs[0].Link)
	assert.Contains(t, worst[0].Runs[0].Label, "lost after 3")
	assert.Contains(t, worst[1].Runs[0].Label, "valid after 3")
	page, err := os.ReadFile(filepath.Join(folder, "case-01-01.html"))
	require.NoError(t, err)
	assert.NotContains(t, string(page), "<script")
	assert.NoFileExists(t, filepath.Join(folder, "case-07-01.html"), "of an earlier run")
	assert.FileExists(t, filepath.Join(folder, "mine.html"))
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{1, 5, "1 2 3 4 5"},
		{1, 1, "1"},
		{1, 20, "5 10 15 20"},
		{0, 4980, "0 1000 2000 3000 4000"},
		{0, 61, "0 20 40 60"},
		{0, 123456, "0 50000 100000"},
	} {
		var labels []string
		for _, tick := range xTicks(scale{c.low, c.high, 0, 100}) {
			labels = append(labels, tick.Label)
		}
		assert.Equal(t, c.want, strings.Join(labels, " "), "%v to %v", c.low, c.high)
	}
	assert.Len(t, yTicks(scale{0, 1, 100, 0}), 6)
	assert.Len(t, yTicks(scale{0.7, 1, 100, 0}), 4)
}
