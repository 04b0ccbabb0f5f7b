package outputparser_test

import (
	"testing"

	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/stretchr/testify/require"
)

func TestReActStep(t *testing.T) {
	p, err := outputparser.ReActStep([]string{"search", "shell"})
	require.NoError(t, err)
	require.Equal(t, "react_step", p.Type())
	require.Equal(t, `"search", "shell"`, p.GetFormatInstructions())
	v, err := p.ParseWithPrompt("I look.\nThought: really\n**Action:** `search`\n*Action Input*: whales\nThought: later", nil)
	require.NoError(t, err)
	require.Equal(t, outputparser.Step{Thought: "I look.\nreally\nlater", Tool: "search", Input: "whales"}, v)
	v, err = p.Parse("Action:\nshell\nAction Input:")
	require.NoError(t, err)
	require.Equal(t, outputparser.Step{Tool: "shell"}, v)
	v, err = p.Parse("Thought: done\nFinal Answer: **30 m**")
	require.NoError(t, err)
	require.Equal(t, outputparser.Step{Thought: "done", FinalAnswer: "**30 m**"}, v)
	for text, want := range map[string]outputparser.Step{
		"**Action: search**\r\n**Action Input: ls**":               {Tool: "search", Input: "ls"},
		"**Action: search Action Input: ls**":                      {Tool: "search", Input: "ls"},
		"**Action**: **search**\nAction Input:**important**":       {Tool: "search", Input: "**important**"},
		"**Final Answer: 42**":                                     {FinalAnswer: "42"},
		"**Final Answer: a **b** c**":                              {FinalAnswer: "a **b** c"},
		"**Final Answer:** **42**":                                 {FinalAnswer: "**42**"},
		"Final Answer: a\n> Action: x\n# Thought: y\n_Action:_ z":  {FinalAnswer: "a\n> Action: x\n# Thought: y\n_Action:_ z"},
		"Action: shell\nAction Input: x=1 # **Thought: not closed": {Tool: "shell", Input: "x=1 # **Thought: not closed"},
		"Action: shell\nAction Input: a\n**Thought: b\nc**":        {Tool: "shell", Input: "a\n**Thought: b\nc**"},
	} {
		v, err := p.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want, v, text)
	}
	_, err = p.Parse("**Final Answer: 42")
	require.ErrorContains(t, err, "holds no step")
	const want = ", want an action with its input, or a final answer, got "
	for text, message := range map[string]string{
		"I now know.":                                   `output: holds no step` + want + `"I now know."`,
		"Action: search":                                `output: action input is missing` + want + `"Action: search"`,
		"Action: dig\nAction Input: a":                  `output: unknown tool, want one of "search", "shell", got "dig"`,
		"Final Answer: ":                                `output: final answer is empty` + want + `"Final Answer: "`,
		"Action Input: a":                               `output: holds no step` + want + `"Action Input: a"`,
		"Final Answer: a\nFinal Answer: b":              `output: holds two steps` + want + `"Final Answer: a\nFinal Answer: b"`,
		"Final Answer: a\nAction: search":               `output: holds an action and a final answer` + want + `"Final Answer: a\nAction: search"`,
		"Action: search\nAction Input: a\nObservation:": `output: holds an observation, which is not the model's to make` + want + `"Action: search\nAction Input: a\nObservation:"`,
	} {
		_, err := p.Parse(text)
		require.EqualError(t, err, message)
	}
}
