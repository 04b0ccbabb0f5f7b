package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// printAttempts prints the ledger of a call, one row per attempt; an attempt with several issues has more lines.
func printAttempts(w io.Writer, r *llmretry.Report) {
	if r == nil {
		return
	}
	t := newTable(w, "ATTEMPT", "REASON", "SENT", "MESSAGES", "CATEGORY", "FINISH", "TOKENS", "LATENCY", "WAIT", "REFUSED BECAUSE")
	for _, a := range r.Attempts {
		why := because(a.Err)
		t.row(a.Index, a.Reason, sent(a), len(a.Messages), a.Category, a.FinishReason, a.Usage.Total,
			duration(a.Latency), duration(a.Wait), why[0])
		for _, more := range why[1:] {
			t.row("", "", "", "", "", "", "", "", "", more)
		}
	}
	t.Flush()
	sum, complete := r.Usage()
	fmt.Fprintf(w, "\nattempts: %d, tokens: %v", len(r.Attempts), sum.Total)
	if !complete {
		fmt.Fprint(w, " at least") // a response did not report its own
	}
	fmt.Fprintln(w)
}

// printWire prints the same call as the server saw it.
func printWire(w io.Writer, exchanges []exchange) {
	fmt.Fprintln(w)
	t := newTable(w, "REQUEST", "TEMPERATURE", "MESSAGES", "STATUS", "ANSWER")
	for i, e := range exchanges {
		t.row(i, e.Temperature, len(e.Messages), e.Status, strings.ReplaceAll(e.Answer, "\n", " "))
	}
	t.Flush()
}

// table aligns rows of cells. An empty cell in the middle of a row prints as "-" but on a line of blanks.
type table struct{ *tabwriter.Writer }

func newTable(w io.Writer, head ...any) table {
	t := table{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	t.row(head...)
	return t
}

func (t table) row(cells ...any) {
	blank := cells[0] == ""
	for i, c := range cells {
		s := fmt.Sprint(c)
		if s == "" && !blank {
			s = "-"
		}
		if i > 0 {
			s = "\t" + s
		}
		fmt.Fprint(t, s)
	}
	fmt.Fprintln(t)
}

// sent shows the options that were in effect in an attempt.
func sent(a llmretry.Attempt) string {
	options := a.Sent()
	var fields []string
	for _, name := range slices.Sorted(maps.Keys(options)) {
		fields = append(fields, fmt.Sprintf("%s=%v", name, options[name]))
	}
	return strings.Join(fields, " ")
}

// because returns the lines that say why an attempt was refused: the issues, where there are any.
func because(err error) []string {
	if err == nil {
		return []string{""}
	}
	var refused *llmretry.StructuredOutputError
	if !errors.As(err, &refused) || len(refused.Issues) == 0 {
		return []string{strings.ReplaceAll(err.Error(), "\n", " ")}
	}
	var lines []string
	for _, issue := range refused.Issues {
		lines = append(lines, issue.String())
	}
	return lines
}

func duration(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.Round(100 * time.Microsecond).String()
}
