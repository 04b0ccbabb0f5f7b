package adapters_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/schema"
	toolkit "github.com/tmc/langchaingo/tools"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	llmcompose "github.com/llmretry/langchaingo-llmretry/llmretry/compose"
)

// sumTool adds two digits. Anything else is an error, which ends an executor's run.
type sumTool struct{ got *[]string }

func (sumTool) Name() string        { return "sum" }
func (sumTool) Description() string { return "Adds two digits: 2+2" }

func (s sumTool) Call(_ context.Context, input string) (string, error) {
	*s.got = append(*s.got, input)
	var a, b int
	if n, err := fmt.Sscanf(input, "%1d+%1d", &a, &b); n != 2 || err != nil || len(input) != 3 {
		return "", errors.New("not a sum: " + input)
	}
	return fmt.Sprint(a + b), nil
}

// sums is the parser of what sumTool takes.
var sums = llmretry.ParserFunc[string](func(text string) (string, error) {
	var got []string
	return (sumTool{&got}).Call(context.Background(), text)
})

// planCounter is an agent that keeps what the executor asked it.
type planCounter struct {
	agents.Agent
	plans int
	steps []schema.AgentStep // the scratchpad of the last plan
}

func (p *planCounter) Plan(ctx context.Context, steps []schema.AgentStep, inputs map[string]string, opts ...chains.ChainCallOption) ([]schema.AgentAction, *schema.AgentFinish, error) {
	p.plans++
	p.steps = steps
	return p.Agent.Plan(ctx, steps, inputs, opts...)
}

// crew is an agent with a model that plays turns.
type crew struct {
	agent     func(m llms.Model, list []toolkit.Tool) agents.Agent
	validator func(list []toolkit.Tool, opts ...llmcompose.Option) llmretry.Option
	turns     []turn
	opts      []llmcompose.Option
	decorator []llmretry.Option // added to the validator and a builder
	executor  []agents.Option
}

// mission is what came of one run.
type mission struct {
	output  string
	err     error
	plans   int      // iterations of the executor
	steps   []string // the scratchpad at the end
	tool    []string // what the tool was given
	memory  string
	asked   []asked
	reports []*llmretry.Report
}

func (c crew) run(t *testing.T, decorated bool) (m mission) {
	t.Helper()
	scripted := &sceneModel{turns: c.turns}
	list := []toolkit.Tool{sumTool{&m.tool}}
	model := llms.Model(scripted)
	if decorated {
		opts := append([]llmretry.Option{
			c.validator(list, c.opts...), llmretry.WithReask(plainWords), llmretry.WithBackoff(llmretry.Constant(0)),
		}, c.decorator...)
		model = llmretry.Must(llmretry.New(scripted, opts...))
	}
	agent := &planCounter{Agent: c.agent(model, list)}
	buffer := memory.NewConversationBuffer()
	executor := agents.NewExecutor(agent, append(c.executor, agents.WithMemory(buffer))...)
	ctx, reports := llmretry.CaptureReports(t.Context())
	var out map[string]any
	out, m.err = chains.Call(ctx, executor, map[string]any{"input": "What is 2+2?"})
	m.output, _ = out["output"].(string)
	m.plans, m.asked, m.reports = agent.plans, scripted.requests(), reports()
	for _, s := range agent.steps {
		m.steps = append(m.steps, fmt.Sprintf("%s(%s) = %s", s.Action.Tool, s.Action.ToolInput, s.Observation))
	}
	m.memory = historyOf(t, buffer)
	return m
}

func historyOf(t *testing.T, m schema.Memory) string {
	t.Helper()
	variables, err := m.LoadMemoryVariables(t.Context(), nil)
	require.NoError(t, err)
	history, _ := variables["history"].(string)
	return history
}

// The agents of langchaingo, and the validator of each.

func oneShotCrew(first string, rest ...string) crew {
	if rest == nil {
		rest = []string{"Thought: I add.\nAction: sum\nAction Input: 2+2", "Thought: I know.\nFinal Answer: 4"}
	}
	return crew{
		agent: func(m llms.Model, list []toolkit.Tool) agents.Agent { return agents.NewOneShotAgent(m, list) },
		validator: func(list []toolkit.Tool, opts ...llmcompose.Option) llmretry.Option {
			return llmretry.WithValidator(llmretry.Must(llmcompose.OneShotStep(list, opts...)))
		},
		turns: tellAll(append([]string{first}, rest...)),
	}
}

func conversationalCrew(first string) crew {
	return crew{
		agent: func(m llms.Model, list []toolkit.Tool) agents.Agent { return agents.NewConversationalAgent(m, list) },
		validator: func(list []toolkit.Tool, opts ...llmcompose.Option) llmretry.Option {
			return llmretry.WithValidator(llmretry.Must(llmcompose.ConversationalStep(list, opts...)))
		},
		turns: tellAll([]string{first, "Thought: Do I need to use a tool? Yes\nAction: sum\nAction Input: 2+2", "Thought: Do I need to use a tool? No\nAI:4"}),
	}
}

func functionsCrew(name, arguments string) crew {
	return crew{
		agent: func(m llms.Model, list []toolkit.Tool) agents.Agent { return agents.NewOpenAIFunctionsAgent(m, list) },
		validator: func(list []toolkit.Tool, opts ...llmcompose.Option) llmretry.Option {
			return llmretry.WithToolValidator(llmretry.Must(llmcompose.FunctionCalls(list, opts...)))
		},
		turns: []turn{tooled(toolCall("c1", name, arguments)), tooled(toolCall("c2", "sum", `{"__arg1":"2+2"}`)), tells("4")},
	}
}

func tellAll(texts []string) (turns []turn) {
	for _, text := range texts {
		turns = append(turns, tells(text))
	}
	return turns
}

// scratchpad is the whole of it in one cell.
func (m mission) scratchpad() string {
	if len(m.steps) == 0 {
		return "empty"
	}
	return strings.Join(m.steps, "; ")
}
