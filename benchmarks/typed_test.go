package benchmarks

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"
	"testing"

	"charm.land/fantasy"
	"charm.land/fantasy/object"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	lcparser "github.com/tmc/langchaingo/outputparser"
	"github.com/tmc/langchaingo/prompts"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

//go:embed testdata/order.json
var order string // the reply of every typed row, genkit's too: nested objects, a list, escapes, 207 bytes

// orderT has 18 properties in 4 structs. fantasy reads the tag enum, and knows no patterns, formats and bounds: it has less
// to check.
type orderT struct {
	ID       string    `json:"id" jsonschema:"pattern=^A-[0-9]+$"`
	Status   string    `json:"status" jsonschema:"enum=draft,enum=open,enum=closed" enum:"draft,open,closed"`
	Currency string    `json:"currency,omitempty" jsonschema:"pattern=^[A-Z]{3}$"`
	Customer customerT `json:"customer"`
	Items    []itemT   `json:"items" jsonschema:"minItems=1"`
	Total    float64   `json:"total" jsonschema:"minimum=0"`
	Note     string    `json:"note,omitempty"`
}

type customerT struct {
	Name    string   `json:"name" jsonschema:"minLength=1"`
	Email   string   `json:"email" jsonschema:"format=email"`
	Address addressT `json:"address"`
}

type addressT struct {
	Street  string `json:"street,omitempty"`
	City    string `json:"city"`
	Zip     string `json:"zip" jsonschema:"pattern=^[0-9]{5}$"`
	Country string `json:"country,omitempty"`
}

type itemT struct {
	SKU   string  `json:"sku" jsonschema:"pattern=^X"`
	Qty   int     `json:"qty" jsonschema:"minimum=1"`
	Price float64 `json:"price,omitempty" jsonschema:"minimum=0"`
	Note  string  `json:"note,omitempty"`
}

// byHandTyped is the work without a library for it: call, validate, decode, with the schema compiled once.
func byHandTyped(tb testing.TB, m llms.Model, schema []byte) func() (orderT, error) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(schema)))
	check(tb, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	check(tb, c.AddResource("urn:order", doc))
	s, err := c.Compile("urn:order")
	check(tb, err)
	return func() (v orderT, err error) {
		r, err := m.GenerateContent(context.Background(), hello)
		if err != nil {
			return v, err
		}
		reply := r.Choices[0].Content
		tree, err := jsonschema.UnmarshalJSON(strings.NewReader(reply))
		if err != nil {
			return v, err
		}
		if err := s.Validate(tree); err != nil {
			return v, err
		}
		err = json.Unmarshal([]byte(reply), &v)
		return v, err
	}
}

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// typedSubjects are one call each that ends in a Go value. "decode" rows do less: they know no schema.
func typedSubjects(tb testing.TB) []typedSubject {
	ctx := context.Background()
	var bare llms.Model = answers{says(order)}
	parser, err := outputparser.JSON[orderT]()
	check(tb, err)
	model, byHand := decorate(tb, bare), byHandTyped(tb, bare, parser.Schema())
	object := newFantasyModel(order)
	return []typedSubject{
		{"schema/llmretry", func() (orderT, error) {
			r, err := llmretry.Generate(ctx, model, parser, hello)
			return r.Value, err
		}},
		{"schema/by-hand", byHand},
		{"schema/fantasy", func() (orderT, error) { return fantasyObject(ctx, object) }},
		{"decode/by-hand", func() (v orderT, err error) {
			r, err := bare.GenerateContent(ctx, hello)
			if err != nil {
				return v, err
			}
			err = json.Unmarshal([]byte(r.Choices[0].Content), &v)
			return v, err
		}},
		{"decode/langchaingo-Defined", chainDefined(tb)},
	}
}

type typedSubject struct {
	name string
	call func() (orderT, error)
}

func fantasyObject(ctx context.Context, m fantasyModel) (orderT, error) {
	r, err := object.Generate[orderT](ctx, m, fantasy.ObjectCall{Prompt: fantasy.Prompt{fantasy.NewUserMessage("hello")}})
	if err != nil {
		return orderT{}, err
	}
	return r.Object, nil
}

// chainDefined is an LLMChain with langchaingo's parser for structs, which wants a fence around the reply.
func chainDefined(tb testing.TB) func() (orderT, error) {
	defined, err := lcparser.NewDefined(orderT{})
	check(tb, err)
	chain := chains.NewLLMChain(answers{says("```json\n" + order + "\n```")}, prompts.NewPromptTemplate("hello {{.name}}", []string{"name"}))
	chain.OutputParser = anyParser{defined}
	return func() (orderT, error) {
		out, err := chains.Call(context.Background(), chain, map[string]any{"name": "you"})
		if err != nil {
			return orderT{}, err
		}
		return out["text"].(orderT), nil
	}
}

// anyParser gives Defined the type a chain takes.
type anyParser struct{ lcparser.Defined[orderT] }

func (p anyParser) Parse(text string) (any, error) { return p.Defined.Parse(text) }
func (p anyParser) ParseWithPrompt(text string, prompt llms.PromptValue) (any, error) {
	return p.Defined.ParseWithPrompt(text, prompt)
}

// TestTypedSubjects: all rows of BenchmarkTyped arrive at the same value.
func TestTypedSubjects(t *testing.T) {
	if len(order) != 207 {
		t.Fatalf("the reply has %d bytes", len(order))
	}
	var want orderT
	check(t, json.Unmarshal([]byte(order), &want))
	for _, s := range typedSubjects(t) {
		got, err := s.call()
		check(t, err)
		if a, b := asJSON(t, got), asJSON(t, want); a != b {
			t.Errorf("%s: got %s", s.name, a)
		}
	}
}

func asJSON(tb testing.TB, v any) string {
	b, err := json.Marshal(v)
	check(tb, err)
	return string(b)
}

// BenchmarkTyped is a Go value from the 207 byte reply.
func BenchmarkTyped(b *testing.B) {
	for _, s := range typedSubjects(b) {
		loop(b, s.name, func() error {
			_, err := s.call()
			return err
		})
	}
}
