package compose_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/prompts"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/compose"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/llmretry/langchaingo-llmretry/reaskprompt"
)

var asking = llmretry.WithReask(llmretry.Must(reaskprompt.Template("That was refused: {{issues .}}")))

// The parser is given once: it judges the model's answers, and it makes the chain's output.
func ExampleLLMChain() {
	model := llmretry.Must(llmretry.New(says(`{"name": "Ada"}`, `{"name": "Ada", "age": 36}`), asking))
	prompt := prompts.NewPromptTemplate("Who is {{.name}}?", []string{"name"})
	chain := llmretry.Must(compose.LLMChain(model, llmretry.Must(outputparser.JSON[person]()), prompt))
	out, err := chains.Call(context.Background(), chain, map[string]any{"name": "Ada"})
	fmt.Printf("%+v %v\n", out["text"], err)
	// Output: {Name:Ada Age:36} <nil>
}

// langchaingo's LLMChain does not put a parser's format into the prompt; a partial variable does.
func ExampleLLMChain_format() {
	model := llmretry.Must(llmretry.New(says(`{"name": "Ada", "age": 36}`), asking))
	parser := llmretry.Must(outputparser.JSON[person]())
	prompt := prompts.PromptTemplate{
		Template:         "Who is {{.name}}? Answer as JSON by this schema: {{.format}}",
		InputVariables:   []string{"name"},
		TemplateFormat:   prompts.TemplateFormatGoTemplate,
		PartialVariables: map[string]any{"format": parser.GetFormatInstructions()},
	}
	chain := llmretry.Must(compose.LLMChain(model, parser, prompt))
	out, err := chains.Call(context.Background(), chain, map[string]any{"name": "Ada"})
	fmt.Printf("%+v %v\n", out["text"], err)
	// Output: {Name:Ada Age:36} <nil>
}

// A tool wants more of its input than that it is text: any parser says so, a function too.
func ExampleToolInput() {
	inner := says("Action: search\nAction Input: it", "Action: search\nAction Input: whales", "Final Answer: WHALES")
	step := llmretry.Must(compose.OneShotStep(twoTools,
		compose.ToolInput("search", llmretry.ParserFunc[string](func(input string) (string, error) {
			if len(input) < 3 {
				return "", errors.New("want a word of three letters or more")
			}
			return input, nil
		}))))
	model := llmretry.Must(llmretry.New(inner, asking, llmretry.WithValidator(step)))
	executor := agents.NewExecutor(agents.NewOneShotAgent(model, twoTools), agents.WithMaxIterations(2))
	fmt.Println(chains.Run(context.Background(), executor, "What are whales?"))
	// Output: WHALES <nil>
}

// The model rambles and then makes up what the tool says; the agent gets the third answer.
func ExampleOneShotStep() {
	inner := says("I look for it.", "Action: search\nAction Input: whales\nObservation: they are fish",
		"Action: search\nAction Input: whales", "Final Answer: WHALES")
	step := llmretry.Must(compose.OneShotStep(twoTools))
	model := llmretry.Must(llmretry.New(inner, asking, llmretry.WithValidator(step)))
	executor := agents.NewExecutor(agents.NewOneShotAgent(model, twoTools), agents.WithMaxIterations(2))
	fmt.Println(chains.Run(context.Background(), executor, "What are whales?"))
	// Output: WHALES <nil>
}

// The functions agent hands over what it is given, JSON or not; with the validator the arguments are what it declared.
func ExampleFunctionCalls() {
	inner := &scripted{choices: []*llms.ContentChoice{calls("search", "whales"), calls("search", `{"__arg1": "whales"}`), {Content: "WHALES"}}}
	model := llmretry.Must(llmretry.New(inner, asking, llmretry.WithToolValidator(llmretry.Must(compose.FunctionCalls(twoTools)))))
	executor := agents.NewExecutor(agents.NewOpenAIFunctionsAgent(model, twoTools), agents.WithMaxIterations(2))
	fmt.Println(chains.Run(context.Background(), executor, "What are whales?"))
	// Output: WHALES <nil>
}

// A schema that the client's type cannot carry is an error that names the place.
func ExampleResponseFormat() {
	format, err := compose.ResponseFormat("person", llmretry.Must(outputparser.JSON[person]()).Schema())
	data, _ := json.Marshal(format.JSONSchema.Schema.Required)
	fmt.Println(format.JSONSchema.Strict, string(data), err)

	_, err = compose.ResponseFormat("person", []byte(`{"type": "object", "properties": {"age": {"type": "integer", "minimum": 0}}}`))
	fmt.Println(errors.Is(err, llmretry.ErrInvalidOption), err)
	// Output:
	// true ["name","age"] <nil>
	// true llmretry: invalid option: ResponseFormat: /properties/age/minimum: langchaingo's openai client cannot carry 0
}
