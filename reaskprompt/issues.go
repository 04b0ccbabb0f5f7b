package reaskprompt

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// What a rendered issue list is bounded by: a model that got 500 rows wrong learns no more from 500 lines.
const (
	maxIssueLines = 20
	maxIssueLine  = 400 // bytes
)

// issue is an llmretry.Issue that prints as issueLine, which has no words of ours even where there is no message.
type issue struct{ llmretry.Issue }

func (i issue) String() string { return issueLine(i.Issue) }

// issueList is llmretry.Issues for a template: it prints as lines instead of as one bounded error text.
type issueList []issue

func (l issueList) String() string {
	is := make(llmretry.Issues, len(l))
	for n, i := range l {
		is[n] = i.Issue
	}
	return issueLines(is)
}

func newIssueList(is llmretry.Issues) issueList {
	if len(is) == 0 {
		return nil // so that {{if .Issues}} and {{with .Issues}} are false
	}
	l := make(issueList, len(is))
	for n, i := range is {
		l[n] = issue{i}
	}
	return l
}

// issuesOf renders a failure's issues. A parser that gives none, as those of other libraries, has said all it can in
// the error message: that is the one line then, so that a correction made of issues alone is still an informed one.
func issuesOf(f *llmretry.Failure) string {
	if s := issueLines(f.Issues); s != "" {
		return s
	}
	return oneLine(f.ErrorMessage)
}

// issueLines renders one issue per line in the order given; issues that say nothing have no line. After
// maxIssueLines, a last line tells by number how many are left out.
func issueLines(is llmretry.Issues) string {
	var b strings.Builder
	lines, more := 0, 0
	for _, i := range is {
		s := issueLine(i)
		switch {
		case s == "":
			continue
		case lines == maxIssueLines:
			more++
			continue
		case lines > 0:
			b.WriteByte('\n')
		}
		b.WriteString(s)
		lines++
	}
	if more > 0 {
		b.WriteString("\n" + mark + " +" + strconv.Itoa(more))
	}
	return b.String()
}

// issueLine is the message, after the path if the message does not name it. Without a message it is
//
//	path: code: got -> want
//
// less what is empty.
func issueLine(i llmretry.Issue) string {
	if strings.TrimSpace(i.Message) != "" {
		if strings.Contains(i.Message, i.Path) {
			return oneLine(i.Message)
		}
		return oneLine(i.Path + ": " + i.Message)
	}
	change := i.Got
	if i.Want != "" {
		change = strings.TrimSpace(i.Got + " -> " + i.Want)
	}
	var fields []string
	for _, s := range []string{i.Path, i.Code, change} {
		if s != "" {
			fields = append(fields, s)
		}
	}
	return oneLine(strings.Join(fields, ": "))
}

// oneLine bounds s and puts a space for every control character and line separator: messages quote model output, which
// must not be able to begin a line of its own. It bounds last, since bytes that are not UTF-8 grow into U+FFFD.
func oneLine(s string) string {
	return clipped(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.TrimSpace(s)), maxIssueLine)
}
