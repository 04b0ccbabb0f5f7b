package outputparser_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/stretchr/testify/require"
)

type person struct {
	Name string   `json:"name"`
	Age  int      `json:"age"`
	Tags []string `json:"tags,omitempty"`
}

func mustJSON[T any](tb testing.TB, opts ...outputparser.Option) *outputparser.JSONParser[T] {
	tb.Helper()
	p, err := outputparser.JSON[T](opts...)
	require.NoError(tb, err)
	return p
}

func issuesOf(tb testing.TB, err error) llmretry.Issues {
	tb.Helper()
	var issues llmretry.Issues
	require.ErrorAs(tb, err, &issues)
	require.NotEmpty(tb, issues)
	return issues
}

func TestJSON(t *testing.T) {
	p := mustJSON[person](t)
	require.Equal(t, "json", p.Type())
	for _, text := range []string{
		`{"name": "Ada", "age": 36}`,
		"Sure:\n```json\n{\"name\": \"Ada\", \"age\": 36.0}\n```",
		`<think>{"name":"Bob"}</think>{"name": "Ada", "age": 3.6e1,}`,
	} {
		v, err := p.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, person{Name: "Ada", Age: 36}, v)
		v, err = p.ParseWithPrompt(text, nil)
		require.NoError(t, err)
		require.Equal(t, "Ada", v.Name)
	}
}

func TestJSONErrors(t *testing.T) {
	p := mustJSON[person](t)
	v, err := p.Parse(`{"name": 1, "nick": "x"}`)
	require.Zero(t, v)
	require.EqualError(t, err, `/age: required property is missing, want integer; /name: want string, got 1; `+
		`/nick: property is not allowed, want only "age", "name", "tags", got "x"`)
	require.Equal(t, llmretry.Issue{
		Path: "/age", Code: "required", Want: "integer", Message: "/age: required property is missing, want integer",
	}, issuesOf(t, err)[0])

	var own *outputparser.Error
	require.ErrorAs(t, err, &own)
	require.Len(t, own.Issues(), 3)
	require.JSONEq(t, p.GetFormatInstructions(), string(own.Schema()))

	_, err = p.Parse(`{"name": "Ada", "age": 9223372036854775808}`)
	require.EqualError(t, err, "/age: want integer from -9223372036854775808 to 9223372036854775807, got 9223372036854775808")
}

func TestZeroValuesRefuse(t *testing.T) {
	var zero outputparser.JSONParser[person]
	var null *outputparser.JSONParser[person]
	for _, p := range []*outputparser.JSONParser[person]{&zero, null} {
		_, err := p.Parse(`{"name":"Ada","age":36}`)
		require.Error(t, err)
		require.Empty(t, p.GetFormatInstructions())
		require.Nil(t, p.Schema())
		require.NotNil(t, p.Tool("a", "b").Function)
	}
	_, err := new(outputparser.BoolParser).Parse("yes")
	require.Error(t, err)
	_, err = new(outputparser.ListParser).Parse("a")
	require.Error(t, err)
	_, err = new(outputparser.ReActParser).Parse("a")
	require.Error(t, err)
	_, err = new(outputparser.OneOfParser[string]).Parse("a")
	require.Error(t, err)
	_, err = new(outputparser.RegexpParser[person]).Parse("a")
	require.Error(t, err)
}

func TestFromSchema(t *testing.T) {
	p, err := outputparser.FromSchema([]byte(`{"type": "object"}`))
	require.NoError(t, err)
	v, err := p.Parse(`{"a": 12345678901234567890.5, "b": [null, true, "x"]}`)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"a": json.Number("12345678901234567890.5"), "b": []any{nil, true, "x"}}, v)
	require.Equal(t, `{"type":"object"}`, p.GetFormatInstructions())

	_, err = outputparser.FromSchema([]byte(`{"type":"strin"}`))
	require.ErrorIs(t, err, llmretry.ErrInvalidOption)
	_, err = outputparser.FromSchema(nil)
	require.ErrorIs(t, err, llmretry.ErrInvalidOption)
}

func TestSchemaIsACopy(t *testing.T) {
	p := mustJSON[person](t)
	clear(p.Schema())
	_, err := p.Parse(`{`)
	var own *outputparser.Error
	require.ErrorAs(t, err, &own)
	clear(own.Schema())
	params, ok := p.Tool("person", "a person").Function.Parameters.(map[string]any)
	require.True(t, ok)
	clear(params)
	require.Contains(t, p.GetFormatInstructions(), `"name"`)
	require.Contains(t, string(p.Schema()), `"name"`)
}

// TestFreshValue: a refused or earlier output leaves nothing behind.
func TestFreshValue(t *testing.T) {
	p := mustJSON[person](t)
	first, err := p.Parse(`{"name":"Ada","age":36,"tags":["x"]}`)
	require.NoError(t, err)
	second, err := p.Parse(`{"name":"Bob","age":41}`)
	require.NoError(t, err)
	require.Equal(t, person{Name: "Bob", Age: 41}, second)
	require.Equal(t, []string{"x"}, first.Tags)
}

func TestConcurrentUse(t *testing.T) {
	p := mustJSON[benchOrder](t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				_, err := p.Parse(benchReply)
				if err != nil {
					t.Error(err)
				}
				if _, err = p.Parse(benchWrong); err == nil || !strings.Contains(err.Error(), "/customer/email") {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
