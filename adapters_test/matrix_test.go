package adapters_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// mark is a cell of the matrix.
type mark string

const (
	passed   mark = "ok"
	deviates mark = "≈" // behaves otherwise, as the reason says, and that was checked
	skipped  mark = "-" // there is nothing to check, as the reason says
	broken   mark = "FAILED"
)

// matrixCheck is a column. run returns passed, or for a dialect with a reason deviates or skipped.
type matrixCheck struct {
	name string
	run  func(t *testing.T, d *dialect) mark
}

func matrixChecks() []matrixCheck {
	return slices.Concat(callChecks(), messageChecks(), failureChecks(), streamChecks())
}

// TestProviders runs every check on every client and prints the matrix.
func TestProviders(t *testing.T) {
	list, checks := dialects(), matrixChecks()
	var mu sync.Mutex
	marks := map[string]mark{}
	t.Run("matrix", func(t *testing.T) {
		for _, d := range list {
			t.Run(d.name, func(t *testing.T) {
				t.Parallel()
				for name := range d.cells {
					assert.True(t, slices.ContainsFunc(checks, func(c matrixCheck) bool { return c.name == name }), "%s is no check", name)
				}
				for _, c := range checks {
					got := mark("") // not run
					if !t.Run(c.name, func(t *testing.T) {
						got = c.run(t, d)
						assert.Equal(t, d.cells[c.name] != "", got != passed, "a cell that is not ok has a reason, and only such a cell")
					}) {
						got = broken
					}
					mu.Lock()
					marks[d.name+"/"+c.name] = got
					mu.Unlock()
				}
			})
		}
	})
	table := matrixTable(list, checks, marks)
	t.Log("\n" + table)
	for _, m := range marks {
		if m == "" {
			return // only some were asked for
		}
	}
	if len(marks) < len(list)*len(checks) {
		return
	}
	document(t, "matrix", table)
	document(t, "reasons", reasonTable(list, checks))
	document(t, "clients", clientTable(list))
}

func matrixTable(list []*dialect, checks []matrixCheck, marks map[string]mark) string {
	header := []string{"check"}
	for _, d := range list {
		header = append(header, d.name)
	}
	rows := [][]string{header}
	for _, c := range checks {
		row := []string{c.name}
		for _, d := range list {
			row = append(row, string(marks[d.name+"/"+c.name]))
		}
		rows = append(rows, row)
	}
	return markdown(rows)
}

// reasonTable lists the reasons, the checks they are for, and the clients.
func reasonTable(list []*dialect, checks []matrixCheck) string {
	type key struct{ check, reason string }
	who := map[key][]string{}
	for _, d := range list {
		for check, reason := range d.cells {
			who[key{check, reason}] = append(who[key{check, reason}], d.name)
		}
	}
	rows := [][]string{{"check", "clients", "why"}}
	for _, c := range checks {
		keys := slices.SortedFunc(maps.Keys(who), func(a, b key) int { return strings.Compare(a.reason, b.reason) })
		for _, k := range keys {
			if k.check == c.name {
				rows = append(rows, []string{c.name, strings.Join(who[k], ", "), k.reason})
			}
		}
	}
	return markdown(rows)
}

// clientTable says how to put a Transport under each client, and how to keep its SDK from retrying.
func clientTable(list []*dialect) string {
	rows := [][]string{{"client", "a Transport goes into", "reads only the first message", "tells why it stopped", "tells usage", "keeps its SDK from retrying"}}
	for _, d := range list {
		rows = append(rows, []string{d.name, string(d.seam), yes(d.single), yes(d.stops), yes(d.counts), or(d.inner, "(does not)")})
	}
	for _, u := range undriven {
		rows = append(rows, []string{u.name, "not driven: " + u.reason, "", "", "", ""})
	}
	return markdown(rows)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// markdown writes a table; the first row is its header.
func markdown(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString("|" + strings.Repeat(" --- |", len(row)) + "\n")
		}
	}
	return b.String()
}
