package llmretry

import (
	"context"
	"slices"
	"time"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
)

// WithMaxAttempts sets the one attempt budget of a call, the first call included: 1 means no retry. The default is 3.
// (Semantics A1.)
func WithMaxAttempts(n int) Option {
	return func(c *config) {
		if n < 1 {
			c.problem("WithMaxAttempts(%d): want at least 1, the first call counts", n)
		}
		c.maxAttempts = n
	}
}

// WithClassifier replaces [DefaultClassifier], which it may call itself. It is not asked about refused outputs when a
// builder is set. (Semantics B5, B6.)
func WithClassifier(f Classifier) Option {
	return func(c *config) {
		if f == nil {
			c.problem("WithClassifier: nil classifier")
		}
		c.classify = f
	}
}

// WithBackoff sets the wait after a transient failure. The default is FullJitter(time.Second, 30*time.Second).
// (Semantics C1.)
func WithBackoff(b Backoff) Option {
	return func(c *config) {
		if b == nil {
			c.problem("WithBackoff: nil backoff")
		}
		c.backoff = b
	}
}

// WithOnRetry sets a hook that runs once per scheduled retry, before the wait; attempt is the failed one, from 0. It
// observes only, and must be safe for concurrent use. (Semantics C5.)
func WithOnRetry(f func(ctx context.Context, err error, attempt int)) Option {
	return func(c *config) {
		if f == nil {
			c.problem("WithOnRetry: nil hook")
		}
		c.onRetry = f
	}
}

// WithPerAttemptOverride sets what retries send differently: entry i is for attempt i+1, the last one carries forward,
// attempt 0 is always the caller's own call. An empty schedule removes an earlier one. (Semantics D.)
func WithPerAttemptOverride(schedule ...Override) Option {
	schedule = cloneSchedule(schedule)
	return func(c *config) {
		c.check("WithPerAttemptOverride", schedule)
		c.schedule = schedule
	}
}

// WithReask sets the builder of corrections; package reaskprompt makes one of your words. Without one a refused output
// is final at once. (Semantics E.)
func WithReask(b Builder) Option {
	return func(c *config) {
		if b == nil {
			c.problem("WithReask: nil builder")
		}
		c.reask = b
	}
}

// WithParser sets the parser that judges the text of a response, choice by choice; the first choice it accepts wins. A
// response with tool calls is not parsed, unless they all are calls of the parser's own tool, which it names by a
// ToolName() string method: then their arguments are. Any langchaingo parser will do; one with a Schema()
// json.RawMessage method hands its schema to the builder. A panic in it refuses the output. (Semantics F1, F9, J2.)
func WithParser[T any](p schema.OutputParser[T]) Option {
	return func(c *config) {
		if isNil(p) {
			c.problem("WithParser: nil parser")
			return
		}
		c.parser = newParser(p, func(T) {})
	}
}

// WithValidator adds a validator of responses without tool calls. Validators run after the parser, in the order given.
func WithValidator(v Validator) Option {
	return func(c *config) {
		if v == nil {
			c.problem("WithValidator: nil validator")
			return
		}
		c.validators = append(c.validators, v)
	}
}

// WithToolValidator adds a validator of responses with tool calls; without one they pass unjudged. (Semantics F3.)
func WithToolValidator(v Validator) Option {
	return func(c *config) {
		if v == nil {
			c.problem("WithToolValidator: nil validator")
			return
		}
		c.toolValidators = append(c.toolValidators, v)
	}
}

// WithReaskBackoff sets a wait after a refused output. By default there is none: an informed question needs no wait.
// (Semantics C2.)
func WithReaskBackoff(b Backoff) Option {
	return func(c *config) {
		if b == nil {
			c.problem("WithReaskBackoff: nil backoff")
		}
		c.reaskBackoff = b
	}
}

// WithMaxRetryAfter bounds how long a server may make the call wait; a longer demand ends it with [ErrRetryAfter]. The
// default is one minute. 0 accepts no demand at all. (Semantics C3.)
func WithMaxRetryAfter(d time.Duration) Option {
	return func(c *config) {
		if d < 0 {
			c.problem("WithMaxRetryAfter(%v): want 0 or more", d)
		}
		c.maxRetryAfter = d
	}
}

