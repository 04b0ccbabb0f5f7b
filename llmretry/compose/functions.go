package compose

import (
	"context"
	"slices"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

// FunctionCalls returns a validator, for llmretry.WithToolValidator, of the calls that an agents.OpenAIFunctionsAgent
// with these tools gets: outputparser.ToolArguments over the functions as that agent declares them, then every
// [ToolInput]. The agent itself takes anything for a call: arguments that are no JSON, or not those it declared, it hands
// to the tool as they are, and it does not look for the tool at all.
//
// Answers without calls are final answers; a parser or validator of the model judges those.
func FunctionCalls(tools []tools.Tool, opts ...Option) (llmretry.Validator, error) {
	c, err := newConfig("FunctionCalls", tools, opts)
	if err != nil {
		return nil, err
	}
	agent := agents.NewOpenAIFunctionsAgent(nil, tools)
	declared, err := functionsOf(agent)
	if err != nil {
		return nil, err
	}
	arguments, err := outputparser.ToolArguments(declared)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, r *llms.ContentResponse) error {
		if err := arguments(ctx, r); err != nil {
			return err
		}
		actions, _, err := agent.ParseOutput(&llms.ContentResponse{Choices: choicesOf(r)})
		if err != nil {
			return err
		}
		for _, a := range actions {
			if err := c.checkInput(a.Tool, a.ToolInput); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// functionsOf asks the agent what it declares: it sends it to a model that only listens.
func functionsOf(agent *agents.OpenAIFunctionsAgent) ([]llms.Tool, error) {
	var sent llms.CallOptions
	asking := *agent
	asking.LLM = listener{&sent}
	if _, _, err := asking.Plan(context.Background(), nil, map[string]string{"input": ""}); err != nil {
		return nil, err
	}
	declared := slices.Clone(sent.Tools)
	for _, f := range sent.Functions {
		declared = append(declared, llms.Tool{Type: "function", Function: &f})
	}
	return declared, nil
}

// listener is a model that keeps the options of a call.
type listener struct{ sent *llms.CallOptions }

func (l listener) GenerateContent(_ context.Context, _ []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
	for _, opt := range opts {
		opt(l.sent)
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{}}}, nil
}

func (l listener) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, l, prompt, opts...)
}
