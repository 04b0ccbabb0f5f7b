package compose_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/compose"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

// answer is a response with one choice.
func answer(text string) *llms.ContentResponse {
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: text}}}
}

// codeOf is the code of the first issue, "" of an accepted step.
func codeOf(err error) string {
	var issues llmretry.Issues
	if errors.As(err, &issues) {
		return issues[0].Code
	}
	return ""
}

var oneShotSteps = map[string]string{
	"Thought: I look.\nAction: search\nAction Input: whales":              "",
	"Action: SEARCH\nAction Input: the executor does not mind case":       "",
	"action: search\naction input: nor does the agent":                    "",
	"Action: search Action Input: on one line":                            "",
	"Action: search\nAction Input: two\nlines: of input":                  "",
	"Action: search\nAction Input: a stop word left in\nObservation:":     "",
	"Thought: I now know the final answer\nFinal Answer: 42":              "",
	"final answer: lower case":                                            "",
	"The answer is: on its own line":                                      "",
	"Final Answer: two\nlines":                                            "",
	"Thought: the answer is: out there.\nAction: search\nAction Input: x": "",

	"":                                        "no_value",
	"I do not know what to do.":               "no_value",
	"Action: search":                          "no_value",
	"Action: search\nAction Input: ":          "no_value",
	"Action Input: x":                         "no_value",
	"Action: dig\nAction Input: a":            "unknown_tool",
	"Action: [search]\nAction Input: a":       "unknown_tool",
	"**Action:** search\n**Action Input:** a": "no_value",
	"Final Answer:":                           "required",
	"Action: search\nAction Input: a\nObservation: 3\nFinal Answer: 3": "ambiguous",
	"Action: search\nAction Input: a\nObservation: I found it":         "observation",
	"Action: search\nAction Input: a\nObservation:\n3":                 "observation",
	"Action: search\nAction Input: a\n> observation: b":                "observation",
	"Observation: b\nFinal Answer: a":                                  "observation",
	"Final Answer: a\nObservation:":                                    "observation",
	"Action: search\nAction Input: a\nAction: search\nAction Input: b": "ambiguous",
	"Action: search Action Input: a Action: search Action Input: b":    "ambiguous",
	"Action: Shell\nAction: search\nAction Input: b":                   "ambiguous",
	"Action: search\nAction Input: a\nFinal Answer: a":                 "ambiguous",
	"The answer is: open.\nAction: search\nAction Input: a":            "ambiguous",
	"Final Answer: a\nFinal Answer: b":                                 "ambiguous",
	"Final Answer: a, or is the Final Answer: b":                       "ambiguous",
	"Thought: the answer is: maybe 42, I must look":                    "ambiguous",
	"Thought: I know. Final Answer: 42":                                "ambiguous",
	"ȺȺ\nThe answer is: 42":                                            "ambiguous", // the agent would answer "2": lower case is longer
	"ȺȺȺȺ\nfinal answer:":                                              "panic",
	"Final Answer: 42\nThought: or is it":                              "ambiguous",
}

var conversationalSteps = map[string]string{
	"Thought: Do I need to use a tool? No\nAI: Hello.": "",
	"AI: Hello.": "",
	"Thought: Do I need to use a tool? Yes\nAction: search\nAction Input: x": "",
	"Action: search\nAction Input: x\nObservation:":                          "",
	"Action: search\nAction Input: ":                                         "no_value",

	"Hello.":                       "no_value",
	"ai: lower case":               "no_value",
	"Final Answer: of others":      "no_value",
	"AI:":                          "required",
	"Action: dig\nAction Input: x": "unknown_tool",
	"Action: search\nAction Input: x\nObservation: y\nAI: y": "ambiguous",
	"Action: search\nAction Input: OpenAI: the company":      "ambiguous",
	"AI: They call it OpenAI: a company.":                    "ambiguous",
	"Thought: I ask the AI: no":                              "ambiguous",
	"AI: a\nAI: b":                                           "ambiguous",
}

func TestSteps(t *testing.T) {
	for _, kind := range []struct {
		name  string
		make  func([]tools.Tool, ...compose.Option) (llmretry.Validator, error)
		agent func(llms.Model) agents.Agent
		steps map[string]string
	}{
		{"one shot", compose.OneShotStep, func(m llms.Model) agents.Agent { return agents.NewOneShotAgent(m, twoTools) }, oneShotSteps},
		{"conversational", compose.ConversationalStep, func(m llms.Model) agents.Agent { return agents.NewConversationalAgent(m, twoTools) }, conversationalSteps},
	} {
		v := llmretry.Must(kind.make(twoTools))
		for text, want := range kind.steps {
			err := v(t.Context(), answer(text))
			assert.Equal(t, want, codeOf(err), "%s: %q: %v", kind.name, text, err)
			if want != "panic" {
				_, _, planned := kind.agent(says(text)).Plan(t.Context(), nil, map[string]string{"input": "x"})
				assert.True(t, planned == nil || err != nil, "%s: the agent refuses %q", kind.name, text)
			}
			if err != nil {
				assert.ErrorIs(t, err, agents.ErrUnableToParseOutput, "%s: %q", kind.name, text)
			}
		}
	}
}

func TestStepMessages(t *testing.T) {
	v := llmretry.Must(compose.OneShotStep(twoTools))
	assert.EqualError(t, v(t.Context(), answer("Hm.")), `output: holds no step, want an action with its input, or a final answer, got "Hm."`)
	assert.EqualError(t, v(t.Context(), answer("Action: dig\nAction Input: a")), `output: unknown tool, want one of "search", "Shell", got "dig"`)
	assert.Equal(t, "no_value", codeOf(v(t.Context(), &llms.ContentResponse{Choices: []*llms.ContentChoice{nil}})))
	assert.NoError(t, v(t.Context(), &llms.ContentResponse{Choices: []*llms.ContentChoice{nil, {Content: "Final Answer: 1"}}}))
	assert.Equal(t, "no_value", codeOf(v(t.Context(), nil)))
}

// A model that calls tools of its own accord is asked for a step.
func TestStepInsteadOfCalls(t *testing.T) {
	v := llmretry.Must(compose.OneShotStep(twoTools))
	inner := &scripted{choices: []*llms.ContentChoice{calls("search", `{}`), {Content: "Final Answer: 1"}}}
	model := llmretry.Must(llmretry.New(inner, tell, llmretry.WithValidator(v), llmretry.WithToolValidator(v)))
	_, finish, err := agents.NewOneShotAgent(model, twoTools).Plan(t.Context(), nil, map[string]string{"input": "x"})
	require.NoError(t, err)
	assert.Equal(t, "1", finish.ReturnValues["output"])
}

func TestToolInput(t *testing.T) {
	query := llmretry.Must(outputparser.FromSchema([]byte(`{"type":"object","required":["q"]}`)))
	for _, kind := range []func([]tools.Tool, ...compose.Option) (llmretry.Validator, error){compose.OneShotStep, compose.ConversationalStep} {
		v := llmretry.Must(kind(twoTools, compose.ToolInput("search", query)))
		require.NoError(t, v(t.Context(), answer("Action: search\nAction Input: {\"q\": 1}\nObservation:")))
		require.NoError(t, v(t.Context(), answer("Action: Shell\nAction Input: ls")))
		err := v(t.Context(), answer("Action: search\nAction Input: {}"))
		require.EqualError(t, err, `input of "search": /q: required property is missing`)
		require.ErrorIs(t, err, agents.ErrUnableToParseOutput)
		var has interface{ Issues() llmretry.Issues }
		require.ErrorAs(t, err, &has)
		assert.Equal(t, "/q", has.Issues()[0].Path)
	}
	foreign := llmretry.ParserFunc[int](func(string) (int, error) { return 0, errors.New("not that") })
	v := llmretry.Must(compose.OneShotStep(twoTools, compose.ToolInput("SHELL", foreign)))
	assert.EqualError(t, v(t.Context(), answer("Action: Shell\nAction Input: ls")), `input of "Shell": not that`)
	panics := llmretry.ParserFunc[int](func(string) (int, error) { panic("boom") })
	v = llmretry.Must(compose.OneShotStep(twoTools, compose.ToolInput("Shell", panics)))
	err := v(t.Context(), answer("Action: Shell\nAction Input: ls"))
	assert.Equal(t, "panic", codeOf(err))
	var panicked *llmretry.PanicError
	assert.ErrorAs(t, err, &panicked)
}

func TestStepArguments(t *testing.T) {
	p := llmretry.ParserFunc[int](nil)
	for says, make := range map[string]func() (llmretry.Validator, error){
		"OneShotStep: tool 1 is nil":              func() (llmretry.Validator, error) { return compose.OneShotStep([]tools.Tool{upper{"a"}, nil}) },
		"tool 0 has no name":                      func() (llmretry.Validator, error) { return compose.ConversationalStep([]tools.Tool{upper{" "}}) },
		`tool "A" is given twice`:                 func() (llmretry.Validator, error) { return compose.OneShotStep([]tools.Tool{upper{"a"}, upper{"A"}}) },
		`ToolInput("dig"): there is no such tool`: func() (llmretry.Validator, error) { return compose.OneShotStep(twoTools, compose.ToolInput("dig", p)) },
		`ToolInput("search"): nil parser`: func() (llmretry.Validator, error) {
			return compose.OneShotStep(twoTools, compose.ToolInput[int]("search", nil))
		},
		`ToolInput("search"): given twice`: func() (llmretry.Validator, error) {
			return compose.OneShotStep(twoTools, compose.ToolInput("search", p), compose.ToolInput("search", p))
		},
		"nil option":         func() (llmretry.Validator, error) { return compose.FunctionCalls(twoTools, nil) },
		"no tools are given": func() (llmretry.Validator, error) { return compose.FunctionCalls(nil) },
	} {
		_, err := make()
		require.ErrorIs(t, err, llmretry.ErrInvalidOption)
		assert.ErrorContains(t, err, says)
	}
	_, err := compose.OneShotStep(nil)
	assert.NoError(t, err, "an agent without tools can only answer")
}

// FuzzSteps: nothing is accepted that the agent itself refuses, and nothing panics.
func FuzzSteps(f *testing.F) {
	for text := range oneShotSteps {
		f.Add(text)
	}
	for text := range conversationalSteps {
		f.Add(text)
	}
	oneShot, conversational := llmretry.Must(compose.OneShotStep(twoTools)), llmretry.Must(compose.ConversationalStep(twoTools))
	f.Fuzz(func(t *testing.T, text string) {
		input := map[string]string{"input": "x"}
		if oneShot(t.Context(), answer(text)) == nil {
			actions, finish, err := agents.NewOneShotAgent(says(text), twoTools).Plan(t.Context(), nil, input)
			require.NoError(t, err)
			require.True(t, finish != nil || len(actions) == 1)
		}
		if conversational(t.Context(), answer(text)) == nil {
			_, _, err := agents.NewConversationalAgent(says(text), twoTools).Plan(t.Context(), nil, input)
			require.NoError(t, err)
		}
	})
}
