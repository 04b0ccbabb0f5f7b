package callbackretry_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
	"github.com/tmc/langchaingo/prompts"

	"github.com/llmretry/langchaingo-llmretry/internal/loopback"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/callbackretry"
)

// recorder writes down what it is told about models and chains.
type recorder struct {
	callbacks.SimpleHandler
	mu     sync.Mutex
	events []string
}

func (r *recorder) add(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, fmt.Sprintf(format, args...))
}

func (r *recorder) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	events := r.events
	r.events = nil
	return events
}

func (r *recorder) HandleLLMGenerateContentStart(ctx context.Context, ms []llms.MessageContent) {
	r.add("start %d%s: %d messages", callbackretry.Attempt(ctx).Index, reasonOf(ctx), len(ms))
}

func (r *recorder) HandleLLMGenerateContentEnd(_ context.Context, res *llms.ContentResponse) {
	r.add("end: %s", res.Choices[0].Content)
}

func (r *recorder) HandleLLMError(_ context.Context, err error) {
	var e *llmretry.StructuredOutputError
	r.add("error: %s %v", llmretry.Category(err), errors.As(err, &e))
}

func (r *recorder) HandleChainStart(context.Context, map[string]any) { r.add("chain start") }
func (r *recorder) HandleChainEnd(context.Context, map[string]any)   { r.add("chain end") }
func (r *recorder) HandleLLMStart(context.Context, []string)         { r.add("llm start") }

func reasonOf(ctx context.Context) string {
	if reason := callbackretry.Attempt(ctx).Reason; reason != "" {
		return " " + string(reason)
	}
	return ""
}

// small is a real client of a model that is down, then wrong, then right, over langchaingo's own wire protocol.
func small(t *testing.T, opts ...openai.Option) *openai.LLM {
	t.Helper()
	n := 0
	server, err := loopback.Start(func(loopback.Request) loopback.Answer {
		n++
		return []loopback.Answer{{Status: http.StatusServiceUnavailable}, loopback.Says("blue"), loopback.Says("green")}[(n-1)%3]
	})
	require.NoError(t, err)
	t.Cleanup(server.Close)
	client, err := openai.New(append([]openai.Option{
		openai.WithToken("key"), openai.WithBaseURL(server.URL), openai.WithHTTPClient(loopback.Client()),
	}, opts...)...)
	require.NoError(t, err)
	return client
}

var green = llmretry.ParserFunc[string](func(text string) (string, error) {
	if text != "green" {
		return "", llmretry.Issues{{Code: "check", Message: "not green"}}
	}
	return text, nil
})

func decorated(t *testing.T, client llms.Model, opts ...llmretry.Option) *llmretry.Model {
	t.Helper()
	model, err := llmretry.New(client, append([]llmretry.Option{llmretry.WithParser(green), llmretry.WithBackoff(llmretry.Constant(0)),
		llmretry.WithReask(func(context.Context, llmretry.Failure) (string, error) { return "No.", nil })}, opts...)...)
	require.NoError(t, err)
	return model
}

var wanted = []string{
	"start 0: 1 messages", "error: provider_unavailable false",
	"start 1 transient: 1 messages", "error: structured_output_invalid true",
	"start 2 reask: 3 messages", "end: green",
}

// Every attempt is told once, with its own messages and typed error, wherever else the handler is.
func TestHandler(t *testing.T) {
	for name, c := range map[string]struct{ onClient, onChain bool }{
		"decorator": {}, "decorator and client": {onClient: true}, "decorator, client and chain": {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			var r recorder
			h := callbackretry.New(&r)
			var opts []openai.Option
			if c.onClient {
				opts = append(opts, openai.WithCallback(h))
			}
			client := small(t, opts...)
			observer, err := h.Observe(client)
			require.NoError(t, err)
			model := decorated(t, client, llmretry.WithObserver(observer))
			if !c.onChain {
				text, err := model.Call(t.Context(), "A colour, please.")
				require.NoError(t, err)
				assert.Equal(t, "green", text)
				assert.Equal(t, wanted, r.take())
				return
			}
			chain := chains.NewLLMChain(model, prompts.NewPromptTemplate("A colour, please.", nil), chains.WithCallback(h))
			_, err = chains.Call(t.Context(), chain, map[string]any{})
			require.NoError(t, err)
			assert.Equal(t, append(append([]string{"chain start"}, wanted...), "chain end"), r.take())
		})
	}
}

