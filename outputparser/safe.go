package outputparser

import (
	"encoding/json"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
)

// Safe is p with its panics turned into parse errors, for parsers that panic on odd output, as some of langchaingo's
// do: an *[Error] with the code "panic" that unwraps to an *llmretry.PanicError. Everything else passes through, and
// p's Schema and ToolName methods are kept. What Go itself cannot recover from, as an endless recursion, ends the process still. As
// safe for concurrent use as p.
func Safe[T any](p schema.OutputParser[T]) schema.OutputParser[T] { return safeParser[T]{p} }

type safeParser[T any] struct{ p schema.OutputParser[T] }

func (s safeParser[T]) Parse(text string) (T, error) {
	return guarded(s.p, func() (T, error) { return s.p.Parse(text) })
}

func (s safeParser[T]) ParseWithPrompt(text string, prompt llms.PromptValue) (T, error) {
	return guarded(s.p, func() (T, error) { return s.p.ParseWithPrompt(text, prompt) })
}

func guarded[T any](p schema.OutputParser[T], parse func() (T, error)) (v T, err error) {
	if p == nil {
		return v, errNoParser
	}
	defer func() {
		if r := recover(); r != nil {
			var zero T
			issues, cause := panicked(r)
			v, err = zero, &Error{issues: issues, cause: cause}
		}
	}()
	return parse()
}

// GetFormatInstructions is that of the wrapped parser, "" when it panics.
func (s safeParser[T]) GetFormatInstructions() string {
	return said(s.p, schema.OutputParser[T].GetFormatInstructions)
}

// Type is that of the wrapped parser, "" when it panics.
func (s safeParser[T]) Type() string { return said(s.p, schema.OutputParser[T].Type) }

// Schema is that of the wrapped parser, nil when it has none or panics.
func (s safeParser[T]) Schema() json.RawMessage {
	return said(s.p, func(p schema.OutputParser[T]) json.RawMessage { return schemaOf(p) })
}

// ToolName is that of the wrapped parser, "" when it has none or panics.
func (s safeParser[T]) ToolName() string {
	return said(s.p, func(p schema.OutputParser[T]) string { return toolNameOf(p) })
}

// said asks a parser about itself; the zero value is no answer.
func said[T, A any](p schema.OutputParser[T], ask func(schema.OutputParser[T]) A) (answer A) {
	if p == nil {
		return answer
	}
	defer func() {
		if recover() != nil {
			var none A
			answer = none
		}
	}()
	return ask(p)
}
