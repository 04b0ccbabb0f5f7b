package adapters_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// faultScenarios are about goroutines left, panics, and answers with nothing or too much in them.
var faultScenarios = []scenario{
	{"leak-02", "J1", nothingIsLeftRunning},
	{"panic-01", "J2", panicsOfTheCaller},
	{"nil-01", "F8", nothingInTheAnswer},
	{"nchoice-01", "F9, A4", severalChoices},
}

// The attempt that was left behind ends when its model does, not later. The bubble would not end with a goroutine in it.
func nothingIsLeftRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := runtime.NumGoroutine()
		c := scene{
			turns: []turn{{takes: 100 * time.Millisecond, response: tells(blue).response}, tells(blue)},
			opts:  []llmretry.Option{llmretry.WithMaxAttempts(2), llmretry.WithAttemptTimeout(10 * time.Millisecond)},
		}.perform(t)
		require.NoError(t, c.err)
		assert.Len(t, c.asked, 2)
		assert.Equal(t, 10*time.Millisecond, c.elapsed, "it is not waited for")
		<-time.After(200 * time.Millisecond)
		synctest.Wait()
		assert.LessOrEqual(t, runtime.NumGoroutine(), before, "servers of other tests may have ended meanwhile")
	})
}

// The rule tells three kinds apart: a validator's panic is typed and final, a parser's is a refusal, and a panic in the
// caller's own hook goes on through the caller's goroutine.
func panicsOfTheCaller(t *testing.T) {
	validator := llmretry.WithValidator(func(context.Context, *llms.ContentResponse) error { panic("validator") })
	c := scene{turns: []turn{tells(blue), tells(blue), tells(blue)}, opts: []llmretry.Option{validator}}.play(t)
	assert.Len(t, c.asked, 1)
	var panicked *llmretry.PanicError
	require.ErrorAs(t, c.err, &panicked)
	assert.Equal(t, "validator", panicked.Value)
	assert.Contains(t, string(panicked.Stack), "panicsOfTheCaller")
	assert.Equal(t, llmretry.CategoryPanic, llmretry.Category(c.err))

	parser := llmretry.WithParser(llmretry.ParserFunc[string](func(text string) (string, error) {
		if text == blue {
			return text, nil
		}
		panic("parser")
	}))
	c = scene{turns: []turn{tells(seven), tells(blue)}, opts: []llmretry.Option{parser}}.play(t)
	require.NoError(t, c.err)
	assert.Equal(t, []llmretry.ErrorCategory{llmretry.CategoryStructuredOutputInvalid, ""}, ways(c.report))

	hook := llmretry.WithOnRetry(func(context.Context, error, int) { panic("hook") })
	m := &sceneModel{turns: []turn{breaks(overload), tells(blue)}}
	d := llmretry.Must(llmretry.New(m, llmretry.WithBackoff(llmretry.Constant(0)), hook))
	assert.PanicsWithValue(t, "hook", func() { _, _ = d.GenerateContent(t.Context(), oneQuestion) })
	assert.Len(t, m.requests(), 1)

	m = &sceneModel{turns: []turn{tells(blue)}}
	d = llmretry.Must(llmretry.New(m, llmretry.WithParser(blueParser), hook))
	_, err := d.GenerateContent(t.Context(), oneQuestion)
	require.NoError(t, err, "a hook that is not due is not called")
}

func nothingInTheAnswer(t *testing.T) {
	c := scene{turns: []turn{{}, {response: &llms.ContentResponse{}}, {response: &llms.ContentResponse{Choices: []*llms.ContentChoice{nil}}}}}.play(t)
	assert.Len(t, c.asked, 3)
	empty := llmretry.CategoryEmptyResponse
	assert.Equal(t, []llmretry.ErrorCategory{empty, empty, empty}, ways(c.report))
	assert.Equal(t, empty, llmretry.Category(c.err))

	for _, nothing := range []turn{{}, {response: &llms.ContentResponse{}}, {response: &llms.ContentResponse{Choices: []*llms.ContentChoice{nil, nil}}}} {
		c = scene{turns: []turn{nothing, tells(blue)}}.play(t)
		require.NoError(t, c.err)
	}
}

func severalChoices(t *testing.T) {
	list := []*llms.ContentChoice{{Content: seven}, nil, {Content: blue}, {Content: strings.Replace(blue, "blue", "red", 1)}}
	c := scene{turns: []turn{{response: &llms.ContentResponse{Choices: list}}}, call: []llms.CallOption{llms.WithN(4)}}.play(t)
	require.NoError(t, c.err)
	assert.Len(t, c.asked, 1)
	assert.Equal(t, []*llms.ContentChoice{list[2], list[0], nil, list[3]}, c.response.Choices, "the first valid one, then the others in their order")
	assert.Equal(t, 2, c.report.Choice)
	assert.Equal(t, seven, list[0].Content, "the model's own list is left alone")
}
