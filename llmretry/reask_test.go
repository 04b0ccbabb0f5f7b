package llmretry_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Semantics E1, E4, E5, E6, E9: a reask appends the output verbatim and exactly the builder's text; pairs accumulate;
// a transient retry appends nothing and sends what has accumulated; override and reask compose.
func TestReaskTranscript(t *testing.T) {
	s := newScript(t, says(" bad 1\n"), fails(errDown), says("bad 2"), says("good"))
	m := decorate(t, s, llmretry.WithMaxAttempts(4), llmretry.WithParser(want("good")), llmretry.WithReask(words),
		llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.3, 0.6)...))
	_, report, err := ask(t, m, llms.WithTemperature(0))
	require.NoError(t, err)
	assert.Equal(t, "0 structured_output_invalid, 1 reask provider_unavailable, 2 transient structured_output_invalid, 3 reask ok", summary(report))

	first := []string{"human: hello", "ai:  bad 1\n", "human: wrong 0: /word: want good, got  bad 1\n"}
	r := s.requests()
	assert.Equal(t, first[:1], texts(r[0].messages))
	assert.Equal(t, first, texts(r[1].messages))
	assert.Equal(t, first, texts(r[2].messages))
	assert.Equal(t, append(first, "ai: bad 2", "human: wrong 2: /word: want good, got bad 2"), texts(r[3].messages))
	assert.Equal(t, []float64{0, 0.3, 0.6, 0.6}, s.temperatures())
	for i, a := range report.Attempts {
		assert.Equal(t, r[i].messages, a.Messages, "the report shows each attempt as it was sent")
	}
	for _, message := range r[3].messages {
		assert.Len(t, message.Parts, 1) // Semantics E12
	}
}

// Semantics E2, E3: the builder gets the surface of that attempt, and is called once per reask that can come.
func TestBuilderInput(t *testing.T) {
	var failures []llmretry.Failure
	s := newScript(t, says("bad"), stops("worse", "length"), says("worst"))
	m := decorate(t, s, llmretry.WithParser(want("good")), llmretry.WithReask(func(ctx context.Context, f llmretry.Failure) (string, error) {
		failures = append(failures, f)
		return words(ctx, f)
	}))
	_, _, err := ask(t, m)
	assert.ErrorIs(t, err, llmretry.ErrMaxAttempts)
	require.Len(t, failures, 2, "three attempts, two reasks")
	for i, f := range failures {
		assert.Equal(t, i, f.Attempt)
		assert.Equal(t, 2-i, f.Remaining)
		assert.Same(t, s.replies[i].response, f.Response)
	}
	assert.Equal(t, "worse", failures[1].OutputContent)
	assert.Equal(t, llmretry.FinishLength, failures[1].FinishReason)
	assert.Equal(t, llmretry.Count{N: 15, Known: true}, failures[1].Usage.Total)
	assert.Equal(t, "/word", failures[1].Issues[0].Path)

	s = newScript(t, says("bad"))
	m = decorate(t, s, llmretry.WithMaxAttempts(1), llmretry.WithParser(want("good")), llmretry.WithReask(func(context.Context, llmretry.Failure) (string, error) {
		t.Error("no attempt is left")
		return "", nil
	}))
	_, _, err = ask(t, m)
	assert.ErrorIs(t, err, llmretry.ErrStructuredOutputInvalid)
}

// Semantics E7: the caller's messages, their parts and the spare capacity of both are never written to.
func TestCallersMessages(t *testing.T) {
	parts := make([]llms.ContentPart, 2, 8)
	parts[0], parts[1] = llms.BinaryContent{MIMEType: "image/png", Data: []byte{1, 2}}, llms.TextContent{Text: `{"a":`}
	messages := make([]llms.MessageContent, 2, 8)
	messages[0] = llms.TextParts(llms.ChatMessageTypeSystem, "system")
	messages[1] = llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: parts}
	for _, opts := range [][]llmretry.Option{nil, {llmretry.WithFlattenedTranscript(nil)}} {
		s := newScript(t, says("bad"), says("bad"), says("bad"))
		m := decorate(t, s, append(opts, llmretry.WithParser(want("good")), llmretry.WithReask(words))...)
		_, err := m.GenerateContent(t.Context(), messages)
		require.Error(t, err)
		assert.Equal(t, []llms.MessageContent{
			llms.TextParts(llms.ChatMessageTypeSystem, "system"),
			{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{llms.BinaryContent{MIMEType: "image/png", Data: []byte{1, 2}}, llms.TextContent{Text: `{"a":`}}},
		}, messages)
		assert.Equal(t, make([]llms.MessageContent, 6), messages[2:8])
		assert.Equal(t, make([]llms.ContentPart, 6), parts[2:8])
	}
}

