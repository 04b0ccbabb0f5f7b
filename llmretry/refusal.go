package llmretry

import (
	"encoding/json"
	"runtime/debug"
	"slices"

	"github.com/tmc/langchaingo/llms"
)

// newFailure begins the surface of a response that may be refused.
func (c *config) newFailure(r *llms.ContentResponse, info AttemptInfo) Failure {
	attempts := c.maxAttempts
	if stop := slices.IndexFunc(c.schedule, func(o Override) bool { return o.Stop }); stop >= 0 {
		attempts = min(attempts, stop+1)
	}
	return Failure{Attempt: info.Index, Remaining: max(0, attempts-info.Index-1), Response: r}
}

// refuse completes f, whose attempt, remaining and response are set, for the judged choice. Tool calls are rendered as
// text, so that they can be replayed to any provider. (Semantics E13, F2.)
func (c *config) refuse(f Failure, choice int, err error) outcome {
	o := outcome{verdict: refused, original: f.Response, choice: choice, judged: true}
	if p, ok := err.(validatorPanic); ok {
		o.verdict, o.err, o.judged = final, p.PanicError, false
		return o
	}
	judged := f.Response.Choices[choice]
	f.Choice, f.OutputContent, f.Err = choice, judged.Content, err
	f.FinishReason, f.Usage = finishReason(judged.StopReason), usageOf(f.Response)
	if c.parser != nil {
		f.Schema = c.parser.schema
	}
	describe(&f, err)
	o.replay.output = f.OutputContent
	if hasToolCalls(f.Response) {
		f.OutputContent = renderCalls(f.Response)
		o.replay.output = f.OutputContent
		if c.nativeTools {
			o.replay.output, o.replay.calls = contents(f.Response), toolCalls(f.Response)
		}
	}
	switch {
	case len(c.truncation) > 0 && f.FinishReason == FinishLength:
		o.verdict, f.category = cut, CategoryTruncated
	case isTerminal(err):
		o.verdict = final
	}
	o.err = &StructuredOutputError{Failure: f}
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

func filteredOut(f Failure, choice int) outcome {
	c := f.Response.Choices[choice]
	f.Choice, f.OutputContent = choice, c.Content
	f.FinishReason, f.Usage = FinishContentFilter, usageOf(f.Response)
	f.ErrorMessage = "the provider's finish reason is " + c.StopReason
	f.category = CategoryContentFiltered
	return outcome{verdict: final, original: f.Response, choice: choice, err: &StructuredOutputError{Failure: f}}
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
