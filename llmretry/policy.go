package llmretry

import (
	"context"
	"time"

	"github.com/tmc/langchaingo/llms"
)

// Classifier decides whether a failed attempt is worth a blind replay. It is asked about every failure except a
// cancelled call, the caller's own abort, a panic, filtered content, a truncated output under
// [WithTruncationOverride], and a refused output when [WithReask] is set. err is a [*ProviderError] where the loop
// knows more than its text. A classifier must be safe for concurrent use. (Semantics B1, B5, B6.)
type Classifier func(err error, s State) (retry bool)

// State is what a [Classifier] sees of the call. It is read-only.
type State struct {
	Attempt  int           // the failed attempt, from 0
	Elapsed  time.Duration // since the call began
	Messages []llms.MessageContent
}

// Builder words the correction for a refused output: it gets that attempt's [Failure] and returns the text of the
// user message that is appended after the output. An error or blank text ends the call. It runs only when a further
// attempt will follow, and must be safe for concurrent use. (Semantics E1 to E3, E10.)
type Builder func(ctx context.Context, f Failure) (string, error)

// Validator judges a whole response: nil accepts, an error refuses. At least one choice is not nil. The error may be
// [Issues], or have Issues() Issues and Schema() json.RawMessage methods. It must be safe for concurrent use.
type Validator func(ctx context.Context, r *llms.ContentResponse) error

// ParserFunc is a function as a langchaingo schema.OutputParser[T]. It has no format instructions.
type ParserFunc[T any] func(text string) (T, error)

// Parse calls the function.
func (f ParserFunc[T]) Parse(text string) (T, error) { return f(text) }

// ParseWithPrompt calls the function; the prompt is not used.
func (f ParserFunc[T]) ParseWithPrompt(text string, _ llms.PromptValue) (T, error) { return f(text) }

// GetFormatInstructions returns "": a function has none.
func (f ParserFunc[T]) GetFormatInstructions() string { return "" }

// Type returns "func".
func (f ParserFunc[T]) Type() string { return "func" }
