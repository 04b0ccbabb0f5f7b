package outputparser_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/tmc/langchaingo/llms"
)

func ExampleJSON() {
	type City struct {
		Name       string `json:"name" jsonschema:"minLength=1"`
		Population int    `json:"population,omitempty" jsonschema:"minimum=0"`
	}
	p, err := outputparser.JSON[City]()
	if err != nil {
		panic(err)
	}
	city, err := p.Parse("Of course:\n```json\n{\"name\": \"Oslo\", \"population\": 717710}\n```")
	fmt.Println(city.Name, city.Population, err)

	_, err = p.Parse(`{"population": "many"}`)
	var issues llmretry.Issues
	if errors.As(err, &issues) {
		for _, issue := range issues {
			fmt.Println(issue.Code, issue.Message)
		}
	}
	// Output:
	// Oslo 717710 <nil>
	// required /name: required property is missing, want string
	// type /population: want integer of at least 0, got "many"
}

func ExampleFromSchema() {
	p, err := outputparser.FromSchema([]byte(`{"type": "array", "items": {"type": "number"}}`))
	if err != nil {
		panic(err)
	}
	v, err := p.Parse("The values are [0.1, 12345678901234567890].")
	fmt.Println(v, err)
	// Output: [0.1 12345678901234567890] <nil>
}

func ExampleStrict() {
	p, err := outputparser.JSON[map[string]int](outputparser.Strict())
	if err != nil {
		panic(err)
	}
	_, err = p.Parse(`Here: {"a": 1}`)
	fmt.Println(err)
	// Output: output: has text around the value, want the value alone, got "Here: {\"a\": 1}"
}

func ExampleCheck() {
	type Span struct {
		From int `json:"from"`
		To   int `json:"to"`
	}
	p, err := outputparser.JSON[Span](outputparser.Check(func(s Span) error {
		if s.From > s.To {
			return errors.New("from is after to")
		}
		return nil
	}))
	if err != nil {
		panic(err)
	}
	_, err = p.Parse(`{"from": 5, "to": 2}`)
	fmt.Println(err)
	// Output: output: from is after to
}

func ExampleSchema() {
	type Answer struct {
		Text string `json:"text"`
	}
	p, err := outputparser.JSON[Answer](outputparser.Schema([]byte(`{"type":"object","required":["text"]}`)))
	if err != nil {
		panic(err)
	}
	v, err := p.Parse(`{"text": "yes", "confidence": 0.9}`)
	fmt.Println(v.Text, err)
	// Output: yes <nil>
}

func ExampleRefine() {
	type Answer struct {
		Score int `json:"score"`
	}
	p, err := outputparser.JSON[Answer](outputparser.Refine([]byte(`{"properties": {"score": {"maximum": 10}}}`)))
	if err != nil {
		panic(err)
	}
	fmt.Println(p.GetFormatInstructions())
	// Output: {"properties":{"score":{"type":"integer","maximum":10}},"additionalProperties":false,"type":"object","required":["score"]}
}

func ExampleAllowAdditional() {
	type Answer struct {
		Score int `json:"score"`
	}
	p, err := outputparser.JSON[Answer](outputparser.AllowAdditional())
	if err != nil {
		panic(err)
	}
	v, err := p.Parse(`{"score": 7, "why": "it rhymes"}`)
	fmt.Println(v.Score, err)
	// Output: 7 <nil>
}

func ExampleInstructions() {
	p, err := outputparser.JSON[[]string](outputparser.Instructions(func(schema json.RawMessage) string {
		return "Reply with JSON that fits " + string(schema)
	}))
	if err != nil {
		panic(err)
	}
	fmt.Println(p.GetFormatInstructions())
	// Output: Reply with JSON that fits {"items":{"type":"string"},"type":"array"}
}

func ExampleOneOf() {
	type Mood string
	p, err := outputparser.OneOf([]Mood{"good", "bad"})
	if err != nil {
		panic(err)
	}
	mood, err := p.Parse("It reads as **good** to me.")
	fmt.Println(mood, err)
	_, err = p.Parse("good, or rather bad")
	fmt.Println(err)
	// Output:
	// good <nil>
	// output: names more than one of the words, want one of "good", "bad", got "good, or rather bad"
}

