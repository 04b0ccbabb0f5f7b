package llmretry

import (
	"context"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/tmc/langchaingo/llms"
)

// invoke calls the model. Only an attempt timeout needs a goroutine: a model that ignores its context is left behind
// in it. expired means that the attempt's context ended, by its own deadline or with the caller's. (Semantics G1, J0,
// J1.)
func (k *call) invoke(ctx context.Context, r *request) (res result, expired bool) {
	if k.c.attemptTimeout == 0 {
		return generate(ctx, r), false
	}
	limited, cancel := context.WithTimeoutCause(ctx, k.c.attemptTimeout, ErrAttemptTimeout)
	defer cancel()
	results := make(chan result, 1) // so that an abandoned call can end
	own := *r                       // a goroutine that took r itself would put every request on the heap
	go func() {
		res := result{err: errGoexit}
		defer func() { results <- res }()
		res = generate(limited, &own)
	}()
	select {
	case res = <-results:
	case <-limited.Done():
		res = lastWord(results)
	}
	return res, limited.Err() != nil
}

// result is what a model returned.
type result struct {
	response *llms.ContentResponse
	err      error
}

// lastWord gives a model whose context has just ended a moment to return, so that one that honours its context is not
// taken for one that ignores it: a decorator below leaves its report, a client its error. It yields the processor and
// sets no timer: the caller, who wants to be gone, must not wait for a model that will not come, and synthetic time must
// not move.
func lastWord(results <-chan result) result {
	const moment, yields = 2 * time.Millisecond, 2000
	begin := time.Now()
	for range yields {
		select {
		case res := <-results:
			return res
		default:
			runtime.Gosched()
		}
		if time.Since(begin) > moment {
			break
		}
	}
	return result{}
}

// errGoexit is what remains of a model that ended its goroutine (a test double calling t.FailNow does).
var errGoexit = &PanicError{Value: "the model called runtime.Goexit"}

// generate calls the model; a panic in it becomes an error on the caller's goroutine. (Semantics J2.)
func generate(ctx context.Context, r *request) (res result) {
	defer func() {
		if v := recover(); v != nil {
			res = result{err: &PanicError{Value: v, Stack: debug.Stack()}}
		}
	}()
	res.response, res.err = r.model.GenerateContent(ctx, r.messages, r.options...)
	return res
}
