package outputparser

import (
	"encoding/json"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
)

// Any is p with its value as an any, for places that ask for a schema.OutputParser[any], as chains.LLMChain does.
// It keeps p's Schema and ToolName methods. A chain with a conversation memory wants a string from its parser; Any cannot give one.
// As safe for concurrent use as p.
func Any[T any](p schema.OutputParser[T]) schema.OutputParser[any] { return anyParser[T]{p} }

type anyParser[T any] struct{ p schema.OutputParser[T] }

func (a anyParser[T]) Parse(text string) (any, error) {
	if a.p == nil {
		return nil, errNoParser
	}
	v, err := a.p.Parse(text)
	if err != nil {
		return nil, err
	}
	return v, nil
}

func (a anyParser[T]) ParseWithPrompt(text string, prompt llms.PromptValue) (any, error) {
	if a.p == nil {
		return nil, errNoParser
	}
	v, err := a.p.ParseWithPrompt(text, prompt)
	if err != nil {
		return nil, err
	}
	return v, nil
}

func (a anyParser[T]) GetFormatInstructions() string {
	if a.p == nil {
		return ""
	}
	return a.p.GetFormatInstructions()
}

func (a anyParser[T]) Type() string {
	if a.p == nil {
		return ""
	}
	return a.p.Type()
}

// Schema is that of the wrapped parser, nil when it has none.
func (a anyParser[T]) Schema() json.RawMessage { return schemaOf(a.p) }

// ToolName is that of the wrapped parser, "" when it has none.
func (a anyParser[T]) ToolName() string { return toolNameOf(a.p) }

var errNoParser = invalid("the parser is nil")

// toolNameOf asks a parser for the tool it declares.
func toolNameOf(p any) string {
	if t, ok := p.(interface{ ToolName() string }); ok {
		return t.ToolName()
	}
	return ""
}

// schemaOf asks a parser for its schema.
func schemaOf(p any) json.RawMessage {
	if s, ok := p.(interface{ Schema() json.RawMessage }); ok {
		return s.Schema()
	}
	return nil
}