// Semantics E8: a prefill is continued by the model's output, without separator; one that does not end in text is not.
func TestPrefill(t *testing.T) {
	image := llms.BinaryContent{MIMEType: "image/png", Data: []byte{1}}
	tests := []struct {
		name    string
		prefill []llms.ContentPart
		want    []string
	}{
		{"text", []llms.ContentPart{llms.TextContent{Text: `{"name":`}}, []string{`ai: {"name":"Bob"}`}},
		{"text after an image", []llms.ContentPart{image, llms.TextContent{Text: `{`}}, []string{`ai: llms.BinaryContent {"Bob"}`}},
		{"an image", []llms.ContentPart{image}, []string{`ai: llms.BinaryContent`, `ai: "Bob"}`}},
		{"no parts", nil, []string{"ai:", `ai: "Bob"}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var judged []string
			s := newScript(t, says(`"Bob"}`), says("still bad"), says("bad"))
			m := decorate(t, s, llmretry.WithReask(words), llmretry.WithParser(llmretry.ParserFunc[string](func(text string) (string, error) {
				judged = append(judged, text)
				return "", errors.New("no")
			})))
			_, err := m.GenerateContent(t.Context(), []llms.MessageContent{hello[0], {Role: llms.ChatMessageTypeAI, Parts: tt.prefill}})
			require.Error(t, err)
			second := append(append([]string{"human: hello"}, tt.want...), "human: wrong 0: no")
			assert.Equal(t, second, texts(s.requests()[1].messages))
			assert.Equal(t, append(second, "ai: still bad", "human: wrong 1: no"), texts(s.requests()[2].messages))
			assert.Equal(t, []string{`"Bob"}`, "still bad", "bad"}, judged, "validation sees only the model's output")
		})
	}
}

// Semantics E10: a builder that fails or has nothing to say ends the call with the refusal and its own error: no
// further attempt, no hook, no wait.
func TestBuilderFails(t *testing.T) {
	broken := errors.New("template broken")
	for name, build := range map[string]llmretry.Builder{
		"error": func(context.Context, llmretry.Failure) (string, error) { return "text", broken },
		"blank": func(context.Context, llmretry.Failure) (string, error) { return " \n\t", nil },
	} {
		t.Run(name, func(t *testing.T) {
			m := decorate(t, newScript(t, says("bad")), llmretry.WithParser(want("good")), llmretry.WithReask(build),
				llmretry.WithReaskBackoff(llmretry.Constant(1000*second)),
				llmretry.WithOnRetry(func(context.Context, error, int) { t.Error("hook") }))
			_, report, err := ask(t, m)
			assert.ErrorIs(t, err, llmretry.ErrStructuredOutputInvalid)
			assert.Equal(t, llmretry.CategoryStructuredOutputInvalid, llmretry.Category(err))
			assert.Zero(t, report.Attempts[0].Wait)
			var attempts *llmretry.AttemptsError
			require.ErrorAs(t, err, &attempts)
			if name == "error" {
				assert.Same(t, broken, attempts.Stop)
			} else {
				assert.ErrorContains(t, attempts.Stop, "blank")
			}
		})
	}
}

// Semantics E13: refused tool calls are replayed as text, a JSON line per call with the arguments verbatim, or natively
// on request with every call answered.
func TestToolCallReplay(t *testing.T) {
	refused := choices(&llms.ContentChoice{Content: "Looking it up.", ToolCalls: []llms.ToolCall{
		callsTool("t1", "weather", `{"city":"<Oslo>"}`), callsTool("t2", "clock", `not "json"`),
	}})
	judge := llmretry.WithToolValidator(func(_ context.Context, r *llms.ContentResponse) error {
		if len(r.Choices[0].ToolCalls) > 1 {
			return llmretry.Issues{{Code: "check", Message: "one at a time"}}
		}
		return nil
	})
	fine := choices(&llms.ContentChoice{ToolCalls: []llms.ToolCall{callsTool("t3", "clock", `{}`)}})
	rendered := "Looking it up.\n{\"name\": \"weather\", \"arguments\": \"{\\\"city\\\":\\\"<Oslo>\\\"}\"}\n{\"name\": \"clock\", \"arguments\": \"not \\\"json\\\"\"}"

	s := newScript(t, refused, fine)
	_, report, err := ask(t, decorate(t, s, judge, llmretry.WithReask(words)))
	require.NoError(t, err)
	assert.Equal(t, []string{"human: hello", "ai: " + rendered, "human: wrong 0: one at a time"}, texts(s.requests()[1].messages))
	assert.Equal(t, rendered, report.Attempts[0].Output)
	s = newScript(t, refused, fine)
	_, _, err = ask(t, decorate(t, s, judge, llmretry.WithReask(words), llmretry.WithNativeToolReplay()))
	require.NoError(t, err)
	assert.Equal(t, []string{
		"human: hello",
		`ai: call t1 weather({"city":"<Oslo>"}) call t2 clock({}) Looking it up.`,
		"tool: result t1 wrong 0: one at a time",
		"tool: result t2 wrong 0: one at a time",
	}, texts(s.requests()[1].messages))
	assert.Equal(t, `not "json"`, refused.response.Choices[0].ToolCalls[1].FunctionCall.Arguments, "the model's response is not written to")
}

// Semantics E14: the whole conversation as one human message, rendered by the caller or joined by blank lines.
func TestFlattenedTranscript(t *testing.T) {
	image := llms.BinaryContent{MIMEType: "image/png", Data: []byte{1}}
	messages := []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, "be brief"),
		{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{llms.TextContent{Text: "hello"}, image}},
	}
	s := newScript(t, says("bad"), says("good"))
	m := decorate(t, s, llmretry.WithParser(want("good")), llmretry.WithReask(words), llmretry.WithFlattenedTranscript(nil))
	_, err := m.GenerateContent(t.Context(), messages)
	require.NoError(t, err)
	assert.Equal(t, []string{"human: be brief\n\nhello llms.BinaryContent"}, texts(s.requests()[0].messages))
	assert.Equal(t, []string{"human: be brief\n\nhello\n\nbad\n\nwrong 0: /word: want good, got bad llms.BinaryContent"}, texts(s.requests()[1].messages))

	s = newScript(t, says("bad"), says("good"))
	m = decorate(t, s, llmretry.WithParser(want("good")), llmretry.WithReask(words),
		llmretry.WithFlattenedTranscript(func(ms []llms.MessageContent) string { return "n=" + string(rune('0'+len(ms))) }))
	_, err = m.GenerateContent(t.Context(), messages)
	require.NoError(t, err)
	assert.Equal(t, []string{"human: n=4 llms.BinaryContent"}, texts(s.requests()[1].messages))
}
