package llmretry

import (
	"context"
	"time"

	"github.com/tmc/langchaingo/llms"
)

// Observer watches calls. Any of its functions may be nil; the zero value watches nothing. They run on the caller's
// goroutine, must be safe for concurrent use, and see shared data that they must not change. A panic in one
// propagates. Several observers run in the order given, the functions returned by Attempt in the reverse order.
type Observer struct {
	// Attempt runs before each model call. The call gets the returned context (nil = unchanged), which must descend from
	// ctx; the returned function (nil = none) runs exactly once, when the attempt is judged, on a panic too.
	Attempt func(ctx context.Context, s AttemptStart) (context.Context, func(Attempt))
	// Retry runs once per scheduled retry, before the wait; a is the failed attempt.
	Retry func(ctx context.Context, a Attempt, wait time.Duration)
	// Done runs once per call, after the last attempt; err is what the call returns.
	Done func(ctx context.Context, r *Report, err error)
}

// AttemptStart is what is known of an attempt before its model call.
type AttemptStart struct {
	AttemptInfo
	Model    string // the name, as far as it is known
	Messages []llms.MessageContent
	Options  []llms.CallOption
}
