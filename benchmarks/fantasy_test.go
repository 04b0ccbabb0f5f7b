package benchmarks

import (
	"context"
	"time"

	"charm.land/fantasy"
	"charm.land/fantasy/object"
)

// fantasyModel is the fake as a provider of fantasy would be written: objects through its own helper for text models.
type fantasyModel struct{ answer *fantasy.Response }

func newFantasyModel(text string) fantasyModel {
	return fantasyModel{&fantasy.Response{Content: fantasy.ResponseContent{fantasy.TextContent{Text: text}}, FinishReason: fantasy.FinishReasonStop}}
}

func (m fantasyModel) Generate(context.Context, fantasy.Call) (*fantasy.Response, error) {
	return m.answer, nil
}

func (m fantasyModel) Stream(context.Context, fantasy.Call) (fantasy.StreamResponse, error) {
	return nil, errDown
}

func (m fantasyModel) GenerateObject(ctx context.Context, call fantasy.ObjectCall) (*fantasy.ObjectResponse, error) {
	return object.GenerateWithText(ctx, m, call)
}

func (m fantasyModel) StreamObject(context.Context, fantasy.ObjectCall) (fantasy.ObjectStreamResponse, error) {
	return nil, errDown
}

func (m fantasyModel) Provider() string { return "fake" }
func (m fantasyModel) Model() string    { return "fake" }

// fantasyRetry returns one call through fantasy's retry helper, with failures failing attempts first.
func fantasyRetry(failures int) func() error {
	options := fantasy.RetryOptions{MaxRetries: 3, InitialDelayIn: time.Nanosecond, BackoffFactor: 1}
	retry := fantasy.RetryWithExponentialBackoffRespectingRetryHeaders[*fantasy.Response](options)
	m, down, n := newFantasyModel("a"), &fantasy.ProviderError{StatusCode: 503, Message: errDown.Error()}, 0
	call := fantasy.Call{Prompt: fantasy.Prompt{fantasy.NewUserMessage("hello")}}
	return func() error {
		_, err := retry(context.Background(), func() (*fantasy.Response, error) {
			if n++; n <= failures {
				return nil, down
			}
			n = 0
			return m.Generate(context.Background(), call)
		})
		return err
	}
}
