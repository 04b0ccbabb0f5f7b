package compose_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scripted plays choices in order, the last one for ever, and keeps what it was asked.
type scripted struct {
	choices []*llms.ContentChoice

	mu    sync.Mutex
	asked [][]llms.MessageContent
}

func says(texts ...string) *scripted {
	s := new(scripted)
	for _, text := range texts {
		s.choices = append(s.choices, &llms.ContentChoice{Content: text, StopReason: "stop"})
	}
	return s
}

func (s *scripted) GenerateContent(_ context.Context, messages []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, slices.Clone(messages))
	choice := s.choices[min(len(s.asked), len(s.choices))-1]
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{choice}}, nil
}

func (s *scripted) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, s, prompt, opts...)
}

// calls is a choice that calls one tool.
func calls(name, arguments string) *llms.ContentChoice {
	return &llms.ContentChoice{StopReason: "tool_calls", ToolCalls: []llms.ToolCall{
		{ID: "call_1", Type: "function", FunctionCall: &llms.FunctionCall{Name: name, Arguments: arguments}},
	}}
}

// upper is a tool.
type upper struct{ name string }

func (u upper) Name() string        { return u.name }
func (u upper) Description() string { return "Writes its input in upper case." }
func (u upper) Call(_ context.Context, input string) (string, error) {
	return strings.ToUpper(input), nil
}

var twoTools = []tools.Tool{upper{"search"}, upper{"Shell"}}
