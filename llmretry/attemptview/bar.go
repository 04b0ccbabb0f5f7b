package attemptview

import (
	"strconv"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// bar is a part of the picture of a call's time: an attempt or the wait after it.
type bar struct {
	X, Width string // of barWidth
	State    string // ok, refused, failed, canceled, wait
	Title    string
}

const (
	barWidth = 1000.0
	minBar   = 6.0
	barGap   = 3.0
)

// bars puts attempts and waits side by side by the time they took; each can be seen, however short.
func bars(r *llmretry.Report) []bar {
	var list []bar
	var times []float64
	total := 0.0
	add := func(seconds float64, b bar) {
		list, times = append(list, b), append(times, seconds)
		total += seconds
	}
	for i := range r.Attempts[:min(len(r.Attempts), maxBars)] {
		a := &r.Attempts[i]
		add(max(0, a.Latency.Seconds()), bar{State: state(a.Category), Title: "attempt " + strconv.Itoa(a.Index) + ", " + label(a) + ", " + duration(a.Latency)})
		if a.Wait > 0 {
			add(a.Wait.Seconds(), bar{State: "wait", Title: "waited " + duration(a.Wait)})
		}
	}
	room := barWidth - float64(len(list))*(minBar+barGap) + barGap
	x := 0.0
	for i := range list {
		width := minBar
		if total > 0 {
			width += room * times[i] / total
		} else {
			width += room / float64(len(list))
		}
		list[i].X, list[i].Width = fixed(x), fixed(width)
		x += width + barGap
	}
	return list
}

// maxBars is how many attempts the picture shows: more would not be seen.
const maxBars = 50

func fixed(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }
