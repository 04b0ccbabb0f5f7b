package llmretry

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/tmc/langchaingo/llms"
)

// attemptContext is the context one attempt runs in, with everything the code below can use of it, in one allocation:
// where a Transport leaves what it saw, where decorators below leave their reports, the model call already counted.
type attemptContext struct {
	context.Context
	scope  scope
	slot   slot
	nested collector
	spent  atomic.Bool // the model call that was taken from the ceilings for this attempt is made
}

func (c *attemptContext) Value(key any) any {
	if key == (scopeKey{}) {
		return &c.scope
	}
	return c.Context.Value(key)
}

// attemptContext hides the caller's scope: options and captures are for the first decorator only, ceilings hold for
// all. (Semantics A8, G1.)
func (k *call) attemptContext(ctx context.Context) *attemptContext {
	a := &attemptContext{Context: ctx}
	a.scope.host = a
	if k.scope != nil {
		a.slot.above = k.scope.slot()
		a.scope.ceiling = k.scope.ceiling
	}
	if k.index > 0 {
		a.scope.attempt = AttemptInfo{Index: k.index, Max: k.c.maxAttempts, Reason: k.why}
	}
	return a
}

// prepaid returns the ceilings that an attempt is paid for under, the first time: its first model call below uses
// that, so that an attempt handed down is counted once. nil after that.
func (c *attemptContext) prepaid() *ceiling {
	if c == nil || c.scope.ceiling == nil || c.spent.Swap(true) {
		return nil
	}
	return c.scope.ceiling
}

// exchange returns what a Transport saw last in this attempt; nil for nothing.
func (c *attemptContext) exchange() *exchange {
	if c == nil {
		return nil
	}
	return c.slot.get()
}

// reports returns those of the decorators below, in order of their end.
func (c *attemptContext) reports() []*Report {
	if c == nil {
		return nil
	}
	return c.nested.reports()
}

// below is what a decorator knows of the code under it: whether anything there looks for an attempt's context. Without
// this every first attempt would allocate one, and most decorated models have neither a Transport nor another
// decorator under them.
//
// A Transport or a decorator that New finds inside the model always counts. What hides in a closure is not found: then
// the first call carries a context, and when that call succeeded and nothing looked, the next ones do without - until
// any Transport of the process runs outside of an attempt (unslotted counts that), which may well have been under this
// decorator. Once something has looked, every call carries a context.
type below struct {
	heard  atomic.Bool
	silent atomic.Uint64 // 1 + the value of unslotted when a call succeeded and nothing looked; 0 = not known yet

	rejections atomic.Pointer[[]rejection] // of the safety net
}

func newBelow(model llms.Model) *below {
	b := new(below)
	b.heard.Store(holds(model))
	return b
}

// listens reports whether a first attempt must carry a context; epoch is the present value of unslotted.
func (b *below) listens(epoch uint64) bool {
	return b.heard.Load() || b.silent.Load() != epoch+1
}

// learn takes note of a first attempt that carried c, nil for none.
func (b *below) learn(c *attemptContext, epoch uint64, succeeded bool) {
	switch {
	case c == nil:
	case c.slot.get() != nil || c.nested.head.Load() != nil:
		b.heard.Store(true)
	case succeeded:
		b.silent.Store(epoch + 1)
	}
}

// collector gathers reports from any number of goroutines, without a lock. The zero value is empty.
type collector struct{ head atomic.Pointer[collected] }

type collected struct {
	report *Report
	before *collected
}

func (c *collector) add(r *Report) {
	n := &collected{report: r}
	for {
		n.before = c.head.Load()
		if c.head.CompareAndSwap(n.before, n) {
			return
		}
	}
}

// reports returns what was added so far, in that order; nil for nothing.
func (c *collector) reports() []*Report {
	var list []*Report
	for n := c.head.Load(); n != nil; n = n.before {
		list = append(list, n.report)
	}
	slices.Reverse(list)
	return list
}

// capture is one CaptureReports, linked to the ones around it.
type capture struct {
	collector
	outer *capture
}

// CaptureReports returns a context and a function that returns the reports of the calls made with it so far, those
// that succeeded too, in order of their end: one per call of the first decorators below. Decorators below those are in
// Attempt.Nested. Both are safe for concurrent use.
func CaptureReports(ctx context.Context) (context.Context, func() []*Report) {
	c := new(capture)
	ctx = derive(ctx, func(s *scope) {
		c.outer = s.captures
		s.captures = c
	})
	return ctx, c.reports
}
