package llmretry

import (
	"context"
	"fmt"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
)

// Result is what [Generate] returns: value, response and report of one call, the first two of the same attempt.
type Result[T any] struct {
	Value    T // meaningful when the error is nil
	Response *llms.ContentResponse
	Report   *Report // of every attempt; set on failure too
}

// Generate asks m and returns the value that p makes of the accepted answer. p replaces the model's parser; its
// validators stay. The value is decoded fresh per attempt. Errors are those of [Model.GenerateContent]; a response
// with the caller's tool calls instead of a value is [ErrToolCalls], with the Response set. (Semantics F3, F5.)
func Generate[T any](ctx context.Context, m *Model, p schema.OutputParser[T], messages []llms.MessageContent, opts ...llms.CallOption) (Result[T], error) {
	var result Result[T]
	scope := scopeFrom(ctx)
	c, err := m.config()
	if err == nil && isNil(p) {
		err = fmt.Errorf("%w: Generate: nil parser", ErrInvalidOption)
	}
	if err == nil {
		c, err = c.under(scope)
	}
	if err != nil {
		result.Report = &Report{Choice: -1, Err: err}
		return result, err
	}
	typed := *c
	typed.parser = newParser(p, func(v T) { result.Value = v })
	result.Response, result.Report, err = typed.do(ctx, scope, messages, opts, true)
	if err == nil && hasToolCalls(result.Response) && !typed.ownCalls(result.Response) {
		err = ErrToolCalls
	}
	if err != nil {
		var zero T
		result.Value = zero // a value that a validator refused is nobody's
	}
	return result, err
}
