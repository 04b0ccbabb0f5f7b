// Package progress shows how far a run is, on one line of a terminal.
package progress

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// Line is the line. Its zero value shows nothing. It is safe for concurrent use.
type Line struct {
	w       io.Writer
	mu      sync.Mutex
	total   int
	done    int // in this run
	valid   int
	tokens  int
	cost    float64
	priced  bool
	begun   time.Time
	shown   time.Time
	written bool
}

// New returns a line for a run of total cases. priced says whether costs mean anything.
func New(w io.Writer, total int, priced bool) *Line {
	return &Line{w: w, total: total, priced: priced, begun: time.Now()}
}

// IsTerminal reports whether somebody may be looking at f.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && f.Name() != os.DevNull
}

// every is how often the line is written: more cannot be read.
const every = 200 * time.Millisecond

// Add takes a finished case into account.
func (l *Line) Add(valid bool, tokens int, cost float64) {
	if l == nil || l.w == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done++
	if valid {
		l.valid++
	}
	l.tokens += tokens
	l.cost += cost
	if now := time.Now(); now.Sub(l.shown) >= every || l.done == l.total {
		l.shown, l.written = now, true
		fmt.Fprintf(l.w, "\r\x1b[K%s", l.text(now.Sub(l.begun)))
	}
}

// text is the line after a while.
func (l *Line) text(elapsed time.Duration) string {
	rate := float64(l.done) / max(elapsed.Seconds(), 1e-9)
	s := fmt.Sprintf("%d/%d, %d valid, %.1f/s, %d tokens", l.done, l.total, l.valid, rate, l.tokens)
	if l.priced {
		s += fmt.Sprintf(", cost %.4f", l.cost)
	}
	if left := l.total - l.done; left > 0 && l.done > 0 {
		eta := time.Duration(float64(left) / rate * float64(time.Second))
		s += ", " + eta.Round(time.Second).String() + " left"
	}
	return s
}

// End leaves the line as it is and goes to the next one.
func (l *Line) End() {
	if l == nil || l.w == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.written {
		fmt.Fprintln(l.w)
	}
}
