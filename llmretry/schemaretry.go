package llmretry

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
)

// SchemaRetry decodes a text that a model wrote, and asks again with the errors so far while it is refused. It needs no
// decorator and no llms.Model: AskAgain is any function that turns a prompt into a text, a spawned agent as well.
//
// The first text is the caller's. Each refusal goes into the trail, then Compose makes a prompt of Prompt and of
// everything in the trail, earlier steps too, and what AskAgain returns is validated next. MaxAttempts counts
// validations, the first one included. (Semantics K1 to K6.)
//
// The zero value is not usable: Validate, AskAgain and Compose are required, and Run says which one is missing. A
// SchemaRetry is not written to; it serves any number of goroutines, as far as its functions do.
type SchemaRetry[T any] struct {
	Prompt      string                                                   // what the first text was asked with; every further question begins with it
	Validate    func(raw string) (T, error)                              // gets each text verbatim; a parser's Parse method will do
	AskAgain    func(ctx context.Context, prompt string) (string, error) // its error ends the decode
	Compose     func(prompt string, earlier []TrailEntry) string         // such as PreviousErrors(""); there is no default wording
	Trail       *Trail                                                   // shared by the steps of a pipeline; nil = a private one
	Step        string                                                   // this step's name in the trail
	MaxAttempts int                                                      // validations; 0 = 3
	Outcome     func(ctx context.Context, o Outcome)                     // once per validation; may be nil
}

// Run validates initial, the model's first answer to Prompt, and asks again while validation fails and attempts are
// left. It returns
//
//   - the value of the first text that validates; nothing is recorded for it,
//   - [*ExhaustedError] when the last validation failed,
//   - AskAgain's error as it is; it is neither recorded nor retried,
//   - when ctx is done before a question, an error that matches its error, its cause and the last refusal,
//   - [ErrInvalidOption], once for each thing that is wrong with s, before anything is validated.
//
// A panic in Validate refuses the text, as a [*PanicError]: parsers do panic on what models write. One in another
// function of the caller's propagates. (Semantics K2, K3, K6 to K9, J2.)
func (s SchemaRetry[T]) Run(ctx context.Context, initial string) (T, error) {
	var none T
	if err := s.check(); err != nil {
		return none, err
	}
	attempts, trail := s.MaxAttempts, s.Trail
	if attempts == 0 {
		attempts = defaultMaxAttempts
	}
	if trail == nil {
		trail = NewTrail(max(attempts, defaultTrailLimit)) // the whole of it goes into the error
	}
	raw := initial
	for attempt := 0; ; attempt++ {
		v, why, refusal := s.validate(raw)
		if refusal == nil {
			s.tell(ctx, OutcomeSuccess)
			return v, nil
		}
		_, soFar := trail.record(TrailEntry{Step: s.Step, Attempt: attempt, Error: why, Raw: raw, Count: 1})
		if attempt+1 == attempts {
			s.tell(ctx, OutcomeExhausted)
			return none, &ExhaustedError{Step: s.Step, Trail: soFar, Err: refusal}
		}
		prompt := s.Compose(s.Prompt, soFar)
		if ctx.Err() == nil {
			s.tell(ctx, OutcomeRetry)
		}
		if ctx.Err() != nil { // before, or by now: the functions are the caller's
			return none, &interruptedError{s.Step, stoppedBy(ctx), refusal, raw}
		}
		var err error
		if raw, err = s.AskAgain(ctx, prompt); err != nil {
			return none, err
		}
	}
}

func (s SchemaRetry[T]) check() error {
	var problems []error
	problem := func(text string) {
		problems = append(problems, fmt.Errorf("%w: SchemaRetry: %s", ErrInvalidOption, text))
	}
	if s.Validate == nil {
		problem("nil Validate")
	}
	if s.AskAgain == nil {
		problem("nil AskAgain")
	}
	if s.Compose == nil {
		problem("nil Compose; PreviousErrors makes one")
	}
	if s.MaxAttempts < 0 {
		problem(fmt.Sprintf("MaxAttempts %d: want at least 1, or 0 for %d", s.MaxAttempts, defaultMaxAttempts))
	}
	if s.Trail != nil && !s.Trail.valid() {
		problem("a Trail with a negative limit")
	}
	return errors.Join(problems...)
}

// validate returns the value, or the error and what it says. An error whose own methods panic is a panic of Validate's.
func (s SchemaRetry[T]) validate(raw string) (v T, why string, refusal error) {
	v, err := s.guarded(raw)
	if err == nil {
		return v, "", nil
	}
	f := Failure{Err: err}
	describe(&f, err)
	return v, f.ErrorMessage, f.Err
}

func (s SchemaRetry[T]) guarded(raw string) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	return s.Validate(raw)
}

func (s SchemaRetry[T]) tell(ctx context.Context, o Outcome) {
	if s.Outcome != nil {
		s.Outcome(ctx, o)
	}
}

// PreviousErrors returns a Compose for [SchemaRetry]: the prompt, a blank line, then heading and the errors, oldest
// first, one a line. An entry is one line whatever its Count; line breaks inside an error become spaces. heading is put
// there as it is, and the first error right behind it: end it with a line break or a space. "" stands for the wording of
// the document this follows, "you previously got these errors: ", and is the only prompt text this package has.
//
// Without entries the result is the prompt alone, without a prompt there is no blank line. It is safe for concurrent use.
// (Semantics K4.)
func PreviousErrors(heading string) func(prompt string, earlier []TrailEntry) string {
	if heading == "" {
		heading = "you previously got these errors: "
	}
	oneLine := strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")
	return func(prompt string, earlier []TrailEntry) string {
		if len(earlier) == 0 {
			return prompt
		}
		var b strings.Builder
		if prompt != "" {
			b.WriteString(prompt + "\n\n")
		}
		b.WriteString(heading)
		for i, e := range earlier {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(oneLine.Replace(e.Error))
		}
		return b.String()
	}
}
