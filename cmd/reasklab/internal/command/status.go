package command

import (
	"errors"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/journal"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/runner"
)

// The exit statuses; docs/lab.md has them too.
const (
	StatusOK          = 0
	StatusBroken      = 1   // a file cannot be read or written, or another thing nobody planned
	StatusUsage       = 2   // flags, cases, schemas, strategies or a provider that are not right
	StatusRefused     = 3   // everything was run; -out: not every case is valid, -want: nothing reaches it
	StatusCeiling     = 4   // the ceiling of tokens is reached; the journal goes on with a higher one
	StatusProvider    = 5   // the provider refuses all of it or failed some of it; the journal goes on when it is mended
	StatusJournal     = 6   // the journal is that of other inputs, corrupt, or in use
	StatusInterrupted = 130 // by a signal; the journal goes on
)

// statusOf is the status of a run that ended with err, and whether its results so far are worth showing.
func statusOf(err error) (status int, partial bool) {
	var stopped *runner.StoppedError
	switch {
	case err == nil:
		return StatusOK, true
	case errors.Is(err, runner.ErrCeiling), errors.Is(err, runner.ErrUnknownUsage):
		return StatusCeiling, true
	case errors.As(err, &stopped):
		return StatusProvider, true
	case errors.Is(err, runner.ErrInterrupted):
		return StatusInterrupted, true
	case errors.Is(err, journal.ErrOtherInputs), errors.Is(err, journal.ErrCorrupt), errors.Is(err, journal.ErrInUse):
		return StatusJournal, false
	}
	return StatusBroken, false
}
