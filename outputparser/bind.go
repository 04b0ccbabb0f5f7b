package outputparser

import (
	"reflect"
	"runtime/debug"

	"github.com/llmretry/langchaingo-llmretry/internal/jsonbind"
	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/llmretry/langchaingo-llmretry/internal/schemacheck"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

func (p *JSONParser[T]) refuse(issues llmretry.Issues, cause error) *Error {
	return &Error{issues: p.reader.limits.cut(issues), schema: p.schema, cause: cause}
}

// bind puts an accepted value into dst.
func (p *JSONParser[T]) bind(got reading, dst *T) (llmretry.Issues, error) {
	if p.plan == nil {
		*dst, _ = got.tree.(T)
		return nil, nil
	}
	faults := p.plan.BindTo(jsonbind.Source{Tree: got.tree, Text: got.text, At: got.at}, reflect.ValueOf(dst).Elem())
	if faults == nil {
		return nil, nil
	}
	return faultIssues(faults, p.reader.schema.Pointer)
}

// faultIssues words what the schema took and the type cannot hold.
func faultIssues(faults []jsonbind.Fault, pointer func(path []string) string) (issues llmretry.Issues, cause error) {
	for _, f := range faults {
		issue := llmretry.Issue{
			Path: pointer(f.Path), Code: f.Code, Want: f.Want, Got: jsontext.Sample(f.Got, maxSample/2),
		}
		text := "value is not accepted"
		if f.Want != "" {
			text = "want " + f.Want
		}
		issue.Message = schemacheck.Place(issue.Path) + ": " + text + ", got " + issue.Got
		issues = append(issues, issue)
		if cause == nil {
			cause = f.Err
		}
	}
	return issues, cause
}

// panicked makes issues of a panic in code that is not ours.
func panicked(value any) (llmretry.Issues, error) {
	return llmretry.Issues{{Code: "panic", Message: "output: could not be judged, the code that judges it failed"}},
		&llmretry.PanicError{Value: value, Stack: debug.Stack()}
}
