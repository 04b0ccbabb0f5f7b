package reaskprompt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Template returns a builder that renders text, a text/template, with an [llmretry.Failure] as its dot. Besides
// text/template's own functions there are
//
//	issues .         the issues, one a line, bounded; the error message when there are none
//	issues .Issues   the same without the error message: "" when there are none
//	clip 200 TEXT    TEXT cut to at most 200 bytes, on a rune's border; a cut ends in "...", which counts; 7 at least
//	quote TEXT       TEXT as a JSON string literal
//	fence TEXT       TEXT between two lines of backticks, more than any run of them in TEXT
//
// TEXT is a string, an error, or anything that prints. A line of issues is an issue's message, after the path if the
// message does not name it; without a message it is path, code, got and want, with punctuation only.
//
// .Schema and .Issues print as text here: {{.Schema}} is the schema and {{.Issues}} is {{issues .Issues}}.
//
// What can be found wrong with text is found here: blank text, a syntax error, a field or template that does not
// exist, also in branches that are seldom taken, and anything that fails for either of two made-up failures, one with
// everything set and one as a parser gives that has neither issues nor schema. All of it matches
// [llmretry.ErrInvalidOption]. A template that fails nevertheless ends the call. (Semantics E10.)
func Template(text string) (llmretry.Builder, error) {
	if strings.TrimSpace(text) == "" {
		return nil, invalid("Template: blank text")
	}
	t, err := template.New("reask").Option("missingkey=error").Funcs(helpers).Parse(text)
	if err != nil {
		return nil, invalid("Template: %w", err)
	}
	if err := checkFields(t); err != nil {
		return nil, invalid("Template: %w", err)
	}
	blank := true
	for _, s := range samples() {
		out, err := render(t, s.failure)
		if err != nil {
			return nil, invalid("Template: for a failure with %s: %w", s.name, err)
		}
		blank = blank && strings.TrimSpace(out) == ""
	}
	if blank {
		return nil, invalid("Template: renders blank text")
	}
	return func(_ context.Context, f llmretry.Failure) (string, error) { return render(t, f) }, nil
}

func render(t *template.Template, f llmretry.Failure) (string, error) {
	var b strings.Builder
	data := view{Failure: f, Issues: newIssueList(f.Issues), Schema: string(f.Schema)}
	if err := t.Execute(&b, data); err != nil {
		return "", fmt.Errorf("reaskprompt: %w", err)
	}
	return b.String(), nil
}

// view is the dot of a template: the failure, with the two fields that text/template would print badly, a schema as a
// list of bytes and issues as one error text, put in front of the failure's own.
type view struct {
	llmretry.Failure
	Issues issueList
	Schema string
}

var helpers = template.FuncMap{
	"issues": issuesHelper,
	"clip":   clipHelper,
	"quote":  func(v any) string { return quoted(textOf(v)) },
	"fence":  func(v any) string { return fenced(textOf(v)) },
}

func issuesHelper(v any) (string, error) {
	switch v := v.(type) {
	case view:
		return issuesOf(&v.Failure), nil
	case issueList:
		return v.String(), nil
	}
	return "", fmt.Errorf("issues: want . or .Issues, got %T", v)
}

func clipHelper(max int, v any) (string, error) {
	if max < minClip {
		return "", fmt.Errorf("clip %d: want at least %d bytes", max, minClip)
	}
	return clipped(textOf(v), max), nil
}

// sample is a failure a template is tried on when it is made.
type sample struct {
	name    string
	failure llmretry.Failure
}

// samples are the two ends of what the loop hands over: everything set, and only what it always sets.
func samples() []sample {
	response := &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "{}", StopReason: "stop"}}}
	refusal := errors.New("/name: required")
	bare := llmretry.Failure{
		OutputContent: "{}",
		ErrorMessage:  refusal.Error(),
		Err:           refusal,
		Remaining:     2,
		FinishReason:  llmretry.FinishStop,
		Response:      response,
	}
	full := bare
	full.Attempt, full.Remaining = 1, 1
	full.Issues = llmretry.Issues{
		{Path: "/name", Code: "required", Want: "string", Message: "/name: required"},
		{Path: "/age", Code: "type", Want: "integer", Got: `"7"`},
	}
	full.Usage = llmretry.Usage{Input: known(3), Output: known(1), Total: known(4)}
	full.Schema = json.RawMessage(`{"type":"object"}`)
	full.Earlier = []llmretry.TrailEntry{{Step: "extract", Error: "syntax", Raw: "{", Count: 1}}
	return []sample{{"everything set", full}, {"neither issues nor schema", bare}}
}

func known(n int) llmretry.Count { return llmretry.Count{N: n, Known: true} }

// invalid is an error about an argument of this package.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: reaskprompt."+format, append([]any{llmretry.ErrInvalidOption}, args...)...)
}
