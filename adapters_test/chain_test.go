package adapters_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/chains"
	langchainparser "github.com/tmc/langchaingo/outputparser"
	"github.com/tmc/langchaingo/prompts"
	"github.com/tmc/langchaingo/schema"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	llmcompose "github.com/llmretry/langchaingo-llmretry/llmretry/compose"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

// chainCase is a chain whose model's first answer is wrong.
type chainCase struct {
	chain, failure string
	model          func() func(asked) turn
	play           func(ctx context.Context, s stage) (string, error)
	want           string // with the decorator
	calls          int    // with the decorator
	memory         string // with the decorator
}

var (
	whoPrompt    = prompts.NewPromptTemplate("Who is {{.name}}?", []string{"name"})
	personJSON   = llmretry.Must(outputparser.JSON[person]())
	emptyAnswers = turn{}
)

var chainCases = []chainCase{
	{"LLMChain with a parser", "a wrong type", func() func(asked) turn { return wavers(wrong, right) }, typedChain[person](personJSON), "{Ada 36}", 2, ""},
	{
		"LLMChain with a parser that panics", `"{}"`, func() func(asked) turn { return wavers("{}", "```json\n"+right+"\n```") },
		typedChain[person](must(langchainparser.NewDefined(person{}))), "{Ada 36}", 2, "",
	},
	{"LLMChain", "no response at all", func() func(asked) turn { return failsOnce(emptyAnswers, "Ada") }, func(ctx context.Context, s stage) (string, error) {
		return chains.Run(ctx, chains.NewLLMChain(s.model(), whoPrompt), "Ada")
	}, "Ada", 2, ""},
	{
		"ConversationChain", "a wrong type", func() func(asked) turn { return wavers(wrong, right) },
		conversation(byParser), right, 2, "Human: Who is Ada?\nAI: " + right,
	},
	{
		"ConversationChain", "503", func() func(asked) turn { return failsOnce(breaks(overload), "A programmer.") },
		conversation(), "A programmer.", 2, "Human: Who is Ada?\nAI: A programmer.",
	},
	{"SequentialChain", "prose in step 1", greeter, sequence, "Hello, Ada!", 3, ""},
	{"MapReduceDocuments", "prose for one document", adder, mapReduce, "43", 4, ""},
	{"RetrievalQA", "an answer without a source", func() func(asked) turn { return wavers("A poet.", "A programmer [1].") }, retrieval, "A programmer [1].", 2, ""},
	{"SQLDatabaseChain", "a statement that writes", sqlWriter, sqlChain, "2 (ran SELECT count(*) FROM people)", 3, ""},
	{"APIChain", "prose instead of a request", apiCaller, apiChain, "It rains.", 3, ""},
}

// TestChainFailures: a decorated model gives the chain only what the chain can use. What happens without is measured
// too, for docs/compose.md.
func TestChainFailures(t *testing.T) {
	rows := [][]string{fateHeader("chain")}
	for _, c := range chainCases {
		t.Run(c.chain+"/"+c.failure, func(t *testing.T) {
			without, with := c.run(t, false), c.run(t, true)
			require.NoError(t, with.err)
			assert.Equal(t, c.want, with.output)
			assert.Len(t, with.asked, c.calls)
			assert.Equal(t, c.memory, with.memory, "the accepted turn and nothing else")
			attempts, healed := 0, 0
			for _, r := range with.reports {
				attempts += len(r.Attempts)
				if len(r.Attempts) > 1 {
					healed++
				}
			}
			assert.Equal(t, c.calls, attempts, "the reports have every model call of the chain")
			assert.Equal(t, 1, healed)
			assert.True(t, without.err != nil || without.output != c.want, "there is nothing to heal")
			rows = append(rows, without.row(c.chain, c.failure, "without"), with.row("", "", "with"))
		})
	}
	if len(rows) == 1+2*len(chainCases) { // not when -run picked some
		composeDocument(t, "chains", markdown(rows))
	}
}

func must[T any](v T, err error) T { return llmretry.Must(v, err) }

