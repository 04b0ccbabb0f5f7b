package outputparser

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Error is what every parser of this package returns for an output it refuses. Use errors.As with an *Error, or
// directly with an [llmretry.Issues].
type Error struct {
	issues llmretry.Issues
	schema json.RawMessage
	cause  error
}

// Error joins the first issues.
func (e *Error) Error() string { return e.issues.Error() }

// Issues returns what is wrong, at least one entry, in stable order. The caller must not change it.
func (e *Error) Issues() llmretry.Issues { return e.issues }

// Schema returns the schema that the output was judged by, or nil.
func (e *Error) Schema() json.RawMessage { return bytes.Clone(e.schema) }

// Unwrap returns the issues as an error, and the error of a check or of a foreign parser when there is one.
func (e *Error) Unwrap() []error {
	if e.cause == nil {
		return []error{e.issues}
	}
	return []error{e.issues, e.cause}
}

// refuse makes an Error of one issue.
func refuse(issue llmretry.Issue) *Error { return &Error{issues: llmretry.Issues{issue}} }

// invalid is a constructor's error.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: outputparser: "+format, append([]any{llmretry.ErrInvalidOption}, args...)...)
}
