package adapters_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	llmcompose "github.com/llmretry/langchaingo-llmretry/llmretry/compose"
)

// agentFailures are first answers that an agent, its executor or its user suffers from. In each the model does well
// afterwards.
var agentFailures = []struct {
	agent, failure string
	crew           crew
}{
	{"OneShotZeroAgent", "no step", oneShotCrew("I should add them.")},
	{"OneShotZeroAgent, ParserErrorHandler", "no step", func() crew {
		c := oneShotCrew("I should add them.")
		c.executor = []agents.Option{agents.WithParserErrorHandler(agents.NewParserErrorHandler(nil))}
		return c
	}()},
	{"OneShotZeroAgent", "unknown tool", oneShotCrew("Action: calculator\nAction Input: 2+2")},
	{"OneShotZeroAgent", "invents the observation", oneShotCrew("Action: sum\nAction Input: 2+2\nObservation: 5\nFinal Answer: 5")},
	{"OneShotZeroAgent", "two actions", oneShotCrew("Action: sum\nAction Input: 2+2\nAction: sum\nAction Input: 4+4")},
	{"OneShotZeroAgent", `"the answer is" in a thought`, oneShotCrew("Thought: the answer is: 5, or so. Better use the tool.")},
	{"OneShotZeroAgent", "input that the tool does not take", func() crew {
		c := oneShotCrew("Action: sum\nAction Input: two and two")
		c.opts = []llmcompose.Option{llmcompose.ToolInput("sum", sums)}
		return c
	}()},
	{"ConversationalAgent", "no step", conversationalCrew("I should add them.")},
	{"ConversationalAgent", "unknown tool", conversationalCrew("Action: calculator\nAction Input: 2+2")},
	{"ConversationalAgent", `"AI:" in the input`, conversationalCrew("Action: sum\nAction Input: OpenAI: 2+2")},
	{"OpenAIFunctionsAgent", "unknown tool", functionsCrew("calculator", `{"__arg1":"2+2"}`)},
	{"OpenAIFunctionsAgent", "arguments that are no JSON", functionsCrew("sum", `{"__arg1":"2+2"`)},
	{"OpenAIFunctionsAgent", "arguments against the schema", functionsCrew("sum", `{"a":2,"b":2}`)},
	{"OpenAIFunctionsAgent", "input that the tool does not take", func() crew {
		c := functionsCrew("sum", `{"__arg1":"two and two"}`)
		c.opts = []llmcompose.Option{llmcompose.ToolInput("sum", sums)}
		return c
	}()},
}

// TestAgentFailures: with the validator the model is asked again before the agent sees the answer, so no iteration is
// spent on it and nothing of it is in the scratchpad. What happens without is measured too, for docs/compose.md.
func TestAgentFailures(t *testing.T) {
	rows := [][]string{fateHeader("agent")}
	for _, f := range agentFailures {
		t.Run(f.agent+"/"+f.failure, func(t *testing.T) {
			without, with := f.crew.run(t, false), f.crew.run(t, true)
			require.NoError(t, with.err)
			assert.Equal(t, "4", with.output)
			assert.Equal(t, 2, with.plans, "iterations: the action, the answer")
			assert.Equal(t, []string{"sum(2+2) = 4"}, with.steps)
			assert.Equal(t, []string{"2+2"}, with.tool)
			assert.Len(t, with.asked, 3)
			assert.Equal(t, "Human: What is 2+2?\nAI: 4", with.memory)
			require.Len(t, with.reports, 2, "one per plan")
			assert.Equal(t, []llmretry.ErrorCategory{llmretry.CategoryStructuredOutputInvalid, ""}, ways(with.reports[0]))
			assert.NotEmpty(t, with.reports[0].LastRefused().Issues)
			assert.True(t, without.err != nil || without.output != "4" || without.plans > 2 || len(without.tool) > 1, "there is nothing to heal")
			rows = append(rows, without.row(f.agent, f.failure, "without"), with.row("", "", "with"))
		})
	}
	if len(rows) == 1+2*len(agentFailures) { // not when -run picked some
		composeDocument(t, "agents", markdown(rows))
	}
}

