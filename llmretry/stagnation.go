package llmretry

import (
	"slices"
	"strings"
)

// Stagnation says when a call that gets nowhere gives up. The zero value never does.
type Stagnation struct {
	Outputs  int  // the same output refused that many times in a row, 2 at least; 0 = not looked at
	Issues   int  // the same issues, by path and code, that many times in a row, 2 at least; 0 = not looked at
	Escalate bool // instead of giving up, jump to the next entry of the schedule, while there is one
}

// WithStagnation ends a call with [ErrStagnated] when the model keeps giving the same wrong answer, or lets it jump
// ahead in the schedule of [WithPerAttemptOverride]. Attempts that failed otherwise in between do not count.
func WithStagnation(s Stagnation) Option {
	return func(c *config) {
		for _, n := range []int{s.Outputs, s.Issues} {
			if n < 0 || n == 1 {
				c.problem("WithStagnation: %d times in a row: want 0, or at least 2", n)
			}
		}
		c.stagnation = s
	}
}

// streak counts refusals that say the same.
type streak struct {
	last  string
	times int
}

func (s *streak) next(what string) int {
	if s.times > 0 && s.last == what {
		s.times++
	} else {
		*s = streak{what, 1}
	}
	return s.times
}

// stagnates takes note of a refused output and returns ErrStagnated when that is one too many of the same.
func (k *call) stagnates(o *outcome) error {
	s := k.c.stagnation
	if o.verdict != refused || s.Outputs == 0 && s.Issues == 0 {
		return nil
	}
	refusal := o.err.(*StructuredOutputError)
	outputs, issues := k.outputs.next(refusal.OutputContent), k.issues.next(fingerprint(refusal))
	if (s.Outputs == 0 || outputs < s.Outputs) && (s.Issues == 0 || issues < s.Issues) {
		return nil
	}
	if s.Escalate && k.index+k.skipped+1 < len(k.c.schedule) {
		k.skipped++
		k.outputs, k.issues = streak{}, streak{}
		return nil
	}
	return ErrStagnated
}

// fingerprint is the set of what was wrong, without how it was worded.
func fingerprint(e *StructuredOutputError) string {
	if len(e.Issues) == 0 {
		return e.ErrorMessage
	}
	set := make([]string, len(e.Issues))
	for i, issue := range e.Issues {
		set[i] = issue.Path + "\x00" + issue.Code
	}
	slices.Sort(set)
	return strings.Join(slices.Compact(set), "\x01")
}
