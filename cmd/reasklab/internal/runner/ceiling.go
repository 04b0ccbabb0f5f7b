package runner

import (
	"errors"
	"sync/atomic"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// The errors of a run that ended before its cases did. A run with the same journal goes on where it stopped.
var (
	ErrInterrupted  = errors.New("interrupted")
	ErrCeiling      = errors.New("the ceiling of tokens is reached")
	ErrUnknownUsage = errors.New("a response came without its usage, so a ceiling of tokens cannot be kept")
)

// ceiling is the number of tokens that all workers may use up together. A request is let go while there is something
// left, and what it will cost is not known before: the ceiling is passed by what is in flight then, one answer for each
// worker at most.
type ceiling struct {
	limit   int64 // 0 = none
	used    atomic.Int64
	unknown atomic.Bool
}

// admit is asked before each request.
func (c *ceiling) admit() error {
	switch {
	case c.limit == 0:
		return nil
	case c.unknown.Load():
		return ErrUnknownUsage
	case c.used.Load() >= c.limit:
		return ErrCeiling
	}
	return nil
}

// count takes a response into account.
func (c *ceiling) count(u llmretry.Usage) {
	c.used.Add(int64(tokens(u)))
	if !u.Total.Known {
		c.unknown.Store(true)
	}
}

// tokens is the total of a response. Parts are what is paid for; a total without them is all there is.
func tokens(u llmretry.Usage) int {
	if u.Input.Known && u.Output.Known {
		return u.Input.N + u.Output.N
	}
	return u.Total.N
}
