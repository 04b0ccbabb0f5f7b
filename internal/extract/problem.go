package extract

import "github.com/llmretry/langchaingo-llmretry/internal/jsontext"

// Reason says why a reply gives no value.
type Reason uint8

const (
	None          Reason = iota
	Empty                // nothing but space
	NoValue              // text, but nothing that begins like a value
	Faulty               // a value begins and is malformed or unfinished; Problem.Fault says where
	ExtraText            // something stands around the value where only the value may stand
	OpenReasoning        // a reasoning block is not closed
	ToolCall             // the text holds the markup of a tool call
)

// Problem is a reason and where it was found. The zero value is no problem.
type Problem struct {
	Reason Reason
	Offset int
	Fault  jsontext.Fault
}
