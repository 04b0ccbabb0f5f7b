package outputparser

import (
	"slices"
	"strings"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
)

var _ schema.OutputParser[Step] = (*ReActParser)(nil)

// Step is one step of an agent: a tool to run, or the final answer.
type Step struct {
	Thought     string `json:"thought,omitempty"`
	Tool        string `json:"tool,omitempty"` // "" = this is the final answer
	Input       string `json:"input,omitempty"`
	FinalAnswer string `json:"final_answer,omitempty"`
}

// ReActParser reads a step of a ReAct agent. Make one with [ReActStep]; the zero value refuses every output. It is
// immutable and safe for concurrent use.
type ReActParser struct {
	tools  []string
	want   string
	strict bool
}

const (
	thoughtLine     = "Thought:"
	actionLine      = "Action:"
	inputLine       = "Action Input:"
	observationLine = "Observation:"
	finalLine       = "Final Answer:"
)

// ReActStep returns a parser for agent steps in lines that begin with Thought:, Action:, Action Input: and Final
// Answer:. What follows a keyword runs to the next line with one; the text before the first is a thought. A step is an
// action with one of tools and its input, or a final answer. It is refused when it is neither or both, when there are
// two, and when the model went on to invent an Observation.
//
// A lenient parser drops a pair of emphasis marks (*, **) around a keyword or its line, and quotes and marks around a
// tool's name, and takes an input that begins on the line of its action. It takes no option but [Strict]. No tools, blank names and names given twice are errors.
func ReActStep(tools []string, opts ...Option) (*ReActParser, error) {
	c, err := newConfig("ReActStep", opts)
	if err != nil {
		return nil, err
	}
	for i, tool := range tools {
		if tool == "" || strings.TrimSpace(tool) != tool || strings.Contains(tool, "\n") {
			return nil, invalid("ReActStep: tool name %d is blank or has space around it", i)
		}
		if slices.Index(tools, tool) != i {
			return nil, invalid("ReActStep: tool %q is given twice", tool)
		}
	}
	if len(tools) == 0 {
		return nil, invalid("ReActStep: no tools are given")
	}
	return &ReActParser{tools: slices.Clone(tools), want: oneOfText(tools), strict: c.strict}, nil
}

const wantStep = "an action with its input, or a final answer"

// Parse returns the step in text, or an *[Error] with the code no_value, required, enum, observation or ambiguous.
func (p *ReActParser) Parse(text string) (Step, error) {
	if p == nil || p.tools == nil {
		return Step{}, errNoParser
	}
	s, refused := answer(text, p.strict, wantStep)
	if refused != nil {
		return Step{}, refused
	}
	sections, twice := p.sections(s)
	_, observed := sections[observationLine]
	tool, acts := sections[actionLine]
	input, hasInput := sections[inputLine]
	final, ends := sections[finalLine]
	step := Step{Thought: sections[thoughtLine]}
	switch {
	case observed:
		return Step{}, complain("observation", "holds an observation, which is not the model's to make", wantStep, sampleText(text))
	case twice:
		return Step{}, complain("ambiguous", "holds two steps", wantStep, sampleText(text))
	case ends && (acts || hasInput):
		return Step{}, complain("ambiguous", "holds an action and a final answer", wantStep, sampleText(text))
	case ends && final == "":
		return Step{}, complain("required", "final answer is empty", wantStep, sampleText(text))
	case ends:
		step.FinalAnswer = final
		return step, nil
	case !acts:
		return Step{}, complain("no_value", "holds no step", wantStep, sampleText(text))
	case !slices.Contains(p.tools, tool):
		return Step{}, complain("enum", "unknown tool", p.want, jsontext.Quote(tool, maxSample))
	case !hasInput:
		return Step{}, complain("required", "action input is missing", wantStep, sampleText(text))
	}
	step.Tool, step.Input = tool, input
	return step, nil
}

// sections returns the text after each keyword; twice says that one that may occur once occurs again.
func (p *ReActParser) sections(s string) (sections map[string]string, twice bool) {
	sections = map[string]string{}
	keyword := thoughtLine
	var text strings.Builder
	next := func(k string) {
		body := strings.TrimSpace(text.String())
		text.Reset()
		if keyword == actionLine && !p.strict {
			body = strings.Trim(body, "*`\"'")
		}
		if keyword == thoughtLine {
			body = strings.TrimSpace(sections[thoughtLine] + "\n" + body)
		}
		sections[keyword] = body
		_, again := sections[k]
		twice = twice || again && k != thoughtLine
		keyword = k
	}
	for line := range strings.Lines(s) {
		k, body := p.keyword(line)
		if k == "" {
			text.WriteString(line)
			continue
		}
		next(k)
		if tool, input, ok := strings.Cut(body, " "+inputLine); ok && k == actionLine && !p.strict {
			text.WriteString(tool)
			next(inputLine)
			body = input
		}
		text.WriteString(body)
	}
	next("")
	return sections, twice
}

// keyword returns the keyword that a line begins with and the text after it.
func (p *ReActParser) keyword(line string) (keyword, body string) {
	rest := strings.TrimLeft(line, " \t")
	marks := ""
	if !p.strict {
		marks = rest[:len(rest)-len(strings.TrimLeft(rest, "*"))]
		rest = rest[len(marks):]
	}
	for _, k := range [...]string{thoughtLine, actionLine, inputLine, observationLine, finalLine} {
		name := strings.TrimSuffix(k, ":")
		after, ok := strings.CutPrefix(rest, name)
		if !ok {
			continue
		}
		if body, ok = closed(after, marks); ok {
			return k, body
		}
	}
	return "", ""
}

// closed returns what follows the colon after a keyword, without the marks that close the ones before it: **K:** text,
// **K**: text or **K: text**. Marks that are not closed on their line belong to the text, and the keyword with them.
func closed(after, marks string) (body string, ok bool) {
	if body, ok = strings.CutPrefix(after, marks+":"); ok && marks != "" {
		return body, true
	}
	if body, ok = strings.CutPrefix(after, ":"+marks); ok {
		return body, true
	}
	line := strings.TrimRight(after, " \t\r\n")
	if body, ok = strings.CutSuffix(line, marks); ok && strings.HasPrefix(body, ":") {
		return body[1:] + after[len(line):], true
	}
	return "", false
}

// ParseWithPrompt is Parse; the prompt has no part in it.
func (p *ReActParser) ParseWithPrompt(text string, _ llms.PromptValue) (Step, error) {
	return p.Parse(text)
}

// GetFormatInstructions returns the tool names, quoted and separated by commas.
func (p *ReActParser) GetFormatInstructions() string {
	if p == nil {
		return ""
	}
	return strings.TrimPrefix(p.want, "one of ")
}

// Type returns "react_step".
func (p *ReActParser) Type() string { return "react_step" }
