package llmretry

import (
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
)

// verdict says what an attempt came to, as far as the loop must tell.
//
//	verdict   attempt's error                         what the loop does
//	accepted  nil                                     returns the response
//	refused   StructuredOutputError (invalid)         reasks with a builder, else asks the classifier
//	cut       StructuredOutputError (truncated)       next truncation override, nothing appended
//	failed    the model's own, a timeout, an empty    asks the classifier
//	final     filtered, panic, caller's abort, ...    ends the call
type verdict int

const (
	accepted verdict = iota
	refused
	cut
	failed
	final
)

// outcome is a judged attempt.
type outcome struct {
	verdict  verdict
	response *llms.ContentResponse // what the call returns when accepted
	original *llms.ContentResponse // what the model returned
	choice   int                   // the judged choice of original
	err      error                 // nil iff accepted
	raw      error                 // the model's own error, when err only annotates it
	stopped  error                 // what ended the caller's context, when it did during the attempt
	demand   time.Duration         // of the server, after a failure; 0 = none
	replay   exchangePair          // of a refusal: what a reask appends, without the correction
	latency  time.Duration         // of the model call
	checked  bool                  // refused by a validator, the parser had accepted
	warnings []error               // of validators that accepted with reservations
}

// parser is a schema.OutputParser[T] whatever its T.
type parser struct {
	parse  func(text string) error
	schema json.RawMessage
	tool   string // name of the tool whose arguments are the value; "" = none
}

// newParser wraps p; keep gets each accepted value.
func newParser[T any](p schema.OutputParser[T], keep func(T)) *parser {
	w := &parser{parse: func(text string) error {
		v, err := p.Parse(text)
		if err == nil {
			keep(v)
		}
		return err
	}}
	if s, ok := any(p).(interface{ Schema() json.RawMessage }); ok {
		w.schema = s.Schema()
	}
	if t, ok := any(p).(interface{ ToolName() string }); ok {
		w.tool = t.ToolName()
	}
	return w
}

// judges reports whether anything of the caller's judges outputs at all. (Semantics F4.)
func (c *config) judges() bool {
	return c.parser != nil || len(c.validators) > 0 || len(c.toolValidators) > 0
}

// judge decides about a response that came without an error.
func (c *config) judge(ctx context.Context, r *llms.ContentResponse, info AttemptInfo) outcome {
	first := -1
	if r != nil {
		first = slices.IndexFunc(r.Choices, func(ch *llms.ContentChoice) bool { return ch != nil })
	}
	switch {
	case first < 0: // F8
		return outcome{verdict: failed, err: errEmptyResponse, original: r, choice: -1}
	case !c.judges(): // F4
		return accept(r, first)
	case !hasToolCalls(r), c.ownCalls(r):
		return c.judgeTexts(ctx, r, info)
	case len(c.toolValidators) == 0: // F3
		return accept(r, first)
	default:
		return c.judgeTools(ctx, r, info)
	}
}

// ownCalls reports whether r is structured output that arrived as a call of the parser's own declared tool, and calls
// nothing else. (Semantics F3.)
func (c *config) ownCalls(r *llms.ContentResponse) bool {
	return c.parser != nil && c.parser.tool != "" && !slices.ContainsFunc(toolCalls(r), func(call llms.ToolCall) bool {
		return call.FunctionCall.Name != c.parser.tool
	})
}

// judgeTexts looks for the first choice that the parser accepts, then asks the validators about the response with
// that choice first. What is parsed is a choice's text or the arguments of its own calls. (Semantics F7, F8, F9.)
func (c *config) judgeTexts(ctx context.Context, r *llms.ContentResponse, info AttemptInfo) outcome {
	candidate, filtered, blank := -1, -1, -1
	var refusal error
	called := hasToolCalls(r)
	for i, text := range payloads(r, called) {
		switch {
		case finishReason(r.Choices[i].StopReason) == FinishContentFilter:
			filtered = firstOf(filtered, i)
			continue
		case strings.TrimSpace(text) == "" && !called:
			blank = firstOf(blank, i)
			continue
		}
		err := c.parse(text)
		if err == nil {
			candidate, refusal = i, nil
			break
		}
		if candidate < 0 {
			candidate, refusal = i, err
		}
	}
	f := c.newFailure(r, info)
	switch {
	case candidate >= 0 && refusal == nil:
		return c.validate(ctx, c.validators, accept(r, candidate), f, info)
	case candidate >= 0:
		return c.refuse(f, candidate, refusal)
	case filtered >= 0:
		return filteredOut(f, filtered)
	case len(c.truncation) > 0 && finishReason(r.Choices[blank].StopReason) == FinishLength:
		// The limit was spent before the answer began, on reasoning: more tokens help, a replay cannot.
		return c.refuse(f, blank, errEmptyResponse)
	default:
		return outcome{verdict: failed, err: errEmptyResponse, original: r, choice: blank}
	}
}

