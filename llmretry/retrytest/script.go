package retrytest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

var _ llms.Model = (*Script)(nil)

// Script is an llms.Model that plays steps in order, whatever it is asked. It fails its test at once when it is asked
// more often than it has steps, and at the end when some were not played. It is safe for concurrent use; calls that are
// made at the same time take their steps in the order they come in. Make one with [NewScript].
type Script struct {
	mu       sync.Mutex
	t        testing.TB // nil when the test is over
	steps    []Step
	requests []Request
}

// Request is what a [Script] was asked: deep copies, but for the functions in it.
type Request struct {
	Messages []llms.MessageContent
	Options  llms.CallOptions // in effect
	Sent     map[string]any   // those that were set, by JSON name: a temperature of 0 is one
}

// NewScript returns a model of these steps, for tests: t must not be nil.
func NewScript(t testing.TB, steps ...Step) *Script {
	s := &Script{t: t, steps: slices.Clone(steps)}
	t.Cleanup(s.end)
	return s
}

// end reports what was not played.
func (s *Script) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.t
	s.t = nil // a call that comes later must not touch it
	t.Helper()
	if n := len(s.requests); n < len(s.steps) {
		t.Errorf("retrytest: the script has %s, the model was asked for %d; step %d was to be %s", plural(len(s.steps), "step"), n, n, s.steps[n].name)
	}
}

// Requests returns what was asked so far. The copies are shared: read only.
func (s *Script) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Call asks with one prompt.
func (s *Script) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return call(ctx, s, prompt, opts)
}

// GenerateContent plays the next step. A call whose context is done takes its step too, and returns the context's error.
func (s *Script) GenerateContent(ctx context.Context, messages []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
	r := Request{Messages: deepCopy(messages), Sent: deepCopy(llmretry.Attempt{Options: opts}.Sent())}
	var o llms.CallOptions
	for i, opt := range opts {
		if opt == nil {
			return nil, fmt.Errorf("retrytest: call option %d is nil", i)
		}
		opt(&o)
	}
	r.Options = deepCopy(o)
	step, err := s.next(r)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return step.play(ctx, r)
}

// maxOverrun bounds the requests that are kept beyond the last step: a loop that never ends must not fill the memory.
const maxOverrun = 10

func (s *Script) next(r Request) (Step, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.requests)
	if n < len(s.steps)+maxOverrun {
		s.requests = append(s.requests, r)
	}
	if n < len(s.steps) {
		return s.steps[n], nil
	}
	err := fmt.Errorf("retrytest: the script has %s, this is call %d of the model (from 0): %s", plural(len(s.steps), "step"), n, r.String())
	if s.t != nil {
		s.t.Helper()
		s.t.Error(err)
	}
	return Step{}, err
}

// String shows a request in a few lines: the options that were set, and the beginning of each message.
func (r Request) String() string {
	var b strings.Builder
	for _, name := range sortedKeys(r.Sent) {
		fmt.Fprintf(&b, "%s=%v ", name, clip(fmt.Sprint(r.Sent[name]), maxShown))
	}
	fmt.Fprintf(&b, "with %s", plural(len(r.Messages), "message"))
	for i, m := range r.Messages {
		if i >= maxListed && i < len(r.Messages)-1 {
			continue // the last one is the question
		}
		fmt.Fprintf(&b, "\n  %d %s: %s", i, m.Role, clip(fmt.Sprintf("%q", partsOf(m)), maxShown))
	}
	return b.String()
}

// partsOf is a message as one text, for people.
func partsOf(m llms.MessageContent) string {
	var list []string
	for _, p := range m.Parts {
		switch p := p.(type) {
		case llms.TextContent:
			list = append(list, p.Text)
		case llms.ToolCall:
			if p.FunctionCall != nil {
				list = append(list, p.FunctionCall.Name+"("+p.FunctionCall.Arguments+")")
			}
		case llms.ToolCallResponse:
			list = append(list, p.Content)
		default:
			list = append(list, fmt.Sprintf("%T", p))
		}
	}
	return strings.Join(list, "\n")
}
