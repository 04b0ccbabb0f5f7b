package llmretry

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// What a line of a format says.

// brief is a report in one line.
func (r *Report) brief() string {
	if r == nil {
		return "<nil>"
	}
	s := plural(len(r.Attempts), "attempt")
	switch {
	case r.Err != nil:
		s += ", failed"
		if category := Category(r.Err); category != "" {
			s += ": " + string(category)
		}
		if stop := stopName(r.Err); stop != "" {
			s += " (" + stop + ")"
		}
	case len(r.Attempts) > 0:
		s += ", accepted"
	}
	if sum, complete := r.Usage(); sum.Total.Known || sum.Input.Known || sum.Output.Known {
		s += ", " + sum.String()
		if !complete {
			s += " and more that was not reported"
		}
	}
	latency, wait := r.times()
	s += ", " + roundDuration(latency)
	if wait > 0 {
		s += " and " + roundDuration(wait) + " of waiting"
	}
	return s
}

// describe writes one line per attempt.
func (r *Report) describe(w *strings.Builder, indent string, nesting int) {
	if r == nil {
		return
	}
	for i := range r.Attempts {
		w.WriteString("\n" + indent + r.Attempts[i].brief())
		r.Attempts[i].describe(w, indent+"  ", nesting)
	}
}

// brief is an attempt in one line.
func (a Attempt) brief() string {
	var b strings.Builder
	fmt.Fprintf(&b, "attempt %d", a.Index)
	if a.Reason != "" {
		b.WriteString(" " + string(a.Reason))
	}
	if a.Model != "" {
		b.WriteString(" of " + strconv.Quote(clip(a.Model, maxName)))
	}
	if a.Category == "" && a.Err == nil {
		b.WriteString(": ok")
	} else {
		b.WriteString(": " + string(a.Category))
		if status := statusOf(a.Err); status != 0 {
			b.WriteString(" (status " + strconv.Itoa(status) + ")")
		}
	}
	b.WriteString(", " + plural(len(a.Messages), "message") + " sent")
	if a.Response != nil {
		b.WriteString(", " + plural(len(a.Output), "byte") + " back")
		if a.FinishReason != "" {
			b.WriteString(" (" + string(a.FinishReason) + ")")
		}
		b.WriteString(", " + a.Usage.String())
	}
	b.WriteString(", " + roundDuration(a.Latency))
	if a.Wait > 0 {
		b.WriteString(", then waited " + roundDuration(a.Wait))
	}
	for _, dropped := range a.Dropped {
		b.WriteString(", without " + clip(dropped, maxName))
	}
	return b.String()
}

// describe writes what an attempt has below its line.
func (a Attempt) describe(w *strings.Builder, indent string, nesting int) {
	var refusal *StructuredOutputError
	if len(a.Nested) == 0 && errors.As(a.Err, &refusal) {
		refusal.Issues.describe(w, indent)
	}
	if n := len(a.Warnings); n > 0 {
		w.WriteString("\n" + indent + plural(n, "warning"))
	}
	for _, nested := range a.Nested {
		w.WriteString("\n" + indent + "below: " + nested.brief())
		if nesting > 0 {
			nested.describe(w, indent+"  ", nesting-1)
		}
	}
}

// brief is a failure in one line.
func (f Failure) brief() string { return errorText(&StructuredOutputError{f})() + "; " + f.figures() }

// figures is what can be said of a refused answer in numbers.
func (f Failure) figures() string {
	s := fmt.Sprintf("attempt %d, %s left, %s of output", f.Attempt, plural(f.Remaining, "attempt"), plural(len(f.OutputContent), "byte"))
	if f.FinishReason != "" {
		s += " (" + string(f.FinishReason) + ")"
	}
	return s + ", " + f.Usage.String()
}

// describe writes one line per issue, without what the model said.
func (is Issues) describe(w *strings.Builder, indent string) {
	for i, issue := range is {
		if i == maxListed {
			w.WriteString("\n" + indent + plural(len(is)-i, "more issue"))
			return
		}
		w.WriteString("\n" + indent + clip(issue.discreet().String(), maxErrorText))
	}
}

// brief is an entry in one line.
func (e TrailEntry) brief() string {
	s := fmt.Sprintf("attempt %d", e.Attempt)
	if e.Step != "" {
		s = "step " + strconv.Quote(clip(e.Step, maxName)) + " " + s
	}
	s += ": error of " + plural(len(e.Error), "byte") + ", output of " + plural(len(e.Raw), "byte")
	if e.Count > 1 {
		s += ", " + strconv.Itoa(e.Count) + " times"
	}
	return s
}

// maxName bounds the name of a model, a step or an option in a line of ours, in bytes.
const maxName = 80

// String names the counters that were reported.
func (u Usage) String() string {
	var parts []string
	for _, c := range []struct {
		count Count
		name  string
	}{{u.Input, "in"}, {u.Output, "out"}, {u.Total, "in all"}} {
		if c.count.Known {
			parts = append(parts, strconv.Itoa(c.count.N)+" "+c.name)
		}
	}
	if parts == nil {
		return "tokens not reported"
	}
	return "tokens: " + strings.Join(parts, ", ")
}

// times sums what the attempts took and what was waited between them.
func (r *Report) times() (latency, wait time.Duration) {
	for i := range r.Attempts {
		latency += r.Attempts[i].Latency
		wait += r.Attempts[i].Wait
	}
	return latency, wait
}

// roundDuration drops the digits that nobody reads.
func roundDuration(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		d = d.Round(100 * time.Millisecond)
	case d >= time.Second:
		d = d.Round(10 * time.Millisecond)
	case d >= time.Millisecond:
		d = d.Round(100 * time.Microsecond)
	default:
		d = d.Round(time.Microsecond)
	}
	return d.String()
}
