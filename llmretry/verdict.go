package llmretry

import "errors"

// judgement is a validator's verdict that is neither plain acceptance nor plain refusal.
type judgement struct {
	err     error
	accepts bool
}

func (j *judgement) Error() string { return j.err.Error() }
func (j *judgement) Unwrap() error { return j.err }

// Warn is a validator's verdict: the output is accepted with a reservation, which is kept in the attempt's Warnings.
// Later validators still run. Warn(nil) accepts without one.
func Warn(err error) error {
	if err == nil {
		return nil
	}
	return &judgement{err: err, accepts: true}
}

// Terminal is a validator's or parser's verdict: the output is refused and no further attempt will do better, because
// it is the input that is wrong. The call ends at once, builder or not, with a [*StructuredOutputError].
func Terminal(err error) error {
	if err == nil {
		err = errors.New("terminal")
	}
	return &judgement{err: err}
}

// asWarning returns what a verdict that accepts has to say.
func asWarning(err error) (warning error, ok bool) {
	j, ok := err.(*judgement)
	if !ok || !j.accepts {
		return nil, false
	}
	return j.err, true
}

// isTerminal reports whether a refusal is for good, however it was wrapped.
func isTerminal(err error) bool {
	j, ok := find[*judgement](err)
	return ok && !j.accepts
}
