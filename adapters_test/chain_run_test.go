package adapters_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/memory"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// oracle is a model that answers by what it is asked: chains ask several things, and some at once.
type oracle struct {
	answer func(a asked) turn

	mu    sync.Mutex
	asked []asked
}

func (o *oracle) GenerateContent(ctx context.Context, messages []llms.MessageContent, list ...llms.CallOption) (*llms.ContentResponse, error) {
	a := asked{messages: slices.Clone(messages), list: list, options: resolved(list)}
	o.mu.Lock()
	o.asked = append(o.asked, a)
	o.mu.Unlock()
	now := o.answer(a)
	for _, chunk := range now.chunks {
		if a.options.StreamingFunc != nil {
			if err := a.options.StreamingFunc(ctx, []byte(chunk)); err != nil {
				return nil, err
			}
		}
	}
	return now.response, now.err
}

func (o *oracle) Call(ctx context.Context, prompt string, list ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, o, prompt, list...)
}

func (o *oracle) requests() []asked {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.asked)
}

// corrected reports whether a request holds a correction.
func (a asked) corrected() bool { return len(a.messages) > 1 }

// wavers answers wrongly until it is corrected.
func wavers(wrong, right string) func(asked) turn {
	return func(a asked) turn {
		if a.corrected() {
			return tells(right)
		}
		return tells(wrong)
	}
}

// failsOnce fails before it answers.
func failsOnce(failure turn, right string) func(asked) turn {
	var once sync.Once
	return func(asked) (now turn) {
		now = tells(right)
		once.Do(func() { now = failure })
		return now
	}
}

// stage is what a chain is built of: with a decorated model or with the bare one.
type stage struct {
	*testing.T
	inner     *oracle
	decorated bool
	buffer    *memory.ConversationBuffer
}

// model is the chain's. The options are the decorator's, which has a builder and no waits besides.
func (s stage) model(opts ...llmretry.Option) llms.Model {
	if !s.decorated {
		return s.inner
	}
	return s.decorator(opts...)
}

func (s stage) decorator(opts ...llmretry.Option) *llmretry.Model {
	return llmretry.Must(llmretry.New(s.inner, append([]llmretry.Option{
		llmretry.WithReask(plainWords), llmretry.WithBackoff(llmretry.Constant(0)),
	}, opts...)...))
}

// journey is what came of a chain's run.
type journey struct {
	output  string
	err     error
	memory  string
	forgets bool // the chain was given no memory
	asked   []asked
	reports []*llmretry.Report
}

func (c chainCase) run(t *testing.T, decorated bool) (j journey) {
	t.Helper()
	s := stage{T: t, inner: &oracle{answer: c.model()}, decorated: decorated, buffer: memory.NewConversationBuffer()}
	ctx, reports := llmretry.CaptureReports(t.Context())
	func() {
		defer func() {
			if v := recover(); v != nil {
				j.err = fmt.Errorf("panic: %v", v)
			}
		}()
		j.output, j.err = c.play(ctx, s)
	}()
	j.asked, j.reports = s.inner.requests(), reports()
	j.memory, j.forgets = historyOf(t, s.buffer), c.chain != "ConversationChain"
	return j
}

func (j journey) row(what, failure, side string) []string {
	f := fate{sees: seen(j.output, j.err), calls: len(j.asked), memory: j.memory}
	if j.forgets {
		f.memory = "-"
	}
	return f.row(what, failure, side)
}

// outputOf runs a chain of one output, whatever its type.
func outputOf(ctx context.Context, c chains.Chain, inputs map[string]any, opts ...chains.ChainCallOption) (string, error) {
	out, err := chains.Call(ctx, c, inputs, opts...)
	if err != nil {
		return "", err
	}
	return fmt.Sprint(out[c.GetOutputKeys()[0]]), nil
}
