package adapters_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

// What most scenarios are about: an object with one word in it.
const (
	blue       = `{"answer":"blue"}`
	seven      = `{"answer":7}` // refused: no word
	blueSchema = `{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"],"additionalProperties":false}`
)

var blueParser = llmretry.Must(outputparser.FromSchema([]byte(blueSchema), outputparser.Strict()))

// scene is one call, prepared.
type scene struct {
	turns    []turn     // of a scripted model
	client   llms.Model // instead of turns
	opts     []llmretry.Option
	messages []llms.MessageContent // nil = one question
	call     []llms.CallOption
	within   func(context.Context) (context.Context, context.CancelFunc) // nil = for ever
}

// turn is what the scripted model does when it is asked once.
type turn struct {
	response *llms.ContentResponse
	err      error
	chunks   []string      // streamed before
	takes    time.Duration // before the answer, whatever the context says
	waits    bool          // for the end of its context
}

// curtain is what came of a scene.
type curtain struct {
	response *llms.ContentResponse
	err      error
	report   *llmretry.Report
	asked    []asked // of the scripted model
	hooked   []int   // attempts OnRetry was told of
	elapsed  time.Duration
}

type asked struct {
	messages []llms.MessageContent
	list     []llms.CallOption
	options  llms.CallOptions
}

// play makes the call in a bubble, where waits cost no time. What is prepared: the parser for blue, a builder that says
// what is wrong, no waits; the scene's options come after these.
func (s scene) play(t *testing.T) (c curtain) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { c = s.perform(t) })
	return c
}

func (s scene) perform(t *testing.T) (c curtain) {
	t.Helper()
	scripted := &sceneModel{turns: s.turns}
	client := s.client
	if client == nil {
		client = scripted
	}
	opts := []llmretry.Option{
		llmretry.WithParser(blueParser), llmretry.WithReask(plainWords), llmretry.WithBackoff(llmretry.Constant(0)),
		llmretry.WithOnRetry(func(_ context.Context, _ error, attempt int) { c.hooked = append(c.hooked, attempt) }),
	}
	m, err := llmretry.New(client, append(opts, s.opts...)...)
	require.NoError(t, err)
	ctx, reports := llmretry.CaptureReports(t.Context())
	if s.within != nil {
		var cancel context.CancelFunc
		ctx, cancel = s.within(ctx)
		defer cancel()
	}
	messages := s.messages
	if messages == nil {
		messages = oneQuestion
	}
	start := time.Now()
	c.response, c.err = m.GenerateContent(ctx, messages, s.call...)
	c.elapsed = time.Since(start)
	require.Len(t, reports(), 1)
	c.report = reports()[0]
	c.asked = scripted.requests()
	require.Equal(t, c.err == nil, c.response != nil, "never both, never neither")
	return c
}

var oneQuestion = []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "Which colour?")}

// plainWords are a builder's without anything of its own.
func plainWords(_ context.Context, f llmretry.Failure) (string, error) { return f.ErrorMessage, nil }

// sceneModel plays turns in order; asked once more it fails in a way that nobody retries.
type sceneModel struct {
	turns []turn
	mu    sync.Mutex
	asked []asked
}

var errSceneOver = errors.New("the scene has no further turn")

func (m *sceneModel) GenerateContent(ctx context.Context, messages []llms.MessageContent, list ...llms.CallOption) (*llms.ContentResponse, error) {
	a := asked{messages: slices.Clone(messages), list: list, options: resolved(list)}
	m.mu.Lock()
	n := len(m.asked)
	m.asked = append(m.asked, a)
	m.mu.Unlock()
	if n >= len(m.turns) {
		return nil, errSceneOver
	}
	now := m.turns[n]
	if now.takes > 0 {
		<-time.After(now.takes)
	}
	if now.waits {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	for _, chunk := range now.chunks {
		if stream := a.options.StreamingFunc; stream != nil {
			if err := stream(ctx, []byte(chunk)); err != nil {
				return nil, err
			}
		}
	}
	return now.response, now.err
}

func (m *sceneModel) Call(ctx context.Context, prompt string, list ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, list...)
}

func (m *sceneModel) requests() []asked {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.asked)
}

// tells is an answer that ended by itself.
func tells(content string) turn { return ends(content, "stop") }

func ends(content, reason string) turn {
	return turn{response: &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: content, StopReason: reason}}}}
}

// breaks is an error of langchaingo's openai client.
func breaks(text string) turn { return turn{err: errors.New(text)} }

// overload is a failure that is worth another attempt.
const overload = "API returned unexpected status code: 503: overloaded"

// tooled is an answer that calls tools.
func tooled(calls ...llms.ToolCall) turn {
	return turn{response: &llms.ContentResponse{Choices: []*llms.ContentChoice{{ToolCalls: calls, StopReason: "tool_calls"}}}}
}

func toolCall(id, name, arguments string) llms.ToolCall {
	return llms.ToolCall{ID: id, Type: "function", FunctionCall: &llms.FunctionCall{Name: name, Arguments: arguments}}
}

// text joins everything a request says.
func (a asked) text() (s string) {
	for _, m := range a.messages {
		for _, p := range m.Parts {
			if text, ok := p.(llms.TextContent); ok {
				s += text.Text + "\n"
			}
		}
	}
	return s
}

// ways are the categories of a report's attempts: what each failed by, "" for the accepted one.
func ways(r *llmretry.Report) (list []llmretry.ErrorCategory) {
	for _, a := range r.Attempts {
		list = append(list, a.Category)
	}
	return list
}
