package outputparser

import (
	"encoding/json"

	"github.com/tmc/langchaingo/llms"
)

// Tool declares the parser's value as the arguments of a tool, for structured output by tool call: force the model to
// call it and give the call's arguments to Parse. The parameters are a fresh map[string]any, the form that every
// provider client of langchaingo takes; providers want an object at the root, so T should be a struct or a map.
func (p *JSONParser[T]) Tool(name, description string) llms.Tool {
	var parameters map[string]any
	if p != nil {
		_ = json.Unmarshal(p.schema, &parameters) // compiled before: it is JSON; a boolean schema leaves no parameters
	}
	return llms.Tool{
		Type:     "function",
		Function: &llms.FunctionDefinition{Name: name, Description: description, Parameters: parameters},
	}
}
