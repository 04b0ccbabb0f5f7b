package attemptview

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"
)

// text is a text on the page: what is shown of it, with the places of issues.
type text struct {
	Nodes []node
	Bytes int // of the whole
	Cut   int // bytes that are not shown
}

// node is a run, a gap, or a mark with nodes in it.
type node struct {
	run
	Gap   int // bytes left out here
	Mark  *mark
	Nodes []node
}

// mark is a place of one or several issues.
type mark struct {
	ID      string
	Numbers string // "1, 3"
	Absent  bool   // what was wanted is not there: this is where it would be
}

// place of an issue in a text, with the number it is shown with.
type numbered struct {
	span
	mark mark
}

const (
	contextBytes = 200 // shown around a place beyond the part that is shown
	maxWindows   = 8   // such places
)

// window is a part of a text that is shown.
type window struct{ start, end int }

// windows returns the parts of a text of n bytes that are shown: its beginning and what is around places beyond it.
func windows(s string, limit int, places []span) []window {
	if len(s) <= limit {
		return []window{{0, len(s)}}
	}
	list := []window{{0, edge(s, limit)}}
	for _, p := range places {
		if p.start < list[0].end || len(list) > maxWindows {
			continue
		}
		w := window{edge(s, p.start-contextBytes), edge(s, min(p.end, p.start+contextBytes)+contextBytes)}
		list = append(list, w)
	}
	slices.SortFunc(list, func(a, b window) int { return cmp.Compare(a.start, b.start) })
	joined := list[:1]
	for _, w := range list[1:] {
		if last := &joined[len(joined)-1]; w.start <= last.end {
			last.end = max(last.end, w.end)
		} else {
			joined = append(joined, w)
		}
	}
	return joined
}

// edge moves an offset back to the border of a character, into s.
func edge(s string, at int) int {
	at = max(0, min(at, len(s)))
	for back := 0; back < utf8.UTFMax && at > 0 && at < len(s) && !utf8.RuneStart(s[at]); back++ {
		at--
	}
	return at
}

// marked makes the text of s with marks, of which no two overlap unless one is inside the other: they are values of JSON.
func marked(s string, limit int, marks []numbered) *text {
	slices.SortStableFunc(marks, func(a, b numbered) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	places := make([]span, len(marks))
	for i, m := range marks {
		places[i] = m.span
	}
	t := &text{Bytes: len(s)}
	shown, at := 0, 0
	for _, w := range windows(s, limit, places) {
		if w.start > at {
			t.Nodes = append(t.Nodes, node{Gap: w.start - at})
		}
		t.Nodes = append(t.Nodes, within(s, w.start, w.end, marks)...)
		shown += w.end - w.start
		at = w.end
	}
	if at < len(s) {
		t.Nodes = append(t.Nodes, node{Gap: len(s) - at})
	}
	t.Cut = len(s) - shown
	return t
}

// within makes the nodes of s[start:end] with the marks in it. One that goes beyond the end is cut there.
func within(s string, start, end int, marks []numbered) []node {
	var nodes []node
	at := start
	for len(marks) > 0 {
		m := marks[0]
		marks = marks[1:]
		if m.start < at || m.start >= end || m.start >= m.end {
			continue
		}
		nodes = append(nodes, plain(s[at:m.start])...)
		stop := min(m.end, end)
		inner := 0
		for inner < len(marks) && marks[inner].start < stop {
			inner++
		}
		mark := m.mark
		nodes = append(nodes, node{Mark: &mark, Nodes: within(s, m.start, stop, marks[:inner])})
		marks = marks[inner:]
		at = stop
	}
	return append(nodes, plain(s[at:end])...)
}

func plain(s string) []node {
	var nodes []node
	for _, r := range runs(s) {
		nodes = append(nodes, node{run: r})
	}
	return nodes
}

// size writes a number of bytes as people read it.
func size(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000*1000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1000/1000)
}
