package retrytest

import (
	"context"
	"errors"

	"github.com/tmc/langchaingo/llms"
)

// call is llms.GenerateFromSinglePrompt without its panic on a response that is nil or begins with a nil choice.
func call(ctx context.Context, m llms.Model, prompt string, opts []llms.CallOption) (string, error) {
	r, err := m.GenerateContent(ctx, []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, prompt)}, opts...)
	switch {
	case err != nil:
		return "", err
	case r == nil || len(r.Choices) == 0 || r.Choices[0] == nil:
		return "", errors.New("retrytest: an empty response")
	}
	return r.Choices[0].Content, nil
}
