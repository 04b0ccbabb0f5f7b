package llmretry_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// reply is one scripted answer of a model.
type reply struct {
	response *llms.ContentResponse
	err      error
	panics   any
	do       func(ctx context.Context) // runs before the answer
	chunks   []string                  // streamed before the answer
}

// request is what a scripted model was asked.
type request struct {
	ctx      context.Context
	given    []llms.MessageContent // the very slice
	messages []llms.MessageContent // a copy of it
	list     []llms.CallOption     // as given
	options  llms.CallOptions      // in effect
}

// script is a model that plays replies in order. It is for the loop's logic only: everything that a provider's client
// does is tested with the client. It fails the test when it is asked more often than it has replies.
type script struct {
	t       testing.TB
	mu      sync.Mutex
	replies []reply
	asked   []request
}

func newScript(t testing.TB, replies ...reply) *script { return &script{t: t, replies: replies} }

func (s *script) GenerateContent(ctx context.Context, messages []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, opt := range opts {
		opt(&o)
	}
	s.mu.Lock()
	n := len(s.asked)
	s.asked = append(s.asked, request{ctx, messages, slices.Clone(messages), opts, o})
	if n >= len(s.replies) {
		s.mu.Unlock()
		s.t.Errorf("model asked %d times, has %d replies", n+1, len(s.replies))
		return nil, errors.New("script over")
	}
	r := s.replies[n]
	s.mu.Unlock()
	if r.do != nil {
		r.do(ctx)
	}
	for _, c := range r.chunks {
		if o.StreamingFunc != nil {
			if err := o.StreamingFunc(ctx, []byte(c)); err != nil {
				return nil, fmt.Errorf("streaming func returned an error: %w", err)
			}
		}
	}
	if r.panics != nil {
		panic(r.panics)
	}
	return r.response, r.err
}

func (s *script) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, s, prompt, opts...)
}

func (s *script) requests() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// temperatures returns what each attempt was asked with.
func (s *script) temperatures() []float64 {
	var ts []float64
	for _, r := range s.requests() {
		ts = append(ts, r.options.Temperature)
	}
	return ts
}

func says(content string) reply { return stops(content, "stop") }

func stops(content, reason string) reply {
	return reply{response: &llms.ContentResponse{Choices: []*llms.ContentChoice{choice(content, reason)}}}
}

func choice(content, reason string) *llms.ContentChoice {
	return &llms.ContentChoice{Content: content, StopReason: reason, GenerationInfo: map[string]any{
		"PromptTokens": 10, "CompletionTokens": len(content), "TotalTokens": 10 + len(content),
	}}
}

func choices(cs ...*llms.ContentChoice) reply {
	return reply{response: &llms.ContentResponse{Choices: cs}}
}

func fails(err error) reply { return reply{err: err} }

func callsTool(id, name, arguments string) llms.ToolCall {
	return llms.ToolCall{ID: id, Type: "function", FunctionCall: &llms.FunctionCall{Name: name, Arguments: arguments}}
}

// The errors of langchaingo's openai client, as it builds them.
var (
	errDown    = errors.New("API returned unexpected status code: 503: down")
	errDown2   = errors.New("API returned unexpected status code: 502: bad gateway")
	errBad     = errors.New("API returned unexpected status code: 400: bad request")
	errLimited = errors.New("API returned unexpected status code: 429: slow down")
)

var hello = []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "hello")}

// want is a parser that accepts exactly one text.
func want(text string) llmretry.ParserFunc[string] {
	return func(got string) (string, error) {
		if got != text {
			return "", llmretry.Issues{{Path: "/word", Code: "check", Message: "/word: want " + text + ", got " + got}}
		}
		return got, nil
	}
}

// words is a builder of corrections that shows what it was given.
func words(_ context.Context, f llmretry.Failure) (string, error) {
	return fmt.Sprintf("wrong %d: %s", f.Attempt, f.ErrorMessage), nil
}

// nowait is the backoff of tests that are not about waiting.
var nowait = llmretry.WithBackoff(llmretry.Constant(0))

func decorate(t testing.TB, m llms.Model, opts ...llmretry.Option) *llmretry.Model {
	t.Helper()
	d, err := llmretry.New(m, append([]llmretry.Option{nowait}, opts...)...)
	require.NoError(t, err)
	return d
}

// ask makes a call that must be watched, and returns its report with it.
func ask(t testing.TB, m *llmretry.Model, opts ...llms.CallOption) (*llms.ContentResponse, *llmretry.Report, error) {
	t.Helper()
	return askWith(t, context.Background(), m, opts...)
}

func askWith(t testing.TB, ctx context.Context, m *llmretry.Model, opts ...llms.CallOption) (*llms.ContentResponse, *llmretry.Report, error) {
	t.Helper()
	ctx, reports := llmretry.CaptureReports(ctx)
	response, err := m.GenerateContent(ctx, hello, opts...)
	require.Len(t, reports(), 1)
	return response, reports()[0], err
}

// summary shows a report in one line a test can compare: "0 provider_unavailable, 1 transient ok".
func summary(r *llmretry.Report) string {
	var s string
	for i, a := range r.Attempts {
		if i > 0 {
			s += ", "
		}
		s += fmt.Sprint(a.Index)
		if a.Reason != "" {
			s += " " + string(a.Reason)
		}
		if a.Category == "" {
			s += " ok"
		} else {
			s += " " + string(a.Category)
		}
	}
	return s
}

func texts(ms []llms.MessageContent) []string {
	var list []string
	for _, m := range ms {
		s := string(m.Role) + ":"
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llms.TextContent:
				s += " " + p.Text
			case llms.ToolCall:
				s += fmt.Sprintf(" call %s %s(%s)", p.ID, p.FunctionCall.Name, p.FunctionCall.Arguments)
			case llms.ToolCallResponse:
				s += fmt.Sprintf(" result %s %s", p.ToolCallID, p.Content)
			default:
				s += fmt.Sprintf(" %T", p)
			}
		}
		list = append(list, s)
	}
	return list
}

const second = time.Second
