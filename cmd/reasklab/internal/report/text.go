package report

import (
	"fmt"
	"strings"
	"time"
)

// Percent prints a share.
func Percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// Range prints the interval.
func (s Share) Range() string {
	return fmt.Sprintf("%.1f to %.1f %%", 100*s.Interval.Low, 100*s.Interval.High)
}

// RightText prints the share of right answers, "-" when nothing is expected.
func (r *Row) RightText() string {
	if r.Right == nil {
		return "-"
	}
	return Percent(r.Right.Share)
}

// Healed says how many of the cases that began with a refused answer became valid.
func (r *Row) Healed() string {
	return fmt.Sprintf("%d of %d", r.ValidK.Count-r.Valid1.Count, r.Cases-r.Valid1.Count)
}

// Tokens prints their number, with a + when some were not reported.
func (r *Row) Tokens() string {
	if r.Unreported > 0 {
		return fmt.Sprintf("%d+", r.In+r.Out)
	}
	return fmt.Sprint(r.In + r.Out)
}

// Classes lists the most frequent classes of refused answers.
func (r *Row) Classes(most int) string {
	var parts []string
	rest := 0
	for i, c := range r.Refused {
		if i < most {
			parts = append(parts, fmt.Sprintf("%s %d", c.Class, c.N))
		} else {
			rest += c.N
		}
	}
	if rest > 0 {
		parts = append(parts, fmt.Sprintf("other %d", rest))
	}
	if parts == nil {
		return "-"
	}
	return strings.Join(parts, ", ")
}

// Refusals is the number of refused answers of a class.
func (r *Row) Refusals(class string) int {
	for _, c := range r.Refused {
		if c.Class == class {
			return c.N
		}
	}
	return 0
}

// Classes lists what was wrong with refused answers, the most frequent first.
func (r *Result) Classes() []string {
	sum := make(map[string]int)
	for i := range r.Rows {
		for _, c := range r.Rows[i].Refused {
			sum[c.Class] += c.N
		}
	}
	var classes []string
	for _, c := range counts(sum) {
		classes = append(classes, c.Class)
	}
	return classes
}

// Money prints a cost, "-" when there are no prices.
func (r *Result) Money(cost float64) string {
	if !r.Priced {
		return "-"
	}
	return fmt.Sprintf("%.4f", cost)
}

// Millis prints milliseconds with as many digits as matter.
func Millis(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	switch {
	case d >= 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(time.Millisecond).String()
}

// Chance prints a p-value.
func Chance(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// significant is the level below which a difference is called one.
const significant = 0.05

// Verdict says whether the difference is more than chance.
func (p Pair) Verdict() string {
	if p.Adjusted < significant {
		return "better"
	}
	return "no difference shown"
}
