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
// A lenient parser drops bold marks around keywords and tool names, and takes an input that begins on the line of its
// action. It takes no option but [Strict]. No tools, blank names and names given twice are errors.
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
	keyword, begin := thoughtLine, 0
	closeAt := func(end int) {
		body := strings.TrimSpace(s[begin:end])
		if keyword == actionLine && !p.strict {
			body = strings.Trim(body, "*`\"'")
		}
		if keyword == thoughtLine {
			body = strings.TrimSpace(sections[thoughtLine] + "\n" + body)
		}
		sections[keyword] = body
	}
	offset := 0
	for line := range strings.Lines(s) {
		if next, bodyAt := p.keyword(line); next != "" {
			closeAt(offset)
			_, again := sections[next]
			twice = twice || again && next != thoughtLine
			keyword, begin = next, offset+bodyAt
			if next == actionLine && !p.strict {
				if at := strings.Index(line, " "+inputLine); at >= bodyAt {
					closeAt(offset + at)
					keyword, begin = inputLine, offset+at+1+len(inputLine)
				}
			}
		}
		offset += len(line)
	}
	closeAt(len(s))
	return sections, twice
}

// keyword returns the keyword that a line begins with, and where the text after it begins.
func (p *ReActParser) keyword(line string) (keyword string, bodyAt int) {
	marks := " \t"
	if !p.strict {
		marks = " \t*_#>"
	}
	rest := strings.TrimLeft(line, marks)
	for _, k := range [...]string{thoughtLine, actionLine, inputLine, observationLine, finalLine} {
		name := strings.TrimSuffix(k, ":")
		after, ok := strings.CutPrefix(rest, name)
		if !ok {
			continue
		}
		if !p.strict {
			after = strings.TrimLeft(after, "*_")
		}
		if after, ok = strings.CutPrefix(after, ":"); !ok {
			continue
		}
		if !p.strict {
			after = strings.TrimLeft(after, "*_")
		}
		return k, len(line) - len(after)
	}
	return "", 0
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
