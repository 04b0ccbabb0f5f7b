package llmretry

import (
	"context"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"
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
	judged   bool                  // a parser or validator gave the verdict
	warnings []error               // of validators that accepted with reservations
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
	switch {
	case candidate >= 0 && refusal == nil:
		o := accept(r, candidate)
		o.judged = c.parser != nil
		return c.validate(ctx, c.validators, o, info)
	case candidate >= 0:
		return c.refuse(r, info, candidate, refusal)
	case filtered >= 0:
		return c.filteredOut(r, info, filtered)
	case len(c.truncation) > 0 && finishReason(r.Choices[blank].StopReason) == FinishLength:
		// The limit was spent before the answer began, on reasoning: more tokens help, a replay cannot.
		return c.refuse(r, info, blank, errEmptyResponse)
	default:
		return outcome{verdict: failed, err: errEmptyResponse, original: r, choice: blank}
	}
}

// judgeTools asks the tool validators. (Semantics F3.)
func (c *config) judgeTools(ctx context.Context, r *llms.ContentResponse, info AttemptInfo) outcome {
	first := slices.IndexFunc(r.Choices, hasCalls)
	if finishReason(r.Choices[first].StopReason) == FinishContentFilter {
		return c.filteredOut(r, info, first)
	}
	o := accept(r, slices.IndexFunc(r.Choices, func(ch *llms.ContentChoice) bool { return ch != nil }))
	o.choice = first
	return c.validate(ctx, c.toolValidators, o, info)
}

// validate asks the validators about an outcome that would be accepted.
func (c *config) validate(ctx context.Context, validators []Validator, o outcome, info AttemptInfo) outcome {
	if len(validators) == 0 {
		return o
	}
	ctx = withInfo(ctx, info)
	o.judged = true
	for _, v := range validators {
		err := validate(ctx, v, o.response)
		if warning, ok := asWarning(err); ok {
			o.warnings = append(o.warnings, warning)
		} else if err != nil {
			refused := c.refuse(o.original, info, o.choice, err)
			refused.checked = true
			return refused
		}
	}
	return o
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

func firstOf(have, i int) int {
	if have < 0 {
		return i
	}
	return have
}
