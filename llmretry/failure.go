package llmretry

import (
	"encoding/json"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// Issue is one thing wrong with an output, in the language of the schema and never of Go types.
type Issue struct {
	Path    string `json:"path"`              // JSON Pointer of the value at fault; "" = the whole output
	Code    string `json:"code,omitempty"`    // stable and short: required, type, enum, syntax, truncated, check, ...
	Want    string `json:"want,omitempty"`    // what was wanted; "" = not said
	Got     string `json:"got,omitempty"`     // what came, clipped and quoted; "" = nothing came
	Message string `json:"message,omitempty"` // one sentence naming the path
}

// String returns the message, or what can be said from the other fields when there is none.
func (i Issue) String() string {
	if i.Message != "" {
		return i.Message
	}
	path := i.Path
	if path == "" {
		path = "output"
	}
	code := i.Code
	if code == "" {
		code = "refused"
	}
	s := path + ": " + code
	if i.Want != "" {
		s += ", want " + i.Want
	}
	if i.Got != "" {
		s += ", got " + i.Got
	}
	return s
}

// Issues is a list of issues and an error, so that a [Validator] or a parser can simply return it. An empty list is
// not a nil error: return nil when there is nothing to say.
type Issues []Issue

// maxIssuesInText bounds Error(): the whole list is in the value, a log line needs only its beginning.
const maxIssuesInText = 5

// Error joins the first issues, one sentence each; it says how many are left out.
func (is Issues) Error() string { return is.join(Issue.String) }

// brief is Error without anything of the model's text.
func (is Issues) brief() string {
	return is.join(func(i Issue) string { return i.discreet().String() })
}

// discreet returns i without what the model said.
func (i Issue) discreet() Issue {
	if i.Code != "" { // one without a code has nothing but its message, which a check of the caller's made
		i.Message = ""
	}
	if i.Code == codeAdditional { // the name of a property that nobody asked for is the model's word
		i.Path = i.Path[:max(0, strings.LastIndexByte(i.Path, '/'))] + "/*"
	}
	i.Path, i.Got = oneLine(i.Path), ""
	return i
}

// codeAdditional is outputparser's code of a property that the schema does not have.
const codeAdditional = "additional"

func (is Issues) join(say func(Issue) string) string {
	if len(is) == 0 {
		return "no issues"
	}
	var b strings.Builder
	for i, issue := range is {
		if i == maxIssuesInText {
			b.WriteString("; and " + plural(len(is)-i, "more issue"))
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(say(issue))
	}
	return b.String()
}

// Failure is the failure surface of one refused output: everything a [Builder] needs to word a correction and a
// caller needs to see why. It is a copy; Response and its parts are shared with the report and are read-only.
// (Semantics F2.)
type Failure struct {
	OutputContent string // the model's text, verbatim, of the judged choice
	ErrorMessage  string // what was wrong, as the parser or validator said it
	Issues        Issues // nil when the parser or validator gave none
	Err           error  // the parser's or validator's own error
	Attempt       int    // the attempt that was refused, from 0
	Remaining     int    // attempts left after it
	FinishReason  FinishReason
	Usage         Usage           // of this response
	Schema        json.RawMessage // of a parser or error with Schema() json.RawMessage, else nil
	Response      *llms.ContentResponse
	Choice        int          // index of the judged choice in Response
	Earlier       []TrailEntry // of the trail of WithTrail, without this failure

	category ErrorCategory // of a StructuredOutputError; "" = structured_output_invalid, so that a literal made elsewhere is one
}