// WithTruncationOverride says what to do about an output that was refused and had been cut at the token limit: entry i
// is for the attempt after the i-th such output, from 0, the last one carries forward. Nothing is appended, no builder
// is needed, and the entry stays in force for the rest of the call, after the schedule's own. A [Stop] entry ends the
// call as [CategoryTruncated]. Without this option such an output is reasked like any other. (Semantics F6.)
func WithTruncationOverride(schedule ...Override) Option {
	schedule = cloneSchedule(schedule)
	return func(c *config) {
		c.check("WithTruncationOverride", schedule)
		c.truncation = schedule
	}
}

// WithAttemptTimeout bounds each attempt by itself. An attempt that runs into it is transient and matches
// [ErrAttemptTimeout]. A model that ignores its context is left behind in its own goroutine. (Semantics G1, J0, J1.)
func WithAttemptTimeout(d time.Duration) Option {
	return func(c *config) {
		if d <= 0 {
			c.problem("WithAttemptTimeout(%v): want more than 0", d)
		}
		c.attemptTimeout = d
	}
}

// WithTokenBudget stops a call from making another attempt once its responses have used total tokens, or when one of
// them did not report its usage. A valid answer is never discarded because of it. (Semantics G1.)
func WithTokenBudget(total int) Option {
	return func(c *config) {
		if total < 1 {
			c.problem("WithTokenBudget(%d): want at least 1", total)
		}
		c.tokenBudget = total
	}
}

// WithStreamReset delivers chunks at once even with a parser, and calls f, with the coming attempt's index, before an
// attempt that follows delivered chunks: what was shown is void. Without it chunks are held back until their attempt
// is accepted. (Semantics I4.)
func WithStreamReset(f func(ctx context.Context, attempt int)) Option {
	return func(c *config) {
		if f == nil {
			c.problem("WithStreamReset: nil function")
		}
		c.streamReset = f
	}
}

// WithFlattenedTranscript sends the whole conversation as one human message, for providers that read only the first
// one. render makes its text; nil joins the texts with blank lines, without labels. Parts that are not text follow the
// text in the same message. It applies to every attempt. (Semantics E14.)
func WithFlattenedTranscript(render func([]llms.MessageContent) string) Option {
	return func(c *config) {
		c.flatten = render
		if render == nil {
			c.flatten = joinTexts
		}
	}
}

// WithNativeToolReplay replays refused tool calls as tool calls, each answered with the correction, instead of as text.
// Only some providers accept that. (Semantics E13.)
func WithNativeToolReplay() Option { return func(c *config) { c.nativeTools = true } }

// WithoutParameterSafetyNet turns off the safety net of [WithPerAttemptOverride]: an option of the schedule that the
// provider rejects by name is then a plain invalid request. (Semantics D9.)
func WithoutParameterSafetyNet() Option { return func(c *config) { c.noSafetyNet = true } }

// WithCallOptions sets options that go before the call's own on every attempt, attempt 0 too: JSON mode or tools for
// chains that have no such option. A later WithCallOptions replaces an earlier one.
func WithCallOptions(opts ...llms.CallOption) Option {
	opts = slices.Clone(opts)
	return func(c *config) {
		c.checkOptions("WithCallOptions", 0, opts)
		c.base = opts
	}
}

// WithTrail records each refused output of a call, under the name of step, and gives the builder what was recorded
// before it as [Failure.Earlier]: what went wrong in earlier attempts, and in earlier steps of the pipeline that shares t.
// Nothing else is recorded, no provider's failure and no truncated, filtered or empty output. A trail belongs to one run
// of a pipeline, so give it with [NewContext]; from [New] every call of the decorator would share it. A nil trail and one
// with a negative limit are errors. (Semantics K10.)
func WithTrail(t *Trail, step string) Option {
	return func(c *config) {
		switch {
		case t == nil:
			c.problem("WithTrail: nil trail")
		case !t.valid():
			c.problem("WithTrail: a trail with a negative limit")
		}
		c.trail, c.step = t, step
	}
}

// WithObserver adds an observer. (Semantics H.)
func WithObserver(o Observer) Option {
	return func(c *config) { c.observers = append(c.observers, o) }
}

// WithModelName names the decorated model for reports and spans, since llms.Model has no name. A WithModel call option
// is more specific and wins there.
func WithModelName(name string) Option { return func(c *config) { c.modelName = name } }

func cloneSchedule(schedule []Override) []Override {
	schedule = slices.Clone(schedule)
	for i := range schedule {
		schedule[i].Options = slices.Clone(schedule[i].Options)
	}
	return schedule
}
