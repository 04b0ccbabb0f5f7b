package page

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/cases"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/journal"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/report"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/strategy"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/attemptview"
)

// pattern is the name of a page of a case under a strategy.
const pattern = "case-%02d-%02d.html"

// WriteCases writes the worst cases, n at most, into the folder beside the page, one page of the attempt viewer for each
// strategy, and returns them with links that hold from the page's folder. Pages that an earlier call left there are removed.
func WriteCases(folder string, n int, r *report.Result, all []cases.Case, set *strategy.Set) ([]Case, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	old, err := filepath.Glob(filepath.Join(folder, "case-[0-9][0-9]*-[0-9][0-9]*.html"))
	if err != nil {
		return nil, err
	}
	for _, name := range old {
		err = errors.Join(err, os.Remove(name))
	}
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*cases.Case, len(all))
	for i := range all {
		byID[all[i].ID] = &all[i]
	}
	var worst []Case
	for i, id := range r.Worst(n) {
		c := byID[id]
		shown := Case{ID: id, Prompt: promptOf(c)}
		for k, record := range r.Of(id) {
			name := fmt.Sprintf(pattern, i+1, k+1)
			if err := writeCase(filepath.Join(folder, name), c, set, &record); err != nil {
				return nil, err
			}
			link := url.URL{Path: filepath.Base(folder) + "/" + name}
			shown.Runs = append(shown.Runs, Run{Valid: record.Valid, Label: label(&record), Link: link.String()})
		}
		worst = append(worst, shown)
	}
	return worst, nil
}

func writeCase(name string, c *cases.Case, set *strategy.Set, record *journal.Record) error {
	var b bytes.Buffer
	reports := []*llmretry.Report{report.Replay(c, set, record)}
	if err := attemptview.WriteHTML(&b, reports, attemptview.Title(record.Case+" under "+record.Strategy)); err != nil {
		return err
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}

func label(r *journal.Record) string {
	n := len(r.Attempts)
	switch {
	case r.Valid && n == 1:
		return r.Strategy + ": valid at once"
	case r.Valid:
		return fmt.Sprintf("%s: valid after %d", r.Strategy, n)
	}
	return fmt.Sprintf("%s: lost after %d", r.Strategy, n)
}

// promptOf is what the last message of a case says, in one line: what comes before it is often the same for all cases.
func promptOf(c *cases.Case) string {
	var words []string
	for _, part := range c.Messages[len(c.Messages)-1].Parts {
		if text, ok := part.(llms.TextContent); ok {
			words = append(words, strings.Fields(text.Text)...)
		}
	}
	return strings.Join(words, " ")
}
