package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/report"
)

//go:embed page.html
var source string

var page = template.Must(template.New("page").Parse(source))

// Page is what the page shows besides the result.
type Page struct {
	Result     *report.Result
	Offline    bool
	Want       float64 // 0 = nothing was asked for
	Reached    bool
	Suggestion string
	Code       string
	Worst      []Case
}

// Case is one of the worst, with a link for each strategy.
type Case struct {
	ID     string
	Prompt string
	Runs   []Run
}

// Run is how a case fared under a strategy.
type Run struct {
	Valid bool
	Label string
	Link  string // of its page; "" = it has none
}

// view is what the template reads: texts, so that it decides nothing.
type view struct {
	Title, Facts, Notice, Policy string
	Style                        template.CSS
	Rows                         []row
	Classes                      []string
	Charts                       []chart
	SuggestionTitle, Suggestion  string
	Code                         string
	Pairs                        []pair
	Worst                        []Case
}

type row struct {
	Class, Toggle, Name              string
	ValidK, Interval, Valid1, Healed string
	Right                            string
	Whisker                          whisker
	K, Calls                         int
	Tokens, Cost, P50, P95           string
	Refused                          []int // in the order of the view's classes
}

type pair struct {
	report.Pair
	P, Verdict string
}

// notice stands on every page about the model of faults.
const notice = "Asked was a model of faults, with invented rates, times and prices. The page shows how strategies differ " +
	"against such faults, and predicts nothing about any real model."

// Write writes the page. Errors are those of w.
func Write(w io.Writer, p *Page) error {
	r := p.Result
	style := styleFor(len(r.Rows))
	v := view{
		Title: "Which strategy heals " + r.Provider + "?", Policy: policyFor(style), Style: template.CSS(style),
		Facts: fmt.Sprintf("%d cases · %d strategies · %d runs · inputs %.12s", r.Cases, len(r.Rows), len(r.Records), r.Inputs),
		Charts: []chart{
			newChart("attempts", "Share of cases valid within so many attempts", "attempts", "attempt", r.Rows,
				func(row *report.Row) []report.Point { return row.ByAttempts }, false),
			newChart("tokens", "Share of cases valid within so many tokens each", "tokens of a case", "token", r.Rows,
				func(row *report.Row) []report.Point { return row.ByTokens }, true),
		},
		Suggestion: p.Suggestion, Code: p.Code, Worst: p.Worst,
	}
	if p.Offline {
		v.Title, v.Notice = "Which strategy heals the model of faults?", notice
	}
	if !r.Complete {
		cut := fmt.Sprintf("Incomplete: the run stopped after %d of %d runs. ", len(r.Records), r.Cases*len(r.Rows))
		v.Notice = strings.TrimSpace(cut + v.Notice)
	}
	v.SuggestionTitle = fmt.Sprintf("The cheapest that reaches %.3g %%", 100*p.Want)
	if !p.Reached {
		v.SuggestionTitle = fmt.Sprintf("Nothing reaches %.3g %%", 100*p.Want)
	}
	v.Classes = r.Classes()
	for i := range r.Rows {
		v.Rows = append(v.Rows, newRow(i, r, v.Classes))
	}
	for _, one := range r.Pairs {
		v.Pairs = append(v.Pairs, pair{one, report.Chance(one.Adjusted), one.Verdict()})
	}
	return page.Execute(w, v)
}

func newRow(i int, r *report.Result, classes []string) row {
	from := &r.Rows[i]
	v := row{
		Class: fmt.Sprint("s", i), Toggle: fmt.Sprint("t", i), Name: from.Name,
		ValidK: report.Percent(from.ValidK.Share), Interval: from.ValidK.Range(), Whisker: newWhisker(from.ValidK),
		Valid1: report.Percent(from.Valid1.Share), Healed: from.Healed(), Right: from.RightText(), K: from.Attempts, Calls: from.Calls,
		Tokens: from.Tokens(), Cost: r.Money(from.Cost), P50: report.Millis(from.P50), P95: report.Millis(from.P95),
	}
	for _, class := range classes {
		v.Refused = append(v.Refused, from.Refusals(class))
	}
	return v
}
