package outputparser_test

import (
	"encoding/json"
	"testing"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/stretchr/testify/require"
)

func TestBadOptions(t *testing.T) {
	raw := []byte(`{"type":"object"}`)
	words := []string{"a"}
	check := outputparser.Check(func(person) error { return nil })
	for name, err := range map[string]error{
		"nil":               second(outputparser.JSON[person](nil)),
		"nil to FromSchema": second(outputparser.FromSchema(raw, nil)),
		"empty schema":      second(outputparser.JSON[person](outputparser.Schema(nil))),
		"broken schema":     second(outputparser.JSON[person](outputparser.Schema([]byte(`{`)))),
		"schema twice":      second(outputparser.FromSchema(raw, outputparser.Schema(raw))),
		"open FromSchema":   second(outputparser.FromSchema(raw, outputparser.AllowAdditional())),
		"patch":             second(outputparser.JSON[person](outputparser.Refine([]byte(`[]`)))),
		"nil patch":         second(outputparser.JSON[person](outputparser.Refine(nil))),
		"patched badly":     second(outputparser.JSON[person](outputparser.Refine([]byte(`{"type":"strin"}`)))),
		"nil check":         second(outputparser.JSON[person](outputparser.Check[person](nil))),
		"check of pointer":  second(outputparser.JSON[person](outputparser.Check(func(*person) error { return nil }))),
		"check of any":      second(outputparser.JSON[person](outputparser.Check(func(any) error { return nil }))),
		"check of T":        second(outputparser.FromSchema(raw, check)),
		"nil words":         second(outputparser.JSON[person](outputparser.Instructions(nil))),
		"panicking words":   second(outputparser.JSON[person](outputparser.Instructions(func(json.RawMessage) string { panic(1) }))),
		"schema and open":   second(outputparser.JSON[person](outputparser.Schema(raw), outputparser.AllowAdditional())),
		"tool blank":        second(outputparser.JSON[person](outputparser.AsTool(" "))),
		"tag dash":          second(outputparser.JSON[dashed]()),
		"one of, nil":       ignore(outputparser.OneOf(words, nil)),
		"one of, check":     ignore(outputparser.OneOf(words, check)),
		"one of nothing":    ignore(outputparser.OneOf[string](nil)),
		"one of blank":      ignore(outputparser.OneOf([]string{"a", " "})),
		"one of empty":      ignore(outputparser.OneOf([]string{""})),
		"one of twice":      ignore(outputparser.OneOf([]string{"a", "a"})),
		"bool, nil":         ignore(outputparser.Bool(nil)),
		"bool, schema":      ignore(outputparser.Bool(outputparser.Schema(raw))),
		"list, nil":         ignore(outputparser.List(",", nil)),
		"list of nothing":   ignore(outputparser.List("")),
		"list by space":     ignore(outputparser.List(" ")),
		"list by quotes":    ignore(outputparser.List(`"`)),
		"react, nil":        ignore(outputparser.ReActStep(words, nil)),
		"react, no tools":   ignore(outputparser.ReActStep(nil)),
		"react, blank":      ignore(outputparser.ReActStep([]string{" a"})),
		"react, twice":      ignore(outputparser.ReActStep([]string{"a", "a"})),
		"regexp, nil":       ignore(outputparser.Regexp[map[string]string](`(?P<a>.)`, nil)),
		"regexp, broken":    ignore(outputparser.Regexp[map[string]string](`(`)),
		"regexp, halves":    ignore(outputparser.Regexp[map[string]string](`(?P<a>.))(?:`, outputparser.Strict())),
		"regexp, no group":  ignore(outputparser.Regexp[map[string]string](`.`)),
		"regexp, no field":  ignore(outputparser.Regexp[person](`(?P<nick>.)`)),
		"regexp, bad field": ignore(outputparser.Regexp[person](`(?P<tags>.)`)),
		"regexp, bad type":  ignore(outputparser.Regexp[[]string](`(?P<a>.)`)),
		"regexp, bad map":   ignore(outputparser.Regexp[map[string]int](`(?P<a>.)`)),
	} {
		require.ErrorIs(t, err, llmretry.ErrInvalidOption, name)
	}
}

func ignore[T any](_ T, err error) error { return err }

func TestSchemaOption(t *testing.T) {
	p := mustJSON[person](t, outputparser.Schema([]byte(`{"type":"object","properties":{"age":{"minimum":18}},"required":["age"]}`)))
	v, err := p.Parse(`{"age":20,"name":"Ada","AGE":3}`)
	require.NoError(t, err)
	require.Equal(t, person{Name: "Ada", Age: 20}, v)
	_, err = p.Parse(`{"age":17}`)
	require.EqualError(t, err, "/age: want at least 18, got 17")
	_, err = p.Parse(`{"age":20,"name":5}`)
	require.EqualError(t, err, "/name: want string, got 5", "what the schema lets through still has to fit")
}

func TestRefine(t *testing.T) {
	p := mustJSON[person](t,
		outputparser.Refine([]byte(`{"description":"someone","properties":{"age":{"minimum":0,"maximum":150},"tags":null}}`)),
		outputparser.Refine([]byte(`{"required":["name"]}`)))
	require.Equal(t, `{"properties":{"name":{"type":"string"},"age":{"type":"integer","minimum":0,"maximum":150}},`+
		`"additionalProperties":false,"type":"object","required":["name"],"description":"someone"}`, p.GetFormatInstructions())
	_, err := p.Parse(`{"name":"Ada","age":200}`)
	require.EqualError(t, err, "/age: want at most 150, got 200")
}

func TestInstructions(t *testing.T) {
	p := mustJSON[person](t, outputparser.Instructions(func(schema json.RawMessage) string {
		return "Answer with JSON for: " + string(schema)
	}))
	require.Equal(t, "Answer with JSON for: "+string(p.Schema()), p.GetFormatInstructions())
}

// dashed has a property named "-", by a tag that encoding/json reads so.
type dashed struct {
	//lint:ignore SA5008 it is what the test is about
	A int `json:"-,"`
}
