package llmretry

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tmc/langchaingo/llms"
)

// Model decorates an llms.Model so that its calls heal themselves; it is one itself and goes wherever one goes. Make
// it with [New]; every call on the zero Model fails with [ErrInvalidOption]. It is immutable, holds nothing of a call
// and serves any number of goroutines, as far as the decorated model does.
type Model struct{ c *config }

var (
	_ llms.Model          = (*Model)(nil)
	_ llms.ReasoningModel = (*Model)(nil)
)

// New decorates model. Everything wrong with the arguments comes back as one error, each part of which matches
// [ErrInvalidOption].
func New(model llms.Model, opts ...Option) (*Model, error) {
	c := &config{inner: model}
	c, err := c.with(slices.Concat([]Option{wrapping(model)}, defaults(), opts))
	if err != nil {
		return nil, err
	}
	return &Model{c}, nil
}

// wrapping is the decorated model as an option, so that its problem is named together with the others.
func wrapping(model llms.Model) Option {
	return func(c *config) {
		if isNil(model) {
			c.problem("New: nil model")
			return
		}
		c.below = newBelow(model)
	}
}

// Must returns v or panics with err. It is for fixed configuration: Must(New(...)), Must(outputparser.JSON[P]()).
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// With returns a decorator of the same model with opts applied after m's own; m is unchanged.
func (m *Model) With(opts ...Option) (*Model, error) {
	c, err := m.config()
	if err != nil {
		return nil, err
	}
	if c, err = c.with(opts); err != nil {
		return nil, err
	}
	return &Model{c}, nil
}

// Unwrap returns the decorated model.
func (m *Model) Unwrap() llms.Model {
	if m == nil || m.c == nil {
		return nil
	}
	return m.c.inner
}

// SupportsReasoning tells what the decorated model tells.
func (m *Model) SupportsReasoning() bool { return llms.SupportsReasoningModel(m.Unwrap()) }

// Call asks with one prompt and returns the text of the accepted answer. Deprecated in langchaingo, and here for its
// interface; use [Model.GenerateContent], llms.GenerateFromSinglePrompt or [Generate].
func (m *Model) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, opts...)
}

// GenerateContent asks, and asks again while the answer is refused or the failure is transient and attempts are left.
// The response is the decorated model's own, of the accepted attempt. The error of a failed call is an
// [*AttemptsError], but for a call whose only attempt failed by itself: docs/errors.md has the table. It never writes
// to messages, their parts or opts.
func (m *Model) GenerateContent(ctx context.Context, messages []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
	c, err := m.config()
	if err != nil {
		return nil, err
	}
	scope := scopeFrom(ctx)
	if c, err = c.under(scope); err != nil {
		return nil, err
	}
	response, _, err := c.do(ctx, scope, messages, opts, false)
	return response, err
}

// config returns m's, or the error of a Model that New did not make.
func (m *Model) config() (*config, error) {
	if m == nil || m.c == nil {
		return nil, fmt.Errorf("%w: a Model that was not made by New", ErrInvalidOption)
	}
	return m.c, nil
}

// under returns c as the options of NewContext change it.
func (c *config) under(s *scope) (*config, error) {
	if s == nil || len(s.options) == 0 {
		return c, nil
	}
	return c.with(s.options)
}

// do makes one call with everything that goes around it: the report and who gets it. wanted asks for a report of a
// success as well.
func (c *config) do(ctx context.Context, s *scope, messages []llms.MessageContent, opts []llms.CallOption, wanted bool) (*llms.ContentResponse, *Report, error) {
	var k call
	k.c, k.scope, k.start, k.options = c, s, clock(), opts
	k.transcript.list = messages
	k.watched = wanted || len(c.observers) > 0 || s != nil && (s.captures != nil || s.host != nil)
	if len(c.base) > 0 {
		k.options = slices.Concat(c.base, opts)
	}
	if len(c.observers) > 0 {
		defer k.panicked(ctx)
	}
	response, err := k.run(ctx)
	if k.report != nil {
		k.report.Err = err
		k.deliver(ctx, err)
	}
	return response, k.report, err
}

// errPanicked is the end that observers are told of when one of the caller's own functions panicked.
var errPanicked = errors.New("llmretry: a builder, hook, classifier or observer panicked")

// panicked tells the observers of a call that ends by a panic, which goes on. (Semantics H4: exactly once per call.)
func (k *call) panicked(ctx context.Context) {
	if k.delivered {
		return
	}
	if k.report == nil {
		k.report = newReport()
	}
	k.report.Err = errPanicked
	k.deliver(ctx, errPanicked)
}

// deliver hands the finished report to those who asked for it. (Semantics H4: once per call.)
func (k *call) deliver(ctx context.Context, err error) {
	k.delivered = true
	if k.scope != nil {
		for c := k.scope.captures; c != nil; c = c.outer {
			c.add(k.report)
		}
		if k.scope.host != nil {
			k.scope.host.nested.add(k.report)
		}
	}
	for _, observer := range k.c.observers {
		if observer.Done != nil {
			observer.Done(ctx, k.report, err)
		}
	}
}
