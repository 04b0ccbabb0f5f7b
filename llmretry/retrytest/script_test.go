package retrytest_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/retrytest"
)

// bench is a test that keeps what is reported, and ends when it is told to.
type bench struct {
	testing.TB
	mu      sync.Mutex
	errors  []string
	cleanup []func()
}

func (b *bench) Helper()          {}
func (b *bench) Cleanup(f func()) { b.cleanup = append(b.cleanup, f) }
func (b *bench) Error(args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.errors = append(b.errors, fmt.Sprint(args...))
}
func (b *bench) Errorf(format string, args ...any) { b.Error(fmt.Sprintf(format, args...)) }
func (b *bench) end() {
	for _, f := range b.cleanup {
		f()
	}
}

func TestScriptPlays(t *testing.T) {
	down := &llmretry.ProviderError{Category: llmretry.CategoryUnavailable, Status: 503}
	s := retrytest.NewScript(t, retrytest.Fail(down), retrytest.Reply("one").Finish("length").Usage(3, 4), retrytest.ToolCall("id", "look", "{}"))
	messages := []llms.MessageContent{human("hello")}

	_, err := s.GenerateContent(t.Context(), messages)
	assert.Equal(t, down, err)

	r, err := s.GenerateContent(t.Context(), messages, llms.WithTemperature(0))
	require.NoError(t, err)
	assert.Equal(t, &llms.ContentChoice{Content: "one", StopReason: "length",
		GenerationInfo: map[string]any{"PromptTokens": 3, "CompletionTokens": 4, "TotalTokens": 7}}, r.Choices[0])

	r, err = s.GenerateContent(t.Context(), messages)
	require.NoError(t, err)
	call := llms.ToolCall{ID: "id", Type: "function", FunctionCall: &llms.FunctionCall{Name: "look", Arguments: "{}"}}
	assert.Equal(t, []llms.ToolCall{call}, r.Choices[0].ToolCalls)
	assert.Equal(t, call.FunctionCall, r.Choices[0].FuncCall)
	assert.Equal(t, "tool_calls", r.Choices[0].StopReason)

	requests := s.Requests()
	require.Len(t, requests, 3)
	assert.Empty(t, requests[0].Sent)
	assert.Equal(t, map[string]any{"temperature": 0.0}, requests[1].Sent)
	assert.Equal(t, messages, requests[0].Messages)
}

// What was asked is a copy: the caller goes on with its values.
func TestScriptCopies(t *testing.T) {
	s := retrytest.NewScript(t, retrytest.Reply(""))
	data, meta := []byte("picture"), map[string]any{"k": []any{"v"}}
	call := &llms.FunctionCall{Name: "f"}
	messages := []llms.MessageContent{{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{llms.BinaryContent{Data: data}, llms.ToolCall{FunctionCall: call}}}}
	parameters := map[string]any{"type": "object"}
	_, err := s.GenerateContent(t.Context(), messages, llms.WithMetadata(meta), llms.WithStopWords([]string{"stop"}),
		llms.WithTools([]llms.Tool{{Function: &llms.FunctionDefinition{Name: "f", Parameters: parameters}}}))
	require.NoError(t, err)
	data[0], meta["k"].([]any)[0], call.Name, parameters["type"] = 'X', "X", "X", "X"
	messages[0].Role = "X"

	r := s.Requests()[0]
	assert.Equal(t, []llms.MessageContent{{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{
		llms.BinaryContent{Data: []byte("picture")}, llms.ToolCall{FunctionCall: &llms.FunctionCall{Name: "f"}}}}}, r.Messages)
	assert.Equal(t, map[string]any{"k": []any{"v"}}, r.Options.Metadata)
	assert.Equal(t, map[string]any{"type": "object"}, r.Options.Tools[0].Function.Parameters)
	assert.Equal(t, []string{"stop"}, r.Options.StopWords)
	assert.Equal(t, map[string]any{"k": []any{"v"}}, r.Sent["metadata"])
}

