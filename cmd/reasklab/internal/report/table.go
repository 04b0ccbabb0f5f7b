package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Table prints the result as people read it in a terminal.
func (r *Result) Table(w io.Writer) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "strategy\tcases\tvalid@1\tvalid@k\tk\t95 % interval\thealed\tright\t",
		"calls\ttokens\tcost\tp50\tp95\trefused answers by class\n")
	for i := range r.Rows {
		row := &r.Rows[i]
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%d\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n",
			row.Name, row.Cases, Percent(row.Valid1.Share), Percent(row.ValidK.Share), row.Attempts, row.ValidK.Range(),
			row.Healed(), row.RightText(), row.Calls, row.Tokens(), r.Money(row.Cost), Millis(row.P50), Millis(row.P95), row.Classes(4))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(r.Rows) > 1 {
		r.comparison(&b)
	}
	_, err := io.WriteString(w, trimmed(b.String()))
	return err
}

// comparison prints how the first strategy does against each other one.
func (r *Result) comparison(b *strings.Builder) {
	best := r.Rows[0].Name
	fmt.Fprintf(b, "\n%s against the others, case by case (McNemar's exact test, p adjusted by Holm, %d in all):\n", best, len(r.Pairs))
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, p := range r.Pairs {
		if p.A != best {
			continue
		}
		fmt.Fprintf(t, "  %s\t%d cases only %s got valid,\t%d only the other\tp %s\t%s\n",
			p.B, p.OnlyA, best, p.OnlyB, Chance(p.Adjusted), p.Verdict())
	}
	_ = t.Flush() // to a strings.Builder
}

// trimmed takes the padding off the ends of lines.
func trimmed(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
