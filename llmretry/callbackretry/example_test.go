package callbackretry_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/callbackretry"
)

// counting is a handler of yours.
type counting struct {
	callbacks.SimpleHandler
	asked, failed int
}

func (c *counting) HandleLLMGenerateContentStart(context.Context, []llms.MessageContent) { c.asked++ }
func (c *counting) HandleLLMError(context.Context, error)                                { c.failed++ }

type flaky struct {
	llms.Model
	calls int
}

func (f *flaky) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	if f.calls++; f.calls == 1 {
		return nil, errors.New("API returned unexpected status code: 503: down")
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "blue"}}}, nil
}

func ExampleHandler() {
	var handler counting
	told := callbackretry.New(&handler)
	client := &flaky{} // openai.New(openai.WithCallback(told)) would do as well
	model := llmretry.Must(llmretry.New(client,
		llmretry.WithObserver(llmretry.Must(told.Observe(client))), llmretry.WithBackoff(llmretry.Constant(0))))

	text, err := model.Call(context.Background(), "A colour, please.")
	fmt.Println(text, err, handler.asked, handler.failed)
	// Output: blue <nil> 2 1
}
