package benchmarks

import (
	"context"
	"time"

	retrygo "github.com/avast/retry-go/v4"
	"github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/sethvargo/go-retry"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// generate is llms.Model's method as a function: what a user of a retry library ends up with.
type generate func(ctx context.Context, messages []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error)

// retryPeers make up to attempts calls without a wait. Each is set up once, outside of the measured call, as far as its
// library allows that: go-retry's backoffs count, so they are made per call; retry-go and backoff take their options
// per call.
var retryPeers = []struct {
	name string
	wrap func(m llms.Model, attempts int) generate
}{
	{"bare", func(m llms.Model, _ int) generate { return m.GenerateContent }},
	{"llmretry", func(m llms.Model, attempts int) generate {
		d, err := llmretry.New(m, llmretry.WithMaxAttempts(attempts), llmretry.WithBackoff(now))
		return llmretry.Must(d, err).GenerateContent
	}},
	{"by-hand", byHandLoop},
	{"go-retry", func(m llms.Model, attempts int) generate {
		return func(ctx context.Context, messages []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
			none := retry.BackoffFunc(func() (time.Duration, bool) { return 0, false })
			return retry.DoValue(ctx, retry.WithMaxRetries(uint64(attempts-1), none), func(ctx context.Context) (*llms.ContentResponse, error) {
				r, err := m.GenerateContent(ctx, messages, opts...)
				if err != nil {
					return nil, retry.RetryableError(err)
				}
				return r, nil
			})
		}
	}},
	{"backoff", func(m llms.Model, attempts int) generate {
		options := []backoff.RetryOption{backoff.WithBackOff(&backoff.ZeroBackOff{}), backoff.WithMaxTries(uint(attempts))}
		return func(ctx context.Context, messages []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
			return backoff.Retry(ctx, func() (*llms.ContentResponse, error) {
				return m.GenerateContent(ctx, messages, opts...)
			}, options...)
		}
	}},
	{"retry-go", func(m llms.Model, attempts int) generate {
		none := func(uint, error, *retrygo.Config) time.Duration { return 0 }
		options := []retrygo.Option{retrygo.Attempts(uint(attempts)), retrygo.DelayType(none)}
		return func(ctx context.Context, messages []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
			return retrygo.DoWithData(func() (*llms.ContentResponse, error) {
				return m.GenerateContent(ctx, messages, opts...)
			}, append(options[:len(options):len(options)], retrygo.Context(ctx))...)
		}
	}},
	{"failsafe-go", func(m llms.Model, attempts int) generate {
		executor := failsafe.With(retrypolicy.NewBuilder[*llms.ContentResponse]().WithMaxAttempts(attempts).Build())
		return func(ctx context.Context, messages []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
			return executor.WithContext(ctx).Get(func() (*llms.ContentResponse, error) {
				return m.GenerateContent(ctx, messages, opts...)
			})
		}
	}},
}

// byHandLoop is what people write: no classification, no report, no safety against a panic.
func byHandLoop(m llms.Model, attempts int) generate {
	return func(ctx context.Context, messages []llms.MessageContent, opts ...llms.CallOption) (r *llms.ContentResponse, err error) {
		for range attempts {
			if r, err = m.GenerateContent(ctx, messages, opts...); err == nil || ctx.Err() != nil {
				return r, err
			}
		}
		return nil, err
	}
}

// byHandReask is the careful version of a loop with corrections: it copies the outer slice, so the caller's is safe.
func byHandReask(m llms.Model, attempts int, check func(string) error) generate {
	return func(ctx context.Context, messages []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
		var err error
		for range attempts {
			var r *llms.ContentResponse
			if r, err = m.GenerateContent(ctx, messages, opts...); err != nil {
				return nil, err
			}
			said := r.Choices[0].Content
			if err = check(said); err == nil {
				return r, nil
			}
			messages = append(messages[:len(messages):len(messages)],
				llms.TextParts(llms.ChatMessageTypeAI, said), llms.TextParts(llms.ChatMessageTypeHuman, "fix it"))
		}
		return nil, err
	}
}
