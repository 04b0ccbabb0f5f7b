package attemptview

import (
	"errors"
	"strconv"
	"time"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// The views are what the template shows: texts already redacted, cut and split, so that it decides nothing.
type (
	pageView struct {
		Title   string
		Facts   []string
		Calls   []callView
		Omitted int
	}

	callView struct {
		ID       string
		Name     string
		Open     bool
		State    string // ok, failed, canceled
		Label    string
		Facts    []string
		Bars     []bar
		Attempts []attemptView
		Omitted  int
		Error    *text
		Stop     *text
	}

	attemptView struct {
		ID       string
		Index    int
		Reason   string
		State    string // ok, refused, failed, canceled
		Label    string
		Model    *text
		Facts    []string
		Options  []optionView
		Dropped  []*text
		Before   int
		Previous string // the attempt that the messages before are in
		Messages []messageView
		Omitted  int
		Output   *text
		Thinking *text
		Issues   []issueView
		More     int
		Error    *text
		Warnings []*text
		Below    []callView
		Wait     string
	}

	issueView struct {
		Number  int
		Mark    string // the ID of its mark; "" = it has none
		Path    *text
		Code    *text
		Want    *text
		Got     *text
		Message *text
		Absent  bool
	}
)

// builder makes the views and counts what is left of the page.
type builder struct {
	config
	left int
}

// perPiece is what a piece of the page costs besides its texts.
const perPiece = 200

// text makes what is shown of one text of a call.
func (b *builder) text(s string) *text { return b.marked(b.redact(s), nil) }

func (b *builder) marked(s string, marks []numbered) *text {
	t := marked(s, max(0, min(b.maxText, b.left)), marks)
	b.left -= perPiece + cost(t.Nodes)
	return t
}

func cost(nodes []node) int {
	n := 0
	for _, each := range nodes {
		n += len(each.Text) + cost(each.Nodes)
		if each.Special || each.Mark != nil {
			n += perPiece / 4
		}
	}
	return n
}

// optional is text for a text that may not be there.
func (b *builder) optional(s string) *text {
	if s == "" {
		return nil
	}
	return b.text(s)
}

func (b *builder) page(reports []*llmretry.Report) pageView {
	v := pageView{Title: visible(b.title)}
	var failed, attempts int
	var sum llmretry.Usage
	for i, r := range reports {
		if r == nil {
			continue
		}
		attempts += len(r.Attempts)
		if r.Err != nil {
			failed++
		}
		u, _ := r.Usage()
		sum.Total.N, sum.Total.Known = sum.Total.N+u.Total.N, sum.Total.Known || u.Total.Known
		if b.left <= 0 {
			v.Omitted++
			continue
		}
		call := b.call(r, "c"+strconv.Itoa(i+1), maxNesting)
		call.Name, call.Open = "Call "+strconv.Itoa(i+1), len(reports) <= maxOpen
		v.Calls = append(v.Calls, call)
	}
	calls := len(v.Calls) + v.Omitted
	v.Facts = []string{count(calls, "call")}
	if calls > failed {
		v.Facts = append(v.Facts, count(calls-failed, "accepted"))
	}
	if failed > 0 {
		v.Facts = append(v.Facts, count(failed, "failed"))
	}
	v.Facts = append(v.Facts, count(attempts, "attempt"))
	if sum.Total.Known {
		v.Facts = append(v.Facts, count(sum.Total.N, "token"))
	}
	return v
}

const (
	maxOpen    = 3 // calls that are unfolded from the start
	maxNesting = 8 // decorators in each other that are shown
)

func (b *builder) call(r *llmretry.Report, id string, nesting int) callView {
	v := callView{ID: id, State: "ok", Label: "accepted", Bars: bars(r)}
	if r.Err != nil {
		v.State, v.Label = state(llmretry.Category(r.Err)), "failed"
		if v.State == "canceled" {
			v.Label = "canceled"
		}
		if v.State != "canceled" {
			v.State = "failed"
		}
		v.Error = b.text(errorText(r.Err))
		var e *llmretry.AttemptsError
		if errors.As(r.Err, &e) && e.Stop != nil {
			v.Stop = b.text(errorText(e.Stop))
		}
	}
	v.Facts = callFacts(r)
	for i := range r.Attempts {
		if b.left <= 0 {
			v.Omitted = len(r.Attempts) - i
			break
		}
		v.Attempts = append(v.Attempts, b.attempt(r, i, id, nesting))
	}
	return v
}

func callFacts(r *llmretry.Report) []string {
	var latency, wait time.Duration
	for i := range r.Attempts {
		latency += r.Attempts[i].Latency
		wait += r.Attempts[i].Wait
	}
	facts := []string{count(len(r.Attempts), "attempt"), duration(latency) + " of model time"}
	if wait > 0 {
		facts = append(facts, duration(wait)+" of waiting")
	}
	sum, complete := r.Usage()
	switch tokens := usage(sum); {
	case tokens == "":
		facts = append(facts, "tokens not reported")
	case complete:
		facts = append(facts, tokens)
	default:
		facts = append(facts, tokens+", and some not reported")
	}
	return facts
}

// state is the class of a category: how it is coloured.
func state(c llmretry.ErrorCategory) string {
	switch c {
	case "":
		return "ok"
	case llmretry.CategoryStructuredOutputInvalid, llmretry.CategoryTruncated, llmretry.CategoryContentFiltered:
		return "refused"
	case llmretry.CategoryCanceled, llmretry.CategoryCallerAborted:
		return "canceled"
	}
	return "failed"
}
