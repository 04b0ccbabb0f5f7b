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
	latency  time.Duration         // of the model call; 0 = not measured yet
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

// judge decides about a response that came without an error. attempt is its index.
func (c *config) judge(ctx context.Context, r *llms.ContentResponse, attempt int) outcome {
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
		return c.judgeTexts(ctx, r, attempt)
	case len(c.toolValidators) == 0: // F3
		return accept(r, first)
	default:
		return c.judgeTools(ctx, r, attempt)
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
func (c *config) judgeTexts(ctx context.Context, r *llms.ContentResponse, attempt int) outcome {
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
	f := Failure{Attempt: attempt, Remaining: c.maxAttempts - attempt - 1, Response: r}
	switch {
	case candidate >= 0 && refusal == nil:
		front := accept(r, candidate)
		for _, v := range c.validators {
			if err := validate(ctx, v, front.response); err != nil {
				return c.refuse(f, candidate, err)
			}
		}
		return front
	case candidate >= 0:
		f.Schema = c.parser.schema
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
func (c *config) judgeTools(ctx context.Context, r *llms.ContentResponse, attempt int) outcome {
	first := slices.IndexFunc(r.Choices, hasCalls)
	f := Failure{Attempt: attempt, Remaining: c.maxAttempts - attempt - 1, Response: r}
	if finishReason(r.Choices[first].StopReason) == FinishContentFilter {
		return filteredOut(f, first)
	}
	for _, v := range c.toolValidators {
		if err := validate(ctx, v, r); err != nil {
			return c.refuse(f, first, err)
		}
	}
	return accept(r, slices.IndexFunc(r.Choices, func(ch *llms.ContentChoice) bool { return ch != nil }))
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

// refuse completes f, whose attempt, remaining, response and the parser's schema are set, for the judged choice. Tool
// calls are rendered as text, so that they can be replayed to any provider. (Semantics E13, F2.)
func (c *config) refuse(f Failure, choice int, err error) outcome {
	o := outcome{verdict: refused, original: f.Response, choice: choice}
	if p, ok := err.(validatorPanic); ok {
		o.verdict, o.err = final, p.PanicError
		return o
	}
	f.Choice, f.OutputContent, f.Err, f.ErrorMessage = choice, f.Response.Choices[choice].Content, err, err.Error()
	if hasToolCalls(f.Response) {
		f.OutputContent = renderCalls(f.Response)
	}
	f.FinishReason = finishReason(f.Response.Choices[choice].StopReason)
	f.Usage = usageOf(f.Response)
	f.Issues = issuesOf(err)
	var s interface{ Schema() json.RawMessage }
	if errors.As(err, &s) && s.Schema() != nil {
		f.Schema = s.Schema()
	}
	refusal := &StructuredOutputError{Failure: f}
	if len(c.truncation) > 0 && f.FinishReason == FinishLength {
		o.verdict, refusal.category = cut, CategoryTruncated
	}
	o.err = refusal
	return o
}

func filteredOut(f Failure, choice int) outcome {
	c := f.Response.Choices[choice]
	f.Choice, f.OutputContent = choice, c.Content
	f.FinishReason, f.Usage = FinishContentFilter, usageOf(f.Response)
	f.ErrorMessage = "the provider's finish reason is " + c.StopReason
	err := &StructuredOutputError{Failure: f, category: CategoryContentFiltered}
	return outcome{verdict: final, original: f.Response, choice: choice, err: err}
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