// typedChain is an LLMChain with a parser: of the chain alone, or of both.
func typedChain[T any](p schema.OutputParser[T]) func(context.Context, stage) (string, error) {
	return func(ctx context.Context, s stage) (string, error) {
		inputs := map[string]any{"name": "Ada"}
		if s.decorated {
			return outputOf(ctx, must(llmcompose.LLMChain(s.decorator(), p, whoPrompt)), inputs)
		}
		chain := chains.NewLLMChain(s.inner, whoPrompt)
		chain.OutputParser = outputparser.Any(p)
		return outputOf(ctx, chain, inputs)
	}
}

// conversation is a chain with a memory. That wants a text, so the chain keeps its own parser and the model judges.
func conversation(opts ...llmretry.Option) func(context.Context, stage) (string, error) {
	return func(ctx context.Context, s stage) (string, error) {
		return chains.Run(ctx, chains.NewConversation(s.model(opts...), s.buffer), ask)
	}
}

// greeter names a person, at first with more words than a name, and greets whom it is told to greet.
func greeter() func(asked) turn {
	name := wavers("I believe it was Ada", "Ada")
	return func(a asked) turn {
		if whom, ok := strings.CutPrefix(a.text(), "Greet "); ok {
			return tells("Hello, " + strings.TrimSpace(whom) + "!")
		}
		return name(a)
	}
}

func sequence(ctx context.Context, s stage) (string, error) {
	oneWord := llmretry.WithParser[string](must(outputparser.OneOf([]string{"Ada", "Grace"}, outputparser.Strict())))
	name := chains.NewLLMChain(s.model(oneWord), prompts.NewPromptTemplate("Who wrote {{.what}}?", []string{"what"}))
	name.OutputKey = "name"
	greet := chains.NewLLMChain(s.model(), prompts.NewPromptTemplate("Greet {{.name}}", []string{"name"}))
	chain, err := chains.NewSequentialChain([]chains.Chain{name, greet}, []string{"what"}, []string{"text"})
	if err != nil {
		return "", err
	}
	return chains.Run(ctx, chain, "the first program")
}

// A value of any type goes from one step into the prompt of the next.
func TestChainTypedStep(t *testing.T) {
	s := stage{T: t, decorated: true, inner: &oracle{answer: func(a asked) turn {
		if strings.HasPrefix(a.text(), "Greet") {
			return tells(a.text())
		}
		return wavers(wrong, right)(a)
	}}}
	who := must(llmcompose.LLMChain(s.decorator(), personJSON, whoPrompt))
	who.OutputKey = "person"
	greet := chains.NewLLMChain(s.model(), prompts.NewPromptTemplate("Greet {{.person.Name}}, who is {{.person.Age}}", []string{"person"}))
	chain := must(chains.NewSequentialChain([]chains.Chain{who, greet}, []string{"name"}, []string{"text"}))
	out, err := chains.Run(t.Context(), chain, "Ada")
	require.NoError(t, err)
	assert.Equal(t, "Greet Ada, who is 36", out)
}

// When attempts run out the chain's error is the decorator's: with the text that langchaingo's chain alone loses. The
// memory has nothing of the turn.
func TestChainExhausted(t *testing.T) {
	c := chainCase{model: func() func(asked) turn { return wavers(wrong, worse) }, play: conversation(byParser)}
	j := c.run(t, true)
	require.ErrorIs(t, j.err, llmretry.ErrMaxAttempts)
	var refused *llmretry.StructuredOutputError
	require.ErrorAs(t, j.err, &refused)
	assert.Equal(t, worse, refused.OutputContent)
	assert.Len(t, j.asked, 3)
	assert.Empty(t, j.memory)
}

// In a map step the panic of a parser would end the process: it happens in a goroutine of langchaingo's. A decorated
// model never gives the chain an answer that its parser panics on. (Semantics J2.)
func TestChainMapStepPanics(t *testing.T) {
	const fenced = "```json\n" + right + "\n```"
	s := stage{T: t, decorated: true, inner: &oracle{answer: wavers("{}", fenced)}}
	people := must(llmcompose.LLMChain(s.decorator(), must(langchainparser.NewDefined(person{})), whoPrompt))
	out, err := chains.Apply(t.Context(), people, []map[string]any{{"name": "Ada"}, {"name": "Grace"}, {"name": "Jean"}}, 3)
	require.NoError(t, err)
	for _, o := range out {
		assert.Equal(t, person{"Ada", 36}, o["text"])
	}
	assert.Len(t, s.inner.requests(), 6)
}
