package llmretry

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/tmc/langchaingo/llms"
)

const (
	defaultMaxAttempts   = 3
	defaultMaxRetryAfter = time.Minute
)

// Option configures a decorator. Options given later win, one by one; observers and validators add up. The order is:
// defaults, [New], [Model.With], [NewContext] (outer, then inner), the parser of [Generate].
type Option func(*config)

// config is a decorator's whole configuration. It is immutable once built: every change is made to a clone.
type config struct {
	inner llms.Model
	below *below // what was learned about inner; shared by every config derived from one New

	maxAttempts   int
	classify      Classifier
	backoff       Backoff
	reaskBackoff  Backoff
	maxRetryAfter time.Duration
	onRetry       func(ctx context.Context, err error, attempt int)

	schedule   []Override
	classes    map[FailureClass][]Override
	stagnation Stagnation
	truncation []Override
	reask      Builder

	transcriptPolicy TranscriptPolicy

	parser         *parser
	validators     []Validator
	toolValidators []Validator

	attemptTimeout time.Duration // 0 = none
	tokenBudget    int           // 0 = none
	streamReset    func(ctx context.Context, attempt int)
	flatten        func([]llms.MessageContent) string // nil = off
	nativeTools    bool
	noSafetyNet    bool
	base           []llms.CallOption
	observers      []Observer
	modelName      string
	trail          *Trail // nil = none
	step           string // in trail

	problems []error
}

// defaults are options like the caller's, so that both go the same way.
func defaults() []Option {
	return []Option{
		WithMaxAttempts(defaultMaxAttempts),
		WithClassifier(DefaultClassifier),
		WithBackoff(FullJitter(time.Second, 30*time.Second)),
		WithMaxRetryAfter(defaultMaxRetryAfter),
	}
}

// with returns a clone of c changed by opts, or every problem in them as one error.
func (c *config) with(opts []Option) (*config, error) {
	d := *c
	d.validators = slices.Clip(d.validators)
	d.toolValidators = slices.Clip(d.toolValidators)
	d.observers = slices.Clip(d.observers)
	for i, opt := range opts {
		if opt == nil {
			d.problem("option %d is nil", i)
			continue
		}
		opt(&d)
	}
	d.conflicts()
	if len(d.problems) > 0 {
		return nil, errors.Join(d.problems...)
	}
	return &d, nil
}

// problem records what is wrong with an option; with reports all of them together.
func (c *config) problem(format string, args ...any) {
	c.problems = append(c.problems, fmt.Errorf("%w: "+format, append([]any{ErrInvalidOption}, args...)...))
}

// conflicts checks the options that are each fine and cannot both be meant.
func (c *config) conflicts() {
	if c.flatten != nil && c.nativeTools {
		c.problem("WithFlattenedTranscript and WithNativeToolReplay: one message of text cannot hold tool calls")
	}
}

// isNil reports whether v is nil or an interface holding a nil pointer, func, map ...: calling it would panic later.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Map, reflect.Slice, reflect.Chan, reflect.Interface:
		return r.IsNil()
	default:
		return false
	}
}