// judgeTools asks the tool validators. (Semantics F3.)
func (c *config) judgeTools(ctx context.Context, r *llms.ContentResponse, info AttemptInfo) outcome {
	first := slices.IndexFunc(r.Choices, hasCalls)
	f := c.newFailure(r, info)
	if finishReason(r.Choices[first].StopReason) == FinishContentFilter {
		return filteredOut(f, first)
	}
	o := accept(r, slices.IndexFunc(r.Choices, func(ch *llms.ContentChoice) bool { return ch != nil }))
	o.choice = first
	return c.validate(ctx, c.toolValidators, o, f, info)
}

func (c *config) newFailure(r *llms.ContentResponse, info AttemptInfo) Failure {
	attempts := c.maxAttempts
	if stop := slices.IndexFunc(c.schedule, func(o Override) bool { return o.Stop }); stop >= 0 {
		attempts = min(attempts, stop+1)
	}
	return Failure{Attempt: info.Index, Remaining: max(0, attempts-info.Index-1), Response: r}
}

// validate asks the validators about an outcome that would be accepted.
func (c *config) validate(ctx context.Context, validators []Validator, o outcome, f Failure, info AttemptInfo) outcome {
	if len(validators) == 0 {
		return o
	}
	ctx = withInfo(ctx, info)
	for _, v := range validators {
		err := validate(ctx, v, o.response)
		if warning, ok := asWarning(err); ok {
			o.warnings = append(o.warnings, warning)
		} else if err != nil {
			refused := c.refuse(f, o.choice, err)
			refused.checked = true
			return refused
		}
	}
	return o
}

// parse runs the parser. Libraries' parsers do panic on model output, so a panic is a refusal. (Semantics J2.)
func (c *config) parse(text string) (err error) {
	if c.parser == nil {
		return nil
	}
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return c.parser.parse(text)
}

// validatorPanic marks a panic in a validator, which is a bug and final, unlike one in a parser.
type validatorPanic struct{ *PanicError }

func validate(ctx context.Context, v Validator, r *llms.ContentResponse) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = validatorPanic{&PanicError{Value: v, Stack: debug.Stack()}}
		}
	}()
	return v(ctx, r)
}

// accept returns the response with choice i first: chains read choice 0. (Semantics A4.)
func accept(r *llms.ContentResponse, i int) outcome {
	o := outcome{response: r, original: r, choice: i}
	if i > 0 {
		choices := make([]*llms.ContentChoice, 0, len(r.Choices))
		choices = append(choices, r.Choices[i])
		choices = append(choices, r.Choices[:i]...)
		o.response = &llms.ContentResponse{Choices: append(choices, r.Choices[i+1:]...)}
	}
	return o
}

// refuse completes f, whose attempt, remaining and response are set, for the judged choice. Tool calls are rendered as
// text, so that they can be replayed to any provider. (Semantics E13, F2.)
func (c *config) refuse(f Failure, choice int, err error) outcome {
	o := outcome{verdict: refused, original: f.Response, choice: choice}
	if p, ok := err.(validatorPanic); ok {
		o.verdict, o.err = final, p.PanicError
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
	var s interface{ Schema() json.RawMessage }
	if errors.As(err, &s) {
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
	var is Issues
	if errors.As(err, &is) {
		return is
	}
	var has interface{ Issues() Issues }
	if errors.As(err, &has) {
		return has.Issues()
	}
	return nil
}

func firstOf(have, i int) int {
	if have < 0 {
		return i
	}
	return have
}
