package llmretry

import (
	"context"
	"sync/atomic"
)

// scopeKey is the only context key of this package: everything a context can carry for a decorator sits in one scope,
// so a call costs one lookup.
type scopeKey struct{}

// scope is what a context carries for the decorators below it. It is immutable; a changed copy hides it.
type scope struct {
	options  []Option        // of NewContext: for the first decorator below
	captures *capture        // of CaptureReports: for the first decorator below
	ceiling  *ceiling        // of LimitModelCalls: for all decorators below
	attempt  AttemptInfo     // of the nearest decorator above
	host     *attemptContext // that decorator's attempt in progress
}

// scopeFrom returns the scope of ctx, nil when there is none.
func scopeFrom(ctx context.Context) *scope {
	s, _ := ctx.Value(scopeKey{}).(*scope)
	return s
}

// scopeContext is a context and its scope in one allocation.
type scopeContext struct {
	context.Context
	scope scope
}

func (c *scopeContext) Value(key any) any {
	if key == (scopeKey{}) {
		return &c.scope
	}
	return c.Context.Value(key)
}

// derive returns a context whose scope is the parent's as changed by edit.
func derive(ctx context.Context, edit func(*scope)) context.Context {
	c := &scopeContext{Context: ctx}
	if s := scopeFrom(ctx); s != nil {
		c.scope = *s
	}
	edit(&c.scope)
	return c
}

// withInfo is the context of the caller's own functions that judge or word: it tells the attempt, and hides what is
// meant for this decorator only, should one of them ask a model of its own. Ceilings hold for that one too.
func withInfo(ctx context.Context, info AttemptInfo) context.Context {
	return derive(ctx, func(s *scope) { *s = scope{ceiling: s.ceiling, attempt: info} })
}

// slotFrom returns where a Transport leaves what it saw: the slot of the attempt ctx belongs to, nil outside of one.
func slotFrom(ctx context.Context) *slot {
	if s := scopeFrom(ctx); s != nil {
		return s.slot()
	}
	return nil
}

func (s *scope) slot() *slot {
	if s.host == nil {
		return nil
	}
	return &s.host.slot
}

// AttemptInfo tells code below a decorator which attempt it serves.
type AttemptInfo struct {
	Index, Max int
	Reason     RetryReason
}

// AttemptFromContext returns the attempt of the nearest decorator above. The zero value means attempt 0, or no
// decorator: on attempt 0 the decorator adds nothing to a context.
func AttemptFromContext(ctx context.Context) AttemptInfo {
	if s := scopeFrom(ctx); s != nil {
		return s.attempt
	}
	return AttemptInfo{}
}

// NewContext returns a context that carries options for the calls made with it, through chains and agents. They apply
// to the first decorator below only, after its own options; those of an inner NewContext come after those of an outer
// one. A bad option fails the calls with [ErrInvalidOption]. (Semantics A8.)
func NewContext(ctx context.Context, opts ...Option) context.Context {
	return derive(ctx, func(s *scope) {
		all := make([]Option, 0, len(s.options)+len(opts))
		s.options = append(append(all, s.options...), opts...)
	})
}

// ceiling is one LimitModelCalls, linked to the ones around it.
type ceiling struct {
	left   atomic.Int64
	parent *ceiling
}

// LimitModelCalls returns a context under which all decorators together make at most n model calls, attempts
// included; further ones fail with [ErrMaxModelCalls]. It nests: a call must fit under every ceiling around it. n < 1
// allows none. An attempt handed to a decorator below counts once. (Semantics G1.)
func LimitModelCalls(ctx context.Context, n int) context.Context {
	return derive(ctx, func(s *scope) {
		c := &ceiling{parent: s.ceiling}
		c.left.Store(int64(max(n, 0)))
		s.ceiling = c
	})
}

// take reserves one model call under c and every ceiling around it up to, not including, paid. It takes all or none.
func (c *ceiling) take(paid *ceiling) bool {
	for at := c; at != paid && at != nil; at = at.parent {
		if at.left.Add(-1) < 0 {
			at.left.Add(1)
			c.giveBack(at)
			return false
		}
	}
	return true
}

// giveBack returns one model call to the ceilings from c up to, not including, end.
func (c *ceiling) giveBack(end *ceiling) {
	for at := c; at != end && at != nil; at = at.parent {
		at.left.Add(1)
	}
}
