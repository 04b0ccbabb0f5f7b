package compose_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/prompts"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/compose"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

type person struct {
	Name string `json:"name"`
	Age  int    `json:"age"`
}

var (
	who  = prompts.NewPromptTemplate("Who is {{.name}}?", []string{"name"})
	ada  = map[string]any{"name": "Ada"}
	good = `{"name": "Ada", "age": 36}`
	bad  = `{"name": "Ada", "age": "many"}`
	tell = llmretry.WithReask(func(_ context.Context, f llmretry.Failure) (string, error) { return f.ErrorMessage, nil })
)

func TestLLMChain(t *testing.T) {
	inner := says("I do not know.", bad, good)
	model := llmretry.Must(llmretry.New(inner, tell))
	chain, err := compose.LLMChain(model, llmretry.Must(outputparser.JSON[person]()), who)
	require.NoError(t, err)
	out, err := chains.Call(t.Context(), chain, ada)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"text": person{"Ada", 36}}, out)
	require.Len(t, inner.asked, 3)
	assert.Len(t, inner.asked[2], 5)
}

// The chain's parser decides, whatever parser the model or a context brings along.
func TestLLMChainOwnsTheParser(t *testing.T) {
	anything := llmretry.WithParser(llmretry.ParserFunc[string](func(text string) (string, error) { return text, nil }))
	inner := says(bad, good)
	model := llmretry.Must(llmretry.New(inner, tell, anything))
	chain := llmretry.Must(compose.LLMChain(model, llmretry.Must(outputparser.JSON[person]()), who))
	out, err := chains.Call(llmretry.NewContext(t.Context(), anything), chain, ada)
	require.NoError(t, err)
	assert.Equal(t, person{"Ada", 36}, out["text"])
}

// A parser that would judge by the prompt is asked without it, in the model and in the chain.
func TestLLMChainParsesWithoutThePrompt(t *testing.T) {
	model := llmretry.Must(llmretry.New(says("yes")))
	chain := llmretry.Must(compose.LLMChain(model, promptBound{}, who))
	out, err := chains.Run(t.Context(), chain, "Ada")
	require.NoError(t, err)
	assert.Equal(t, "yes", out)
}

type promptBound struct{ llmretry.ParserFunc[string] }

func (promptBound) Parse(text string) (string, error) { return text, nil }

func (promptBound) ParseWithPrompt(string, llms.PromptValue) (string, error) {
	return "", errors.New("I want another prompt")
}

// Structured output as the call of the parser's own tool: the chain reads the arguments. Other calls are no value.
func TestLLMChainToolCall(t *testing.T) {
	p := llmretry.Must(outputparser.JSON[person](outputparser.AsTool("emit")))
	inner := &scripted{choices: []*llms.ContentChoice{calls("emit", bad), calls("emit", good)}}
	chain := llmretry.Must(compose.LLMChain(llmretry.Must(llmretry.New(inner, tell)), p, who))
	out, err := chains.Call(t.Context(), chain, ada)
	require.NoError(t, err)
	assert.Equal(t, person{"Ada", 36}, out["text"])

	legacy := &scripted{choices: []*llms.ContentChoice{{FuncCall: &llms.FunctionCall{Name: "emit", Arguments: good}}}}
	chain = llmretry.Must(compose.LLMChain(llmretry.Must(llmretry.New(legacy, tell)), p, who))
	out, err = chains.Call(t.Context(), chain, ada)
	require.NoError(t, err)
	assert.Equal(t, person{"Ada", 36}, out["text"])
	assert.Empty(t, legacy.choices[0].Content, "the model's answer is not written to")

	other := &scripted{choices: []*llms.ContentChoice{calls("look_up", `{}`)}}
	chain = llmretry.Must(compose.LLMChain(llmretry.Must(llmretry.New(other, tell)), p, who))
	_, err = chains.Call(t.Context(), chain, ada)
	require.ErrorIs(t, err, llmretry.ErrToolCalls)
}

func TestLLMChainArguments(t *testing.T) {
	model := llmretry.Must(llmretry.New(says("")))
	p := llmretry.Must(outputparser.JSON[person]())
	for name, make := range map[string]func() error{
		"nil model":  func() error { _, err := compose.LLMChain(nil, p, who); return err },
		"nil parser": func() error { _, err := compose.LLMChain[person](model, nil, who); return err },
		"nil prompt": func() error { _, err := compose.LLMChain(model, p, nil); return err },
	} {
		err := make()
		require.ErrorIs(t, err, llmretry.ErrInvalidOption, name)
		assert.ErrorContains(t, err, name)
	}
}
