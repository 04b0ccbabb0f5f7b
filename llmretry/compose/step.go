package compose

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/prompts"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/tools"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// OneShotStep returns a validator, for llmretry.WithValidator, of the steps of an agents.OneShotZeroAgent with these
// tools. It accepts nothing that the agent cannot parse: every answer goes through the agent's own parser first. Of what
// the agent can parse it refuses what the agent would misread:
//
//	unknown_tool  an action with none of the tools; as for the executor, case does not matter
//	observation   a line that begins with Observation: and says something, which is a tool's to say
//	ambiguous     two actions, two answers, an action and an answer, a thought after the answer
//	ambiguous     an answer inside a line, as in "Thought: perhaps the answer is: no", with which the agent would finish
//	ambiguous     an answer of which the agent would take a part only
//	required      an empty final answer
//
// and what a [ToolInput] refuses. A refusal matches agents.ErrUnableToParseOutput, so that an executor with a
// ParserErrorHandler gets the step to handle when the attempts have run out, and not before.
//
// Validators do not judge responses that call tools, which this agent never asks for. Where a model may call some
// nevertheless, give the same validator to llmretry.WithToolValidator: it refuses them.
func OneShotStep(tools []tools.Tool, opts ...Option) (llmretry.Validator, error) {
	return newStep("OneShotStep", tools, opts, []string{"final answer", "the final answer is", "the answer is"}, func(c chains.Chain) agents.Agent {
		return &agents.OneShotZeroAgent{Chain: c, OutputKey: outputKey}
	})
}

// ConversationalStep is [OneShotStep] for an agents.ConversationalAgent, whose final answers begin with AI:.
func ConversationalStep(tools []tools.Tool, opts ...Option) (llmretry.Validator, error) {
	return newStep("ConversationalStep", tools, opts, []string{"ai"}, func(c chains.Chain) agents.Agent {
		return &agents.ConversationalAgent{Chain: c, OutputKey: outputKey}
	})
}

const outputKey = "output"

var errPanicked = errors.New("compose: the agent's parser panicked")

// step judges the steps of one kind of agent.
type step struct {
	*config
	finals []string // labels of a final answer, in lower case
	agent  func(chains.Chain) agents.Agent
}

func newStep(constructor string, list []tools.Tool, opts []Option, finals []string, agent func(chains.Chain) agents.Agent) (llmretry.Validator, error) {
	c, err := newConfig(constructor, list, opts)
	if err != nil {
		return nil, err
	}
	return (&step{c, finals, agent}).validate, nil
}

// validate judges the text that the agent would be given, which is that of the first choice.
func (s *step) validate(ctx context.Context, r *llms.ContentResponse) error {
	text := ""
	if choices := choicesOf(r); len(choices) > 0 {
		text = choices[0].Content
	}
	action, finish, err := s.plan(ctx, text)
	switch {
	case errors.Is(err, errPanicked):
		return s.refuse(text, "panic", "the agent's parser panics on it")
	case err != nil:
		return s.refuse(text, "no_value", "holds no step")
	}
	lines := scan(strings.TrimSpace(text), s.finals)
	if finish != nil {
		answer, _ := finish.ReturnValues[outputKey].(string)
		return s.finish(text, lines, strings.TrimSpace(answer))
	}
	return s.action(text, lines, action)
}

// choicesOf returns the choices that are there.
func choicesOf(r *llms.ContentResponse) []*llms.ContentChoice {
	if r == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.Choices), func(c *llms.ContentChoice) bool { return c == nil })
}

// plan asks the agent itself what it makes of a text. What it is given is what its chain makes of an answer, by the
// chain's own code. The agents' parsers do panic: where lower case takes more bytes than upper case, indices are off.
func (s *step) plan(ctx context.Context, text string) (action schema.AgentAction, finish *schema.AgentFinish, err error) {
	defer func() {
		if recover() != nil {
			err = errPanicked
		}
	}()
	chain := chains.NewLLMChain(constant(text), prompts.NewPromptTemplate("", nil))
	actions, finish, err := s.agent(chain).Plan(ctx, nil, nil)
	switch {
	case err != nil:
		return schema.AgentAction{}, nil, err
	case finish != nil:
		return schema.AgentAction{}, finish, nil
	case len(actions) != 1:
		return schema.AgentAction{}, nil, agents.ErrAgentNoReturn
	}
	return actions[0], nil, nil
}

func (s *step) finish(text string, l labels, answer string) error {
	switch {
	case l.actions > 0:
		return s.refuse(text, "ambiguous", "holds an action and a final answer")
	case l.observed:
		return s.refuse(text, "observation", "holds an observation, which is not the model's to make")
	case l.finals > 1:
		return s.refuse(text, "ambiguous", "holds two final answers")
	case answer == "":
		return s.refuse(text, "required", "final answer is empty")
	case l.finals == 0:
		return s.refuse(text, "ambiguous", "final answer does not begin a line")
	case answer != l.answer:
		return s.refuse(text, "ambiguous", "only a part of the final answer would be taken for it")
	case l.goesOn:
		return s.refuse(text, "ambiguous", "goes on after the final answer")
	}
	return nil
}

func (s *step) action(text string, l labels, a schema.AgentAction) error {
	switch {
	case l.observed:
		return s.refuse(text, "observation", "holds an observation, which is not the model's to make")
	case l.finals > 0:
		return s.refuse(text, "ambiguous", "holds an action and a final answer")
	case l.actions > 1 || l.inputs > 1:
		return s.refuse(text, "ambiguous", "holds two actions")
	case !s.tools[strings.ToUpper(a.Tool)]:
		got := jsontext.Quote(a.Tool, maxSample)
		return &refusal{cause: agents.ErrUnableToParseOutput, issues: llmretry.Issues{{
			Code: "unknown_tool", Want: s.want, Got: got, Message: "output: unknown tool, want " + s.want + ", got " + got,
		}}}
	}
	if err := s.checkInput(a.Tool, strings.TrimSuffix(a.ToolInput, bareObservation)); err != nil {
		return unparsable{err}
	}
	return nil
}

// unparsable lets an executor's ParserErrorHandler know a refused input when it sees one.
type unparsable struct{ error }

func (u unparsable) Unwrap() []error { return []error{u.error, agents.ErrUnableToParseOutput} }

const (
	wantStep  = "an action with its input, or a final answer"
	maxSample = 120
)

func (s *step) refuse(text, code, what string) error {
	got := jsontext.Quote(text, maxSample)
	return &refusal{cause: agents.ErrUnableToParseOutput, issues: llmretry.Issues{{
		Code: code, Want: wantStep, Got: got, Message: "output: " + what + ", want " + wantStep + ", got " + got,
	}}}
}

// constant is a model that always says the same.
type constant string

func (c constant) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: string(c)}}}, nil
}

func (c constant) Call(context.Context, string, ...llms.CallOption) (string, error) {
	return string(c), nil
}
