package llmretry

import (
	"encoding/json"
	"runtime/debug"

	"github.com/tmc/langchaingo/llms"
)

// newFailure begins the surface of a response that was refused for the judged choice. Tool calls are rendered as text,
// so that they can be replayed to any provider. (Semantics E13, F2.)
func (c *config) newFailure(r *llms.ContentResponse, info AttemptInfo, choice int) *StructuredOutputError {
	attempts := c.maxAttempts
	for i := range c.schedule {
		if c.schedule[i].Stop {
			attempts = min(attempts, i+1)
			break
		}
	}
	e := new(StructuredOutputError)
	e.Attempt, e.Remaining, e.Response, e.Choice = info.Index, max(0, attempts-info.Index-1), r, choice
	e.OutputContent, e.Usage = r.Choices[choice].Content, usageOf(r)
	if hasToolCalls(r) {
		e.OutputContent = renderCalls(r)
	}
	return e
}

// refuse is the outcome of a response whose judged choice was refused with err.
func (c *config) refuse(r *llms.ContentResponse, info AttemptInfo, choice int, err error) outcome {
	o := outcome{verdict: refused, original: r, choice: choice, judged: true}
	if p, ok := err.(validatorPanic); ok {
		o.verdict, o.err, o.judged = final, p.PanicError, false
		return o
	}
	f := c.newFailure(r, info, choice)
	f.Err, f.FinishReason = err, finishReason(r.Choices[choice].StopReason)
	if c.parser != nil {
		f.Schema = c.parser.schema
	}
	describe(&f.Failure, err)
	o.err, o.replay.output = f, f.OutputContent
	if c.nativeTools && hasToolCalls(r) {
		o.replay.output, o.replay.calls = contents(r), toolCalls(r)
	}
	switch {
	case len(c.truncation) > 0 && f.FinishReason == FinishLength:
		o.verdict, f.category = cut, CategoryTruncated
	case isTerminal(err):
		o.verdict = final
	}
	return o
}

// describe reads what the parser's or validator's error says. Its own methods may panic, as those of a nil pointer in
// an error do: then that is what there is to say.
func describe(f *Failure, err error) {
	defer func() {
		if v := recover(); v != nil {
			f.Err = &PanicError{Value: v, Stack: debug.Stack()}
			f.ErrorMessage = f.Err.Error()
		}
	}()
	f.ErrorMessage = err.Error()
	f.Issues = issuesOf(err)
	if s, ok := find[interface{ Schema() json.RawMessage }](err); ok {
		if schema := s.Schema(); schema != nil {
			f.Schema = schema
		}
	}
}

func (c *config) filteredOut(r *llms.ContentResponse, info AttemptInfo, choice int) outcome {
	f := c.newFailure(r, info, choice)
	f.FinishReason, f.category = FinishContentFilter, CategoryContentFiltered
	f.ErrorMessage = "the provider's finish reason is " + r.Choices[choice].StopReason
	return outcome{verdict: final, original: r, choice: choice, err: f}
}

func issuesOf(err error) Issues {
	if is, ok := find[Issues](err); ok {
		return is
	}
	if has, ok := find[interface{ Issues() Issues }](err); ok {
		return has.Issues()
	}
	return nil
}
