package llmretry

import (
	"encoding/json"
	"runtime/debug"

	"github.com/tmc/langchaingo/schema"
)

// parser is a schema.OutputParser[T] whatever its T.
type parser struct {
	parse  func(text string) error
	schema json.RawMessage
	tool   string // name of the tool whose arguments are the value; "" = none
}

// newParser wraps p; keep gets each accepted value.
func newParser[T any](p schema.OutputParser[T], keep func(T)) *parser {
	w := &parser{parse: func(text string) error {
		v, err := p.Parse(text)
		if err == nil {
			keep(v)
		}
		return err
	}}
	if s, ok := any(p).(interface{ Schema() json.RawMessage }); ok {
		w.schema = s.Schema()
	}
	if t, ok := any(p).(interface{ ToolName() string }); ok {
		w.tool = t.ToolName()
	}
	return w
}

// parse runs the parser. Libraries' parsers do panic on model output, so a panic is a refusal. (Semantics J2.)
func (c *config) parse(text string) (err error) {
	if c.parser == nil {
		return nil
	}
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return c.parser.parse(text)
}
