package adapters_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/chains"
	toolkit "github.com/tmc/langchaingo/tools"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	llmcompose "github.com/llmretry/langchaingo-llmretry/llmretry/compose"
)

// earpiece is a callback handler. Given to a chain's call it turns streaming on.
type earpiece struct {
	callbacks.SimpleHandler
	mu     sync.Mutex
	chunks []string
	ends   int
	errors int
}

func (l *earpiece) HandleStreamingFunc(_ context.Context, chunk []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.chunks = append(l.chunks, string(chunk))
}

func (l *earpiece) HandleChainEnd(context.Context, map[string]any) { l.ends++ }
func (l *earpiece) HandleChainError(context.Context, error)        { l.errors++ }

// TestChainCallback: a chain's callback hears the accepted answer, to the byte and once, over the real client; the
// stream of a refused one never reaches it. (Semantics I1, I2.)
func TestChainCallback(t *testing.T) {
	t.Parallel()
	d := openaiDialect()
	r := newRig(t, d, true, func(n int, r *received) reply {
		if len(d.messages(r)) > 1 {
			return d.streams(`{"name": "Ada",`, ` "age": 36}`)
		}
		return d.streams(`{"name": "Ada",`, ` "age": "many"}`)
	})
	m := r.wrap(t, byParser, correcting())
	run := func(opts ...llmretry.Option) *earpiece {
		l := new(earpiece)
		chain := chains.NewLLMChain(m, whoPrompt)
		chain.CallbacksHandler = l
		out, err := chains.Run(llmretry.NewContext(t.Context(), opts...), chain, "Ada", chains.WithCallback(l))
		require.NoError(t, err)
		assert.Equal(t, right, out)
		assert.Equal(t, 1, l.ends)
		assert.Zero(t, l.errors)
		return l
	}
	l := run()
	assert.Equal(t, right, strings.Join(l.chunks, ""))
	for _, request := range r.received() {
		assert.Equal(t, true, request.Body["stream"])
	}

	var resets []int
	l = run(llmretry.WithStreamReset(func(_ context.Context, attempt int) { resets = append(resets, attempt) }))
	assert.Equal(t, wrong+right, strings.Join(l.chunks, ""), "on request chunks are live")
	assert.Equal(t, []int{1}, resets, "and what was heard is taken back")
}

// An agent's callback hears the steps that the agent got, and no other.
func TestAgentCallback(t *testing.T) {
	t.Parallel()
	d := openaiDialect()
	r := newRig(t, d, true, inOrder(
		d.streams("I should", " add them."), d.streams("Action: sum\n", "Action Input: 2+2"), d.streams("Final Answer:", " 4"),
	))
	var got []string
	list := []toolkit.Tool{sumTool{&got}}
	model := r.wrap(t, correcting(), llmretry.WithValidator(llmretry.Must(llmcompose.OneShotStep(list))))
	l := new(earpiece)
	executor := agents.NewExecutor(agents.NewOneShotAgent(model, list, agents.WithCallbacksHandler(l)))
	out, err := chains.Run(t.Context(), executor, "What is 2+2?")
	require.NoError(t, err)
	assert.Equal(t, "4", out)
	assert.Equal(t, "Action: sum\nAction Input: 2+2Final Answer: 4", strings.Join(l.chunks, ""))
}
