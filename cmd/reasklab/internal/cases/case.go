// Package cases reads what the lab asks: prompts, each with a schema and, if it is known, the value that would be right.
package cases

import (
	"encoding/json"
	"errors"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

// ErrInvalid is what every complaint about a file of cases matches.
var ErrInvalid = errors.New("invalid cases")

// Case is one prompt. It is read-only once read, and safe for concurrent use.
type Case struct {
	ID       string
	Messages []llms.MessageContent
	Expected json.RawMessage // the right value; nil = not known
	Schema   json.RawMessage

	parser *outputparser.JSONParser[any]
	want   any
}

// Parser returns the parser that decides whether an answer is valid.
func (c *Case) Parser() *outputparser.JSONParser[any] { return c.parser }

// Matches reports whether value is the expected one, numbers by value and objects in any order of keys. known is false
// when nobody said what is expected.
func (c *Case) Matches(value any) (matches, known bool) {
	if c.Expected == nil {
		return false, false
	}
	return jsontext.Equal(value, c.want), true
}
