package retrytest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/tmc/langchaingo/llms"
)

// Step is one answer of a [Script]. Make one with [Reply], [ToolCall], [Respond] or [Fail]; its methods return a changed
// copy. The zero value is no response and no error, which a model should never return.
type Step struct {
	name     string // for messages
	response *llms.ContentResponse
	err      error
	chunks   []string
	delay    time.Duration
	block    bool
	do       func(ctx context.Context, r Request)
}

// Reply is a text, with the finish reason stop. When the call has a stream function the text comes as one chunk; see
// [Step.Chunks].
func Reply(text string) Step {
	s := Respond(&llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: text, StopReason: "stop"}}})
	s.name = "Reply(" + clip(strconv.Quote(text), maxShown) + ")"
	if text != "" {
		s.chunks = []string{text}
	}
	return s
}

// ToolCall is the call of one tool, with the finish reason tool_calls. arguments is what the model wrote, JSON or not. The
// response's FuncCall is set too, as clients do.
func ToolCall(id, name, arguments string) Step {
	f := &llms.FunctionCall{Name: name, Arguments: arguments}
	s := Respond(&llms.ContentResponse{Choices: []*llms.ContentChoice{{
		StopReason: "tool_calls", FuncCall: f, ToolCalls: []llms.ToolCall{{ID: id, Type: "function", FunctionCall: f}},
	}}})
	s.name = "ToolCall(" + name + ")"
	return s
}

// Respond is any other response, which may be nil. It is returned as it is and must not change.
func Respond(r *llms.ContentResponse) Step { return Step{name: "Respond", response: r} }

// Fail is an error.
func Fail(err error) Step {
	return Step{name: fmt.Sprintf("Fail(%s)", clip(fmt.Sprint(err), maxShown)), err: err}
}

// Finish sets the stop reason, in the provider's own word.
func (s Step) Finish(reason string) Step {
	return s.choices(func(c *llms.ContentChoice) { c.StopReason = reason })
}

// Usage sets the counters of tokens, as langchaingo's openai client reports them.
func (s Step) Usage(prompt, completion int) Step {
	return s.choices(func(c *llms.ContentChoice) {
		info := map[string]any{}
		for k, v := range c.GenerationInfo {
			info[k] = v
		}
		info["PromptTokens"], info["CompletionTokens"], info["TotalTokens"] = prompt, completion, prompt+completion
		c.GenerationInfo = info
	})
}

// choices changes copies of the choices.
func (s Step) choices(change func(c *llms.ContentChoice)) Step {
	if s.response == nil {
		return s
	}
	list := slices.Clone(s.response.Choices)
	for i, c := range list {
		if c != nil {
			own := *c
			change(&own)
			list[i] = &own
		}
	}
	s.response = &llms.ContentResponse{Choices: list}
	return s
}

// Chunks sets what the call's stream function gets before the answer, or before the error: a stream that broke off. None
// is a client that does not stream.
func (s Step) Chunks(chunks ...string) Step {
	s.chunks = slices.Clone(chunks)
	return s
}

// After delays the step, but not beyond the end of the call's context, whose error is then the call's.
func (s Step) After(d time.Duration) Step {
	s.delay = d
	return s
}

// Block keeps the call until its context is done, and fails with the context's error; the step's own answer never comes.
func (s Step) Block() Step {
	s.block = true
	return s
}

// Do runs f before anything else of the step. It may cancel the context, look at the request, or panic.
func (s Step) Do(f func(ctx context.Context, r Request)) Step {
	s.do = f
	return s
}

// play is what a step does when its turn comes.
func (s Step) play(ctx context.Context, r Request) (*llms.ContentResponse, error) {
	if s.do != nil {
		s.do(ctx, r)
	}
	if s.delay > 0 {
		if err := sleep(ctx, s.delay); err != nil {
			return nil, err
		}
	}
	if s.block {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if err := stream(ctx, r.Options.StreamingFunc, s.chunks); err != nil {
		return nil, err
	}
	return s.response, s.err
}
