package attemptview

import (
	"errors"
	"strconv"
	"strings"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

func (b *builder) attempt(r *llmretry.Report, i int, call string, nesting int) attemptView {
	a := &r.Attempts[i]
	v := attemptView{
		ID: call + "-a" + strconv.Itoa(i), Index: a.Index, Reason: reason(a), State: state(a.Category), Label: label(a),
		Model: b.optional(a.Model), Facts: attemptFacts(a),
	}
	var before *llmretry.Attempt
	if i > 0 {
		before = &r.Attempts[i-1]
		v.Previous = call + "-a" + strconv.Itoa(i-1)
	}
	v.Options = b.options(a, before)
	for _, name := range a.Dropped {
		v.Dropped = append(v.Dropped, b.text(name))
	}
	b.messages(&v, a, before)
	b.answer(&v, a)
	for _, w := range a.Warnings {
		if w != nil {
			v.Warnings = append(v.Warnings, b.text(errorText(w)))
		}
	}
	for n, below := range a.Nested {
		if below == nil || nesting == 0 || b.left <= 0 {
			continue
		}
		c := b.call(below, v.ID+"-b"+strconv.Itoa(n), nesting-1)
		c.Name = "Call below " + strconv.Itoa(n+1)
		v.Below = append(v.Below, c)
	}
	if a.Wait > 0 {
		v.Wait = duration(a.Wait)
	}
	return v
}

func reason(a *llmretry.Attempt) string {
	switch a.Reason {
	case llmretry.ReasonReask:
		return "asked again with the correction"
	case llmretry.ReasonTransient:
		return "sent again"
	}
	return ""
}

func label(a *llmretry.Attempt) string {
	if a.Category == "" && a.Err == nil {
		return "accepted"
	}
	return visible(string(a.Category))
}

func attemptFacts(a *llmretry.Attempt) []string {
	facts := []string{duration(a.Latency)}
	if a.Response == nil {
		return append(facts, "no response")
	}
	if tokens := usage(a.Usage); tokens != "" {
		facts = append(facts, tokens)
	} else {
		facts = append(facts, "tokens not reported")
	}
	if a.FinishReason != "" {
		facts = append(facts, "finish reason "+visible(string(a.FinishReason)))
	}
	if n := len(a.Response.Choices); n > 1 {
		facts = append(facts, count(n, "choice"))
	}
	return facts
}

// maxIssues bounds the issues of one attempt that are listed and marked.
const maxIssues = 100

// answer fills in what came back, and where in it the issues are.
func (b *builder) answer(v *attemptView, a *llmretry.Attempt) {
	var refusal *llmretry.StructuredOutputError
	if len(a.Nested) == 0 {
		errors.As(a.Err, &refusal)
	}
	output := b.redact(a.Output)
	var marks []numbered
	switch {
	case refusal != nil && len(refusal.Issues) > 0:
		issues := refusal.Issues
		v.More = max(0, len(issues)-maxIssues)
		v.Issues, marks = b.issues(v.ID, output, issues[:len(issues)-v.More])
	case refusal != nil:
		v.Error = b.text(refusal.ErrorMessage)
	case a.Err != nil:
		v.Error = b.text(errorText(a.Err))
	}
	if a.Response == nil && a.Output == "" {
		return
	}
	v.Output = b.marked(output, marks)
	if a.Response == nil {
		return
	}
	var thinking []string
	for _, c := range a.Response.Choices {
		if c != nil && c.ReasoningContent != "" {
			thinking = append(thinking, c.ReasoningContent)
		}
	}
	v.Thinking = b.optional(strings.Join(thinking, "\n\n"))
}

// issues makes the list of issues and the marks of those that have a place. Issues of one place share a mark.
func (b *builder) issues(id, output string, issues llmretry.Issues) ([]issueView, []numbered) {
	places, found := locate(output, issues)
	var views []issueView
	var marks []numbered
	at := map[span]int{}
	for i, issue := range issues {
		number := strconv.Itoa(i + 1)
		v := issueView{Number: i + 1, Code: b.optional(issue.Code), Path: b.optional(issue.Path)}
		if v.Message = b.optional(strings.TrimPrefix(issue.Message, issue.Path+": ")); issue.Message == "" {
			v.Want, v.Got = b.optional(issue.Want), b.optional(issue.Got) // a message says both
		}
		if found[i] {
			n, ok := at[places[i]]
			if !ok {
				n = len(marks)
				at[places[i]] = n
				marks = append(marks, numbered{places[i], mark{ID: id + "-m" + number, Absent: places[i].absent}})
			}
			m := &marks[n].mark
			if m.Numbers != "" {
				m.Numbers += ", "
			}
			m.Numbers += number
			v.Mark, v.Absent = m.ID, m.Absent
		}
		views = append(views, v)
	}
	return views, marks
}
