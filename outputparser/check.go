package outputparser

import (
	"errors"
	"reflect"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// maxCheckText bounds the text of a check's error in an issue, in bytes.
const maxCheckText = 400

// validator is what a type implements to judge itself.
type validator interface{ Validate() error }

// checksFor turns the options' checks into those of one type.
func checksFor[T any](constructor string, c *config) ([]func(T) error, error) {
	var checks []func(T) error
	for _, check := range c.checks {
		f, ok := check.(func(T) error)
		if !ok {
			return nil, invalid("%s: Check is for %s, the parser for %s", constructor,
				reflect.TypeOf(check).In(0), reflect.TypeFor[T]())
		}
		checks = append(checks, f)
	}
	return checks, nil
}

// judge runs the type's own Validate and the checks.
func (p *JSONParser[T]) judge(v *T) (llmretry.Issues, error) {
	var (
		issues llmretry.Issues
		errs   []error
	)
	add := func(err error) {
		if err != nil {
			issues = append(issues, issuesOf(err)...)
			errs = append(errs, err)
		}
	}
	add(validate(v))
	for _, check := range p.checks {
		add(check(*v))
	}
	if errs == nil {
		return nil, nil
	}
	return issues, errors.Join(errs...)
}

// validate calls the method of the value, or of its pointer. A nil pointer or interface has nothing to judge.
func validate[T any](v *T) error {
	if r := reflect.ValueOf(v).Elem(); (r.Kind() == reflect.Pointer || r.Kind() == reflect.Interface) && r.IsNil() {
		return nil
	}
	if own, ok := any(*v).(validator); ok {
		return own.Validate()
	}
	if own, ok := any(v).(validator); ok {
		return own.Validate()
	}
	return nil
}

// issuesOf makes issues of a check's error: its own when it carries any, one with its text otherwise.
func issuesOf(err error) llmretry.Issues {
	if joined, ok := err.(interface{ Unwrap() []error }); ok { // before errors.As, which would find the first only
		var all llmretry.Issues
		for _, err := range joined.Unwrap() {
			if err != nil {
				all = append(all, issuesOf(err)...)
			}
		}
		if all != nil {
			return all
		}
	}
	var own llmretry.Issues
	if errors.As(err, &own) && len(own) > 0 {
		return own
	}
	var carrier interface{ Issues() llmretry.Issues }
	if errors.As(err, &carrier) && len(carrier.Issues()) > 0 {
		return carrier.Issues()
	}
	return llmretry.Issues{{Code: "check", Message: "output: " + jsontext.Clip(err.Error(), maxCheckText)}}
}
