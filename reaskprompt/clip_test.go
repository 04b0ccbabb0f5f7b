package reaskprompt_test

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/reaskprompt"
)

// seen returns a builder that keeps what it is given.
func seen(f *llmretry.Failure) llmretry.Builder {
	return func(_ context.Context, got llmretry.Failure) (string, error) {
		*f = got
		return "words", nil
	}
}

func long(s string) string { return strings.Repeat(s, 100) }

func TestClip(t *testing.T) {
	f := refusal()
	f.OutputContent, f.ErrorMessage = long("é"), long("e")
	f.Issues[0].Got, f.Issues[0].Message = long("g"), long("m")
	f.Issues[0].Want = long("w")
	f.Earlier[0].Error, f.Earlier[0].Raw = long("x"), long("r")
	given := f
	given.Issues, given.Earlier = append(llmretry.Issues(nil), f.Issues...), append([]llmretry.TrailEntry(nil), f.Earlier...)

	var got llmretry.Failure
	assert.Equal(t, "words", build(t, reaskprompt.Clip(seen(&got), 10), f))

	assert.Equal(t, "ééé...", got.OutputContent, "a rune is not cut: 9 bytes")
	assert.Equal(t, "eeeeeee...", got.ErrorMessage)
	assert.Equal(t, "ggggggg...", got.Issues[0].Got)
	assert.Equal(t, "mmmmmmm...", got.Issues[0].Message)
	assert.Equal(t, "xxxxxxx...", got.Earlier[0].Error)
	assert.Equal(t, "rrrrrrr...", got.Earlier[0].Raw)
	assert.Equal(t, `"4999"`, got.Issues[1].Got, "what fits is left alone")

	assert.Equal(t, given, f, "the failure given is not written to")
	assert.Same(t, f.Response, got.Response)
	assert.Equal(t, f.Err, got.Err)
	assert.Equal(t, f.Schema, got.Schema)
	assert.Equal(t, long("w"), got.Issues[0].Want, "the schema's words, not the model's")
	got.Issues[0].Path, got.Earlier[0].Step = "changed", "changed"
	assert.Equal(t, given, f, "nor through the copy")
}

func TestClipEmpty(t *testing.T) {
	got := refusal()
	build(t, reaskprompt.Clip(seen(&got), 7), llmretry.Failure{})
	assert.Equal(t, llmretry.Failure{}, got, "nil stays nil")
}

func TestClipLength(t *testing.T) {
	texts := []string{"", "1234567", "12345678", long("a"), long("é"), long("€"), long("😀"), "abcd😀😀", long("\x80"), long("\xf0"), "abc\xf0\x9f\x98", long("a\x80\x80\x80\x80")}
	for _, text := range texts {
		for max := 7; max < 30; max++ {
			var got llmretry.Failure
			build(t, reaskprompt.Clip(seen(&got), max), llmretry.Failure{OutputContent: text})
			out := got.OutputContent
			if len(text) <= max {
				assert.Equal(t, text, out)
				continue
			}
			kept, marked := strings.CutSuffix(out, "...")
			assert.True(t, marked, "%q", out)
			assert.LessOrEqual(t, len(out), max)
			assert.Greater(t, len(out), max-4, "no more is cut than a rune's border needs")
			assert.NotEmpty(t, kept)
			assert.True(t, strings.HasPrefix(text, kept))
			if utf8.ValidString(text) {
				assert.True(t, utf8.ValidString(out), "%q", out)
			}
		}
	}
}

// A bad argument is never a panic. No builder: New says so. A bad max: the builder says so, at its first call.
func TestClipRefuses(t *testing.T) {
	assert.Nil(t, reaskprompt.Clip(nil, 100))
	assert.Nil(t, reaskprompt.Clip(nil, 0))
	assert.Nil(t, reaskprompt.Clip(reaskprompt.Clip(nil, 100), 100))
	for _, max := range []int{math.MinInt, -1, 0, 1, 6} {
		var got llmretry.Failure
		text, err := reaskprompt.Clip(seen(&got), max)(t.Context(), refusal())
		require.ErrorIs(t, err, llmretry.ErrInvalidOption)
		assert.ErrorContains(t, err, fmt.Sprintf("Clip(%d)", max))
		assert.Empty(t, text)
		assert.Nil(t, got.Response, "the builder below is not asked")
	}
}

// Semantics E10: where each of the two mistakes shows in the decorator.
func TestClipRefusesInTheLoop(t *testing.T) {
	m := &twice{replies: []string{"bad", "never asked for"}}
	words, err := reaskprompt.Format("Wrong: {issues}")
	require.NoError(t, err)
	_, err = llmretry.New(m, llmretry.WithReask(reaskprompt.Clip(nil, 100)))
	require.ErrorIs(t, err, llmretry.ErrInvalidOption)

	d, err := llmretry.New(m, llmretry.WithReask(reaskprompt.Clip(words, 3)), llmretry.WithParser(llmretry.ParserFunc[int](strconv.Atoi)))
	require.NoError(t, err)
	_, err = d.GenerateContent(t.Context(), []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "hello")})
	require.ErrorIs(t, err, llmretry.ErrStructuredOutputInvalid)
	require.ErrorIs(t, err, llmretry.ErrInvalidOption)
	assert.Len(t, m.replies, 1)
}

// The builder's own error and context pass through.
func TestClipPassesThrough(t *testing.T) {
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, 1)
	_, err := reaskprompt.Clip(func(got context.Context, _ llmretry.Failure) (string, error) {
		assert.Equal(t, ctx, got)
		return "", assert.AnError
	}, 100)(ctx, refusal())
	assert.Same(t, assert.AnError, err)
}

func ExampleClip() {
	builder, err := reaskprompt.Format("Refused: {output_content}")
	if err != nil {
		panic(err)
	}
	text, _ := reaskprompt.Clip(builder, 24)(context.Background(), llmretry.Failure{
		OutputContent: `{"name": "Ada", "name": "Ada", "name": "Ada"}`,
	})
	fmt.Println(text)
	// Output: Refused: {"name": "Ada", "name...
}
