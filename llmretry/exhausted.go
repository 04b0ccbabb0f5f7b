package llmretry

import "strconv"

// ExhaustedError is the error of a [SchemaRetry] whose last validation failed. It matches [ErrExhausted], unwraps to
// Err, and its [Category] is structured_output_invalid. Match it with errors.As and an *ExhaustedError.
// (Semantics K6.)
type ExhaustedError struct {
	Step  string
	Trail []TrailEntry // everything in the trail, this decode's last failure and earlier steps' included
	Err   error        // the last validation's
}

// Error names the step and says what the validator said last, without the model's texts that it may have quoted. The
// whole of it is in the fields.
func (e *ExhaustedError) Error() string {
	var raws []string
	for _, entry := range e.Trail {
		if entry.Step == e.Step {
			raws = append(raws, entry.Raw)
		}
	}
	return stepText(e.Step, ErrExhausted, e.Err, raws...)
}

// Unwrap returns the last validation's error.
func (e *ExhaustedError) Unwrap() error { return e.Err }

// Is matches ErrExhausted.
func (e *ExhaustedError) Is(target error) bool { return target == ErrExhausted }

// interruptedError is the error of a SchemaRetry whose context ended before it could ask again: it matches what ended the
// context and the last refusal. (Semantics K2.)
type interruptedError struct {
	step string
	stop error
	err  error  // the last validation's
	raw  string // what it was about
}

func (e *interruptedError) Error() string {
	return "llmretry: " + stepText(e.step, e.stop, e.err, e.raw)
}
func (e *interruptedError) Unwrap() []error { return []error{e.stop, e.err} }

// stepText says how a decode ended, in which step and after which refusal.
func stepText(step string, ended, refusal error, raws ...string) string {
	s := ended.Error()
	if step != "" {
		s += ": step " + strconv.Quote(clip(step, maxErrorText))
	}
	if refusal == nil {
		return s
	}
	why := refusal.Error()
	if issues := issuesOf(refusal); len(issues) > 0 {
		why = issues.brief()
	}
	for _, raw := range raws {
		why = withoutOutput(why, raw)
	}
	return s + ": " + clip(why, maxErrorText)
}
