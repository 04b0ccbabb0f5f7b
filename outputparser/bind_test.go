package outputparser_test

import (
	"errors"
	"testing"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/stretchr/testify/require"
)

type panicking struct {
	A int `json:"a"`
}

func (*panicking) UnmarshalJSON([]byte) error { panic("boom") }

func TestPanicIsAnError(t *testing.T) {
	for _, p := range []interface {
		Parse(string) (panicking, error)
	}{
		mustJSON[panicking](t),
		mustJSON[panicking](t, outputparser.Check(func(panicking) error { panic("boom") })),
	} {
		_, err := p.Parse(`{"a":1}`)
		require.Equal(t, "panic", issuesOf(t, err)[0].Code)
		var cause *llmretry.PanicError
		require.ErrorAs(t, err, &cause)
		require.Equal(t, "boom", cause.Value)
		require.NotEmpty(t, cause.Stack)
	}
}

var errForeign = errors.New("main.Wide: cannot unmarshal")

type refusing struct {
	A int `json:"a"`
}

func (*refusing) UnmarshalText([]byte) error { return errForeign }

// TestNoGoNamesInMessages: what a type's own decoding says is kept for errors.Is and left out of the issues.
func TestNoGoNamesInMessages(t *testing.T) {
	_, err := mustJSON[map[string]refusing](t).Parse(`{"x":"y"}`)
	require.EqualError(t, err, `/x: value is not accepted, got "y"`)
	require.ErrorIs(t, err, errForeign)
}
