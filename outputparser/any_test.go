package outputparser_test

import (
	"encoding/json"
	"testing"

	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/schema"
)

func TestAny(t *testing.T) {
	inner := mustJSON[person](t)
	p := outputparser.Any[person](inner)
	v, err := p.ParseWithPrompt(`{"name":"Ada","age":36}`, nil)
	require.NoError(t, err)
	require.Equal(t, person{Name: "Ada", Age: 36}, v)
	v, err = p.Parse(`{}`)
	require.Error(t, err)
	require.Nil(t, v)
	require.Equal(t, "json", p.Type())
	require.Equal(t, inner.GetFormatInstructions(), p.GetFormatInstructions())
	withSchema, ok := p.(interface{ Schema() json.RawMessage })
	require.True(t, ok)
	require.JSONEq(t, string(inner.Schema()), string(withSchema.Schema()))
}

func TestNilParsers(t *testing.T) {
	for _, p := range []schema.OutputParser[any]{outputparser.Any[int](nil), outputparser.Safe[any](nil)} {
		_, err := p.Parse("x")
		require.Error(t, err)
		_, err = p.ParseWithPrompt("x", nil)
		require.Error(t, err)
		require.Empty(t, p.GetFormatInstructions())
		require.Empty(t, p.Type())
	}
}
