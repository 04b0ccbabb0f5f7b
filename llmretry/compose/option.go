package compose

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/tools"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

// Option refines a validator of an agent's steps.
type Option func(*config)

// config is what the options and the tools of a validator come to. Tools are found in upper case, as the executor of
// langchaingo finds them.
type config struct {
	constructor string
	tools       map[string]bool
	inputs      map[string]func(input string) error
	want        string
	problems    []error
}

// ToolInput says what a tool wants of its input: p must accept the text that the agent would hand to the tool of that
// name. Of the functions agent that is the one argument it declares. What p makes of the text is not used;
// an llmretry.ParserFunc will do.
func ToolInput[T any](tool string, p schema.OutputParser[T]) Option {
	return func(c *config) {
		name := strings.ToUpper(tool)
		switch {
		case any(p) == nil:
			c.problem("ToolInput(%q): nil parser", tool)
			return
		case !c.tools[name]:
			c.problem("ToolInput(%q): there is no such tool", tool)
		case c.inputs[name] != nil:
			c.problem("ToolInput(%q): given twice", tool)
		}
		safe := outputparser.Safe(p)
		c.inputs[name] = func(input string) error {
			_, err := safe.Parse(input)
			return err
		}
	}
}

func newConfig(constructor string, list []tools.Tool, opts []Option) (*config, error) {
	c := &config{constructor: constructor, tools: map[string]bool{}, inputs: map[string]func(string) error{}}
	var names []string
	for i, tool := range list {
		if tool == nil {
			c.problem("tool %d is nil", i)
			continue
		}
		name := strings.ToUpper(tool.Name())
		switch {
		case strings.TrimSpace(name) == "":
			c.problem("tool %d has no name", i)
		case c.tools[name]:
			c.problem("tool %q is given twice", tool.Name())
		}
		c.tools[name] = true
		names = append(names, strconv.Quote(tool.Name()))
	}
	c.want = "one of " + strings.Join(names, ", ")
	if len(list) == 0 {
		c.want = "no tool"
	}
	for _, opt := range opts {
		if opt == nil {
			c.problem("nil option")
			continue
		}
		opt(c)
	}
	return c, errors.Join(c.problems...)
}

func (c *config) problem(format string, args ...any) {
	c.problems = append(c.problems, invalid(c.constructor+": "+format, args...))
}

// checkInput asks the tool's parser. Its issues keep their paths, which are inside the input.
func (c *config) checkInput(tool, input string) error {
	check := c.inputs[strings.ToUpper(tool)]
	if check == nil {
		return nil
	}
	err := check(input)
	if err == nil {
		return nil
	}
	prefix := "input of " + strconv.Quote(tool) + ": "
	refused := &refusal{cause: err}
	var issues llmretry.Issues
	if !errors.As(err, &issues) {
		refused.issues = llmretry.Issues{{Code: "check", Message: prefix + err.Error()}}
		return refused
	}
	for _, issue := range issues {
		issue.Message = prefix + issue.String()
		refused.issues = append(refused.issues, issue)
	}
	return refused
}

// refusal is why a step or an input was refused.
type refusal struct {
	issues llmretry.Issues
	cause  error // a parser's, or langchaingo's
}

func (r *refusal) Error() string           { return r.issues.Error() }
func (r *refusal) Issues() llmretry.Issues { return r.issues }

// Schema is that of the parser that refused, nil without one.
func (r *refusal) Schema() json.RawMessage {
	var has interface{ Schema() json.RawMessage }
	if errors.As(r.cause, &has) {
		return has.Schema()
	}
	return nil
}

func (r *refusal) Unwrap() []error { return []error{r.issues, r.cause} }
