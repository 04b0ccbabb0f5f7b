package compose

import (
	"context"

	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/prompts"
	"github.com/tmc/langchaingo/schema"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

// LLMChain returns a chain whose output is the T that p makes of the model's answer. p serves both: the model's answers
// are judged by it, in the place of the model's own parser, and the chain's parse, which comes after, cannot fail. For
// that the chain parses without the prompt, as the model does, and p must give the same text the same verdict every time.
//
// When p declares a tool (outputparser.AsTool) and the answer is a call of it, the chain reads its arguments; a chain can
// do nothing with calls of other tools, so they are llmretry.ErrToolCalls.
//
// The fields of the chain are the caller's to set: Memory, OutputKey, CallbacksHandler. A conversation memory takes
// nothing but text, and so do chains.Run and chains.Predict: where a T is no string, use chains.Call. For a chain of
// text that was checked as JSON, give the parser to the model by llmretry.WithParser and leave the chain its own.
func LLMChain[T any](model *llmretry.Model, p schema.OutputParser[T], prompt prompts.FormatPrompter) (*chains.LLMChain, error) {
	if model == nil {
		return nil, invalid("LLMChain: nil model")
	}
	if prompt == nil {
		return nil, invalid("LLMChain: nil prompt")
	}
	if _, err := model.With(llmretry.WithParser(p)); err != nil {
		return nil, err
	}
	p = outputparser.Safe(p)
	chain := chains.NewLLMChain(typed[T]{model, p}, prompt)
	chain.OutputParser = promptless{outputparser.Any(p)}
	return chain, nil
}

// promptless parses a text as the model's parser did.
type promptless struct{ schema.OutputParser[any] }

func (p promptless) ParseWithPrompt(text string, _ llms.PromptValue) (any, error) {
	return p.Parse(text)
}

// typed is a model whose answers are all values of its parser. No option of a context can replace that parser.
type typed[T any] struct {
	model  *llmretry.Model
	parser schema.OutputParser[T]
}

func (m typed[T]) GenerateContent(ctx context.Context, messages []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
	result, err := llmretry.Generate(ctx, m.model, m.parser, messages, opts...)
	if err != nil {
		return nil, err
	}
	return m.withText(result.Response), nil
}

func (m typed[T]) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, opts...)
}

func (m typed[T]) SupportsReasoning() bool { return m.model.SupportsReasoning() }

func (m typed[T]) Unwrap() llms.Model { return m.model }

// withText puts the arguments that were accepted where a chain looks for text. A text answer is returned as it is.
func (m typed[T]) withText(r *llms.ContentResponse) *llms.ContentResponse {
	first := *r.Choices[0]
	calls := first.ToolCalls
	if len(calls) == 0 && first.FuncCall != nil {
		calls = []llms.ToolCall{{FunctionCall: first.FuncCall}}
	}
	for _, call := range calls {
		if call.FunctionCall == nil {
			continue
		}
		if _, err := m.parser.Parse(call.FunctionCall.Arguments); err == nil {
			first.Content = call.FunctionCall.Arguments
			return &llms.ContentResponse{Choices: append([]*llms.ContentChoice{&first}, r.Choices[1:]...)}
		}
	}
	return r
}
