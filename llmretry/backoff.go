package llmretry

import (
	"context"
	"math/rand/v2"
	"time"
)

// Backoff returns the wait after the failed attempt, counted from 0. It has no state, so one value serves any number
// of calls at once. A negative wait is none.
type Backoff func(attempt int) time.Duration

// FullJitter returns a backoff drawn uniformly from 0 to min(limit, base*2^attempt), bounds included. With the
// defaults, base 1 s and limit 30 s, the upper bounds are
//
//	attempt  0    1    2    3    4     5     6 ...
//	bound    1s   2s   4s   8s   16s   30s   30s
//
// It does not overflow for any attempt. A base or limit of 0 or less never waits. (Semantics C1.)
func FullJitter(base, limit time.Duration) Backoff {
	return func(attempt int) time.Duration {
		return draw(bound(base, limit, attempt))
	}
}

// Constant returns a backoff that always waits d.
func Constant(d time.Duration) Backoff { return func(int) time.Duration { return d } }

// bound is min(limit, base*2^attempt), 0 at least. It divides limit instead of shifting base, which could overflow.
func bound(base, limit time.Duration, attempt int) time.Duration {
	if base <= 0 || limit <= 0 {
		return 0
	}
	attempt = max(attempt, 0)
	if attempt >= 63 || base > limit>>attempt {
		return limit
	}
	return base << attempt
}

// draw returns a uniform duration from 0 to limit, both included.
func draw(limit time.Duration) time.Duration {
	if limit <= 0 {
		return 0
	}
	return time.Duration(rand.Uint64N(uint64(limit) + 1))
}

// sleep waits for d. It returns false, at once, when ctx is done.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// outlasts reports whether a wait of d ends no earlier than ctx's deadline. (Semantics C4.)
func outlasts(ctx context.Context, d time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return ok && d > 0 && time.Until(deadline) <= d
}
