package strategy

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

const file = `
temperature: 0
max_tokens: 100
attempts: 4
correction: "No: {{issues .}}"
strategies:
  - name: none
  - name: replay
    on_refusal: replay
    schedule: [{temperature: 0.3}, {temperature: 0.6, max_tokens: 200}]
  - name: short
    on_refusal: reask
    attempts: 2
    correction: "Again."
  - name: fresh
    on_refusal: reask
    transcript: {fresh_after: 1, clip_echo: 100, max_bytes: 4000}
    schedule: [{bigger: true}]
`

func TestRead(t *testing.T) {
	s, err := Read([]byte(file), 0)
	require.NoError(t, err)
	assert.Equal(t, []string{"none", "replay", "short", "fresh"}, s.Names())
	var attempts []int
	for _, one := range s.Strategies {
		attempts = append(attempts, one.Attempts)
	}
	assert.Equal(t, []int{1, 4, 2, 4}, attempts)
	assert.Equal(t, "Again.", s.Strategies[2].Correction)
	assert.Equal(t, "No: {{issues .}}", s.Strategies[3].Correction)
	assert.Equal(t, llmretry.TranscriptPolicy{FreshAfter: 1, ClipEcho: 100, MaxBytes: 4000}, s.Strategies[3].Transcript)
	assert.True(t, s.NeedsBigger())

	s, err = Read([]byte(file), 7)
	require.NoError(t, err)
	assert.Equal(t, 1, s.Strategies[0].Attempts, "it stops")
	assert.Equal(t, 7, s.Strategies[1].Attempts)
	assert.Equal(t, 2, s.Strategies[2].Attempts, "it says so itself")

	require.NoError(t, s.Only("short", "none"))
	assert.Equal(t, []string{"short", "none"}, s.Names())
	assert.False(t, s.NeedsBigger())
	require.ErrorIs(t, s.Only("fresh"), ErrInvalid)
	require.ErrorIs(t, s.Only("none", "none"), ErrInvalid)
}

// What changes an answer changes the text that a journal is bound to, and nothing else does.
func TestBinding(t *testing.T) {
	bound := func(text string, attempts int) string {
		s, err := Read([]byte(text), attempts)
		require.NoError(t, err)
		b, err := json.Marshal(s)
		require.NoError(t, err)
		return string(b)
	}
	const one = "strategies: [{name: a, on_refusal: reask, correction: x}]"
	assert.Equal(t, bound(one, 0), bound("# remark\nattempts: 3\ncorrection: not used\n"+one, 0))
	for _, other := range []string{
		"temperature: 0\n" + one, "max_tokens: 9\n" + one, "attempts: 4\n" + one,
		"strategies: [{name: a, on_refusal: reask, correction: y}]",
		"strategies: [{name: a, on_refusal: reask, correction: x, schedule: [{temperature: 1}]}]",
		"strategies: [{name: a, on_refusal: reask, correction: x, transcript: {keep_last: 1}}]",
	} {
		assert.NotEqual(t, bound(one, 0), bound(other, 0), other)
	}
	assert.NotEqual(t, bound(one, 0), bound(one, 9))
}

func TestReadRefuses(t *testing.T) {
	for text, why := range map[string]string{
		"":                                           "there are none",
		"strategies: []":                             "there are none",
		"strategies: [{name: a}]\n---\nx: 1":         "a second document",
		"strategies: [{name: a, color: red}]":        "color",
		"strategies: [{name: ''}]":                   "blank",
		"strategies: [{name: a}, {name: a}]":         "there already",
		"strategies: [{name: a, attempts: 2}]":       "stops at the first refusal",
		"strategies: [{name: a, attempts: 99}]":      "want 1 to 20",
		"strategies: [{name: a, on_refusal: cry}]":   `"cry"`,
		"strategies: [{name: a, on_refusal: reask}]": "the words are yours",
		"strategies: [{name: a, on_refusal: reask, correction: '{{nothing}}'}]":                "nothing",
		"strategies: [{name: a, on_refusal: replay, correction: x}]":                           "for strategies that reask",
		"strategies: [{name: a, on_refusal: replay, schedule: [{temperature: 9}]}]":            "out of range",
		"temperature: -1\nstrategies: [{name: a}]":                                             "out of range",
		"strategies: [{name: a, on_refusal: replay, schedule: [{temperature: .nan}]}]":         "out of range",
		"strategies: [{name: a, on_refusal: replay, transcript: {keep_last: 1}, attempts: 2}]": "for strategies that reask",
	} {
		_, err := Read([]byte(text), 0)
		require.ErrorIs(t, err, ErrInvalid, text)
		assert.ErrorContains(t, err, why, text)
	}
}

// scripted answers in order and keeps what it was sent.
type scripted struct {
	answers []string
	sent    []int // messages
	options []llms.CallOptions
}

func (m *scripted) GenerateContent(_ context.Context, messages []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, opt := range opts {
		opt(&o)
	}
	m.sent, m.options = append(m.sent, len(messages)), append(m.options, o)
	text := m.answers[0]
	m.answers = m.answers[1:]
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: text}}}, nil
}

func (m *scripted) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, opts...)
}

func TestDecorate(t *testing.T) {
	s, err := Read([]byte(file), 0)
	require.NoError(t, err)
	parser := llmretry.Must(outputparser.FromSchema([]byte(`{"type":"integer"}`)))
	question := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "How many?")}
	ask := func(i int, answers, biggers []string) (model, bigger *scripted, valid bool) {
		model, bigger = &scripted{answers: answers}, &scripted{answers: biggers}
		m, err := s.Strategies[i].Decorate(model, bigger)
		require.NoError(t, err)
		_, err = llmretry.Generate(t.Context(), m, parser, question, s.CallOptions()...)
		return model, bigger, err == nil
	}

	m, _, valid := ask(0, []string{"x"}, nil)
	assert.False(t, valid)
	assert.Equal(t, []int{1}, m.sent)

	m, _, valid = ask(1, []string{"x", "", "y", "1"}, nil)
	assert.True(t, valid)
	assert.Equal(t, []int{1, 1, 1, 1}, m.sent, "nothing is appended")
	var sent []any
	for _, o := range m.options {
		sent = append(sent, o.Temperature, o.MaxTokens)
	}
	assert.Equal(t, []any{0.0, 100, 0.3, 100, 0.6, 200, 0.6, 200}, sent)

	m, bigger, valid := ask(3, []string{"x"}, []string{"y", "z", "1"})
	assert.True(t, valid)
	assert.Equal(t, []int{1}, m.sent)
	assert.Equal(t, []int{3, 3, 3}, bigger.sent, "afresh each time")

	_, err = s.Strategies[3].Decorate(m, nil)
	require.Error(t, err)
}
