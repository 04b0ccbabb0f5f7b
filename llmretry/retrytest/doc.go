// Package retrytest tests code that calls a model, and its policy of retries, without one.
//
//   - [FaultModel] makes mistakes: an llms.Model that answers with a right value, spoiled at rates that you set. It is a
//     model of faults, made to compare retry policies, and no model of any language model.
//   - [Script] plays replies and errors in order, and fails the test when it is asked too often or not often enough.
//   - [Recorder] writes the exchanges with a real model to a file, without secrets; [Player] answers from it, offline and
//     strictly: a prompt or an option that changed is an error which says what changed.
//
// Everything is deterministic, bounded, and safe for concurrent use. Waiting is done with package time, so that
// testing/synctest can take it over.
package retrytest

import (
	"fmt"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// invalid says what is wrong with an argument.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{llmretry.ErrInvalidOption}, args...)...)
}
