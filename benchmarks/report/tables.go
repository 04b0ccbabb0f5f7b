package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
)

func writeMachine(w io.Writer, rs *results, rounds string) {
	fmt.Fprintf(w, "%s, 2 of %d processors, %s, %s. %s\n\n", rs.cpu, runtime.NumCPU(), runtime.Version(), rs.goos, rounds)
}

func writeTables(w io.Writer, rs *results) {
	fmt.Fprint(w, "### A call that succeeds at once\n\n")
	fmt.Fprint(w, "\"Over bare\" is what the subject adds to the same call without it.\n\n")
	writeCosts(w, rs, "Clean", "bare")
	fmt.Fprint(w, "### A Go value from a 207 B reply\n\n")
	fmt.Fprint(w, "\"schema\" rows validate and decode; \"decode\" rows do less, they know no schema.\n\n")
	writeCosts(w, rs, "Typed", "llmretry")
	fmt.Fprint(w, "### Failures of the provider, then an answer\n\n")
	fmt.Fprint(w, "Without waits, but for fantasy-retry, whose least wait is a timer of 1 ns. Apart from that one, the others are set up to repeat after any error; none keeps a report.\n\n")
	writeCosts(w, rs, "Transient", "llmretry")
	writeCosts(w, rs, "Classify", "")
	fmt.Fprint(w, "### Refused outputs, then an accepted one\n\n")
	fmt.Fprint(w, "The machinery: check and correction cost nothing. No retry library asks again with a correction; the loop by hand does, and keeps no report.\n\n")
	writeCosts(w, rs, "Reask", "llmretry")
	fmt.Fprint(w, "### Bytes allocated, by size of the first message\n\n")
	writeTranscript(w, rs)
	fmt.Fprint(w, "### A second processor\n\n")
	writeParallel(w, rs)
	fmt.Fprint(w, "### 10 000 calls in flight\n\n")
	fmt.Fprint(w, "The wall time is with a model that takes 20 ms; memory is taken while a model holds all calls.\n\n")
	writeInFlight(w, rs)
	fmt.Fprint(w, "How the peers were built. genkit runs in a module and process of its own: what it needs does not compile with the version of\n"+
		"invopop/jsonschema the others need. eino builds only with a newer sonic than it asks for; its retrying model is not exported and reached\n"+
		"by its symbol. instructor-go cannot be fetched as a module under either of its names. genkit's rows with 5 MB are left out for their time.\n")
}

// writeCosts is a table of time, bytes and allocations, with each row against the reference subject of its group.
func writeCosts(w io.Writer, rs *results, scenario, reference string) {
	relation := "x " + reference
	switch reference {
	case "bare":
		relation = "over bare"
	case "":
		relation = ""
	}
	t := newTable("case", "subject", "time", "±", "B", "allocs", relation)
	for _, group := range groups(rs.rows(scenario)) {
		for _, k := range rs.rows(scenario) {
			if k.group != group {
				continue
			}
			ns, _ := rs.median(k, "ns/op")
			bytes, _ := rs.median(k, "B/op")
			allocs, _ := rs.median(k, "allocs/op")
			ref := k
			ref.subject = reference
			t.row(k.group, k.subject, duration(ns), rs.summary(k, "ns/op").PctRangeString(), count(bytes), count(allocs), relate(rs, k, ref))
		}
	}
	if scenario == "Typed" {
		t.row("decode", "instructor-go", "not available as a module", "", "", "", "")
	}
	t.write(w)
}

func relate(rs *results, k, ref key) string {
	ns, _ := rs.median(k, "ns/op")
	of, ok := rs.median(ref, "ns/op")
	switch {
	case !ok || k == ref:
		return ""
	case ref.subject == "bare":
		allocs, _ := rs.median(k, "allocs/op")
		bareAllocs, _ := rs.median(ref, "allocs/op")
		return fmt.Sprintf("+%s, +%s allocs", duration(max(0, ns-of)), count(allocs-bareAllocs))
	}
	return fmt.Sprintf("%.3gx", ns/of)
}

// groups returns the groups of rows in order; rows of one group may come from two runs.
func groups(rows []key) []string {
	var list []string
	for _, k := range rows {
		if !slices.Contains(list, k.group) {
			list = append(list, k.group)
		}
	}
	return list
}

func writeTranscript(w io.Writer, rs *results) {
	t := newTable("subject", "first message", "1 reask", "2", "4", "8", "16")
	for _, subject := range []string{"llmretry", "by-hand", "genkit-middleware"} {
		for _, size := range []string{"1KB", "100KB", "5MB"} {
			cells := []string{subject, size}
			for _, n := range reaskCounts {
				cell := "not run"
				if bytes, ok := rs.median(transcriptKey(size, n, subject), "B/op"); ok {
					cell = count(bytes)
				}
				cells = append(cells, cell)
			}
			t.row(cells...)
		}
	}
	t.write(w)
}

var reaskCounts = []int{1, 2, 4, 8, 16}

func transcriptKey(size string, reasks int, subject string) key {
	return key{"Transcript", fmt.Sprintf("first=%s,reasks=%d", size, reasks), subject, "2"}
}

func writeParallel(w io.Writer, rs *results) {
	t := newTable("case", "subject", "1 processor", "2 processors", "speed-up")
	for _, k := range rs.rows("Parallel") {
		if k.procs != "1" {
			continue
		}
		one, _ := rs.median(k, "ns/op")
		k.procs = "2"
		two, _ := rs.median(k, "ns/op")
		t.row(k.group, k.subject, duration(one), duration(two), fmt.Sprintf("%.2fx", one/two))
	}
	t.write(w)
}

func writeInFlight(w io.Writer, rs *results) {
	t := newTable("subject", "wall", "heap B/call", "over bare", "stack B/call", "goroutines/call")
	for _, k := range rs.rows("InFlight") {
		bare := k
		bare.subject = "bare"
		ns, _ := rs.median(k, "ns/op")
		heap, _ := rs.median(k, "heap-B/call")
		of, _ := rs.median(bare, "heap-B/call")
		stack, _ := rs.median(k, "stack-B/call")
		goroutines, _ := rs.median(k, "goroutines/call")
		t.row(k.subject, duration(ns), count(heap), fmt.Sprintf("%+.0f", heap-of), count(stack), fmt.Sprintf("%.2f", goroutines))
	}
	t.write(w)
}

// duration prints nanoseconds with three figures.
func duration(ns float64) string {
	switch {
	case ns < 10:
		return fmt.Sprintf("%.1f ns", ns)
	case ns < 1e3:
		return fmt.Sprintf("%.0f ns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.3g µs", ns/1e3)
	default:
		return fmt.Sprintf("%.3g ms", ns/1e6)
	}
}

// count prints a number, a large one in groups of three.
func count(n float64) string {
	s := fmt.Sprintf("%.0f", n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// table is a markdown table whose columns are aligned, so that it reads in a terminal too.
type table struct{ rows [][]string }

func newTable(head ...string) *table { return &table{[][]string{head}} }

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) write(w io.Writer) {
	widths := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)), 3)
		}
	}
	for n, row := range t.rows {
		for i, cell := range row {
			fmt.Fprintf(w, "| %s%s ", cell, strings.Repeat(" ", widths[i]-len([]rune(cell))))
		}
		fmt.Fprintln(w, "|")
		if n == 0 {
			for _, width := range widths {
				fmt.Fprintf(w, "| %s ", strings.Repeat("-", width))
			}
			fmt.Fprintln(w, "|")
		}
	}
	fmt.Fprintln(w)
}
