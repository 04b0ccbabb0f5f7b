// Package compose fits a decorated model into langchaingo's chains and agents, so that what the chain or agent itself
// would choke on is refused, and reasked, before it gets there.
//
//   - [LLMChain] is a chain whose parser also judges the model's answers.
//   - [OneShotStep] and [ConversationalStep] are validators of an agent's steps, for llmretry.WithValidator;
//     [FunctionCalls] is one of the functions agent's calls, for llmretry.WithToolValidator. [ToolInput] adds what a tool
//     wants of its input.
//   - [ResponseFormat] is a JSON Schema for langchaingo's openai client, as far as that can carry it.
//
// For everything else a decorated model is an llms.Model: docs/compose.md in the repository shows what each chain and
// agent makes of one. The package has no words of its own for a model, and it is the only one here that imports
// langchaingo's chains and agents: whoever does not use them does not compile them.
//
// Whatever it returns is immutable and safe for concurrent use, as far as the caller's parsers and tools are.
package compose

import (
	"fmt"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// invalid says what is wrong with an argument.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{llmretry.ErrInvalidOption}, args...)...)
}