func TestScriptOverrun(t *testing.T) {
	b := &bench{TB: t}
	s := retrytest.NewScript(b, retrytest.Reply("one"))
	for range 2 {
		_, _ = s.Call(t.Context(), "What is it?", llms.WithTemperature(0.6), llms.WithSeed(7))
	}
	want := "retrytest: the script has 1 step, this is call 1 of the model (from 0): seed=7 temperature=0.6 with 1 message\n  0 human: \"What is it?\""
	assert.Equal(t, []string{want}, b.errors, "at the time")
	b.end()
	_, err := s.Call(t.Context(), "late")
	assert.ErrorContains(t, err, "1 step")
	assert.False(t, llmretry.DefaultClassifier(err, llmretry.State{}), "nobody asks again")
	assert.Len(t, b.errors, 1, "a test that is over is left alone")
}

func TestScriptUnderrun(t *testing.T) {
	b := &bench{TB: t}
	s := retrytest.NewScript(b, retrytest.Reply("one"), retrytest.Fail(errors.New("down")), retrytest.Reply("three"))
	_, err := s.Call(t.Context(), "x")
	require.NoError(t, err)
	assert.Empty(t, b.errors)
	b.end()
	assert.Equal(t, []string{"retrytest: the script has 3 steps, the model was asked for 1; step 1 was to be Fail(down)"}, b.errors)
}

func TestScriptStreams(t *testing.T) {
	broke := errors.New("broke off")
	s := retrytest.NewScript(t, retrytest.Reply("whole"), retrytest.Reply("in two").Chunks("in ", "two"), retrytest.Fail(broke).Chunks("be"),
		retrytest.Reply("x"), retrytest.Reply("silent").Chunks())
	var got []string
	collect := llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
		got = append(got, string(chunk))
		return nil
	})
	for range 3 {
		_, _ = s.Call(t.Context(), "x", collect)
	}
	assert.Equal(t, []string{"whole", "in ", "two", "be"}, got)
	enough := errors.New("enough")
	_, err := s.Call(t.Context(), "x", llms.WithStreamingFunc(func(context.Context, []byte) error { return enough }))
	assert.ErrorIs(t, err, enough)
	_, err = s.Call(t.Context(), "x", collect)
	require.NoError(t, err)
	assert.Len(t, got, 4)
}

func TestScriptTakesTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := retrytest.NewScript(t, retrytest.Reply("slow").After(time.Minute), retrytest.Reply("too slow").After(time.Minute),
			retrytest.Reply("never").Block(), retrytest.Reply("dead before"))
		begin := time.Now()
		said, err := s.Call(t.Context(), "x")
		require.NoError(t, err)
		assert.Equal(t, "slow", said)
		assert.Equal(t, time.Minute, time.Since(begin))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = s.Call(ctx, "x")
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for range 2 {
			_, err = s.Call(ctx, "x")
			assert.ErrorIs(t, err, context.DeadlineExceeded)
		}
		assert.Equal(t, time.Minute+2*time.Second, time.Since(begin))
	})
}

// A step that looks at the request, and one that panics: the decorator above makes an error of it.
func TestScriptDo(t *testing.T) {
	var asked string
	s := retrytest.NewScript(t, retrytest.Reply("x").Do(func(_ context.Context, r retrytest.Request) { asked = r.String() }),
		retrytest.Respond(nil).Do(func(context.Context, retrytest.Request) { panic("a bug") }))
	m := llmretry.Must(llmretry.New(s))
	_, err := m.Call(t.Context(), "hello")
	require.NoError(t, err)
	assert.Equal(t, "with 1 message\n  0 human: \"hello\"", asked)
	_, err = m.Call(t.Context(), "hello")
	var panicked *llmretry.PanicError
	assert.ErrorAs(t, err, &panicked)
}

func TestScriptConcurrently(t *testing.T) {
	const n = 50
	steps := make([]retrytest.Step, n)
	for i := range steps {
		steps[i] = retrytest.Reply(fmt.Sprint(i))
	}
	s := retrytest.NewScript(t, steps...)
	var said sync.Map
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			text, err := s.Call(context.Background(), "x", llms.WithStreamingFunc(func(context.Context, []byte) error { return nil }))
			assert.NoError(t, err)
			_, twice := said.LoadOrStore(text, true)
			assert.False(t, twice)
		})
	}
	wg.Wait()
	assert.Len(t, s.Requests(), n)
}