// What the client says by itself, for which this package exists: no error for a 503, an end for a refused output, and
// twice of everything when the bare handler is on both.
func TestClientByItself(t *testing.T) {
	var r recorder
	client := small(t, openai.WithCallback(&r))
	model := decorated(t, client)
	_, err := model.Call(t.Context(), "A colour, please.")
	require.NoError(t, err)
	assert.Equal(t, []string{"start 0: 1 messages", "start 0: 1 messages", "end: blue", "start 0: 3 messages", "end: green"}, r.take())

	unchecked, err := callbackretry.New(&r).Observe()
	require.NoError(t, err)
	model = decorated(t, client, llmretry.WithObserver(unchecked))
	_, err = model.Call(t.Context(), "A colour, please.")
	require.NoError(t, err)
	assert.Len(t, r.take(), len(wanted)+5)
}

// Outside of attempts the Handler is the handler it was made of.
func TestHandlerOutsideOfAttempts(t *testing.T) {
	var r recorder
	h := callbackretry.New(&r)
	client := small(t, openai.WithCallback(h))
	_, err := client.Call(t.Context(), "A colour, please.")
	require.Error(t, err)
	_, err = client.Call(t.Context(), "A colour, please.")
	require.NoError(t, err)
	h.HandleLLMGenerateContentEnd(t.Context(), nil)
	h.HandleLLMError(t.Context(), errors.New("x"))
	h.HandleLLMStart(t.Context(), nil)
	assert.Equal(t, []string{"start 0: 1 messages", "start 0: 1 messages", "end: blue", "error:  false", "llm start"}, r.take())
}

// Of two decorators in each other the outer one's attempts are told; another handler below is told of its own.
func TestHandlerNested(t *testing.T) {
	var r, other recorder
	h, below := callbackretry.New(&r), callbackretry.New(&other)
	mine, err := h.Observe()
	require.NoError(t, err)
	theirs, err := below.Observe()
	require.NoError(t, err)
	inner := decorated(t, small(t), llmretry.WithObserver(mine), llmretry.WithObserver(theirs))
	_, err = decorated(t, inner, llmretry.WithObserver(mine)).Call(t.Context(), "A colour, please.")
	require.NoError(t, err)
	assert.Equal(t, []string{"start 0: 1 messages", "end: green"}, r.take())
	assert.Equal(t, wanted, other.take())
}

// A panic in the model is an error that is told; a handler is never given nil.
func TestHandlerOfPanic(t *testing.T) {
	var r recorder
	observer, err := callbackretry.New(&r).Observe()
	require.NoError(t, err)
	_, err = decorated(t, panicking{}, llmretry.WithObserver(observer)).Call(t.Context(), "x")
	require.Error(t, err)
	assert.Equal(t, []string{"start 0: 1 messages", "error: panic false"}, r.take())

	late := llmretry.Observer{Attempt: func(context.Context, llmretry.AttemptStart) (context.Context, func(llmretry.Attempt)) { panic("late") }}
	assert.Panics(t, func() {
		_, _ = decorated(t, panicking{}, llmretry.WithObserver(observer), llmretry.WithObserver(late)).Call(t.Context(), "x")
	})
	assert.Equal(t, []string{"start 0: 1 messages", "error:  false"}, r.take())
	assert.NotPanics(t, func() { callbackretry.New(nil).HandleText(t.Context(), "") })
}

type panicking struct{ llms.Model }

func (panicking) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	panic("broken")
}