func ExampleBool() {
	p, err := outputparser.Bool()
	if err != nil {
		panic(err)
	}
	v, err := p.Parse("Yes, it does.")
	fmt.Println(v, err)
	// Output: true <nil>
}

func ExampleList() {
	p, err := outputparser.List(",")
	if err != nil {
		panic(err)
	}
	v, err := p.Parse(`oslo, "paris, texas", rome`)
	fmt.Printf("%q %v\n", v, err)
	// Output: ["oslo" "paris, texas" "rome"] <nil>
}

func ExampleRegexp() {
	type Grade struct {
		Score int    `json:"score"`
		Why   string `json:"why"`
	}
	p, err := outputparser.Regexp[Grade](`Score: (?P<score>\d+)\s+Why: (?P<why>.+)`)
	if err != nil {
		panic(err)
	}
	v, err := p.Parse("My verdict.\nScore: 7\nWhy: it rhymes")
	fmt.Println(v.Score, v.Why, err)
	// Output: 7 it rhymes <nil>
}

func ExampleReActStep() {
	p, err := outputparser.ReActStep([]string{"search"})
	if err != nil {
		panic(err)
	}
	step, err := p.Parse("Thought: I have to look.\nAction: search\nAction Input: length of a blue whale")
	fmt.Println(step.Tool, "|", step.Input, "|", err)
	_, err = p.Parse("Action: browse\nAction Input: whales")
	fmt.Println(err)
	// Output:
	// search | length of a blue whale | <nil>
	// output: unknown tool, want "search", got "browse"
}

func ExampleToolArguments() {
	type Query struct {
		Text string `json:"text"`
	}
	p, err := outputparser.JSON[Query]()
	if err != nil {
		panic(err)
	}
	validate, err := outputparser.ToolArguments([]llms.Tool{p.Tool("search", "looks things up")})
	if err != nil {
		panic(err)
	}
	err = validate(context.Background(), &llms.ContentResponse{Choices: []*llms.ContentChoice{{ToolCalls: []llms.ToolCall{{
		FunctionCall: &llms.FunctionCall{Name: "search", Arguments: `{"query": "whales"}`},
	}}}}})
	fmt.Println(err)
	// Output: tool call 0 (search): /query: property is not allowed, want only "text", got "whales"; tool call 0 (search): /text: required property is missing, want string
}

// The value may arrive as the call of a tool of its own.
func ExampleAsTool() {
	parser := llmretry.Must(outputparser.JSON[struct{ City string }](outputparser.AsTool("locate")))
	tool := parser.Tool("locate", "where it is")
	fmt.Println(tool.Function.Name, tool.Function.Parameters.(map[string]any)["required"])
	model := llmretry.Must(llmretry.New(answering{&llms.ContentResponse{Choices: []*llms.ContentChoice{{ToolCalls: []llms.ToolCall{
		{ID: "1", FunctionCall: &llms.FunctionCall{Name: "locate", Arguments: `{"City": "Oslo"}`}},
	}}}}}))
	result, err := llmretry.Generate(context.Background(), model, parser, nil, llms.WithTools([]llms.Tool{tool}))
	fmt.Println(result.Value.City, err)
	// Output:
	// locate [City]
	// Oslo <nil>
}

func ExampleSafe() {
	p := outputparser.Safe[int](crashing{})
	_, err := p.Parse("anything")
	fmt.Println(err)
	// Output: output: could not be judged, the code that judges it failed
}

func ExampleAny() {
	inner, err := outputparser.JSON[[]int]()
	if err != nil {
		panic(err)
	}
	p := outputparser.Any(inner) // fits chains.LLMChain's OutputParser
	v, err := p.Parse("[1, 2]")
	fmt.Println(v, err)
	// Output: [1 2] <nil>
}

func ExampleLimit() {
	type Answer struct {
		Words []string `json:"words"`
	}
	p, err := outputparser.JSON[Answer](outputparser.Limit(outputparser.Limits{Bytes: 1000}))
	if err != nil {
		panic(err)
	}
	_, err = p.Parse(`{"words":["` + strings.Repeat("very ", 1000) + `long"]}`)
	fmt.Println(err)
	// Output: output: is 5018 bytes long, want at most 1000 bytes
}