func (m mission) row(what, failure, side string) []string {
	return fate{
		sees: seen(m.output, m.err), iterations: m.plans, calls: len(m.asked), scratchpad: m.scratchpad(), memory: m.memory,
	}.row(what, failure, side)
}

// The decorator comes first. The executor's own handler gets a step only when the attempts have run out, and then as
// ever: an iteration is spent, and what its formatter makes of the error is in the scratchpad.
func TestAgentHandlerComesLast(t *testing.T) {
	const rambling = "I should add them."
	var handled []string
	handler := []agents.Option{agents.WithParserErrorHandler(agents.NewParserErrorHandler(func(err string) string {
		handled = append(handled, err)
		return "Use the tool."
	}))}

	healed := oneShotCrew(rambling, rambling, "Action: sum\nAction Input: 2+2", "Final Answer: 4")
	healed.executor = handler
	m := healed.run(t, true)
	require.NoError(t, m.err)
	assert.Empty(t, handled, "attempts are left")
	assert.Equal(t, 2, m.plans)

	late := oneShotCrew(rambling, rambling, rambling, "Action: sum\nAction Input: 2+2", "Final Answer: 4")
	late.executor = handler
	m = late.run(t, true)
	require.NoError(t, m.err)
	assert.Equal(t, "4", m.output)
	require.Len(t, handled, 1)
	assert.NotContains(t, handled[0], rambling, "the error does not quote the model")
	assert.Equal(t, 3, m.plans)
	assert.Len(t, m.asked, 5)
	assert.Equal(t, []string{"() = Use the tool.", "sum(2+2) = 4"}, m.steps)

	late.executor = nil
	m = late.run(t, true)
	require.ErrorIs(t, m.err, agents.ErrUnableToParseOutput)
	require.ErrorIs(t, m.err, llmretry.ErrMaxAttempts)
	var refused *llmretry.StructuredOutputError
	require.ErrorAs(t, m.err, &refused)
	assert.Equal(t, rambling, refused.OutputContent)
	assert.Empty(t, m.memory)

	late.executor, handled = handler, nil
	late.turns = []turn{breaks(overload), breaks(overload), breaks(overload)}
	m = late.run(t, true)
	require.Error(t, m.err, "a provider's failure is no step to handle")
	assert.Empty(t, handled)
}

// A step that passes is the model's own, to the byte, and stop words reach the model on every attempt.
func TestAgentStepIsUntouched(t *testing.T) {
	const step = "Thought:  spaced  \nAction: sum\nAction Input: 2+2\n"
	m := oneShotCrew("Hm.", step, "Final Answer: 4").run(t, true)
	require.NoError(t, m.err)
	require.Len(t, m.asked, 3)
	for _, a := range m.asked {
		assert.Equal(t, []string{"\nObservation:", "\n\tObservation:"}, a.options.StopWords)
	}
	assert.Contains(t, m.asked[2].text(), "Thought:  spaced  \nAction: sum\nAction Input: 2+2", "the scratchpad has what the model said")
	assert.NotContains(t, m.asked[2].text(), "Hm.")
}

// A terminal verdict beside the step's ends the run: the executor gets no step to handle.
func TestAgentTerminal(t *testing.T) {
	c := oneShotCrew("Action: sum\nAction Input: 2+2")
	c.decorator = []llmretry.Option{llmretry.WithValidator(terminalVerdict)}
	c.executor = []agents.Option{agents.WithParserErrorHandler(agents.NewParserErrorHandler(nil))}
	m := c.run(t, true)
	require.ErrorIs(t, m.err, errHopeless)
	assert.Equal(t, 1, m.plans)
	assert.Len(t, m.asked, 1)
}

var errHopeless = errors.New("hopeless")

func terminalVerdict(context.Context, *llmsResponse) error { return llmretry.Terminal(errHopeless) }
