package loopback

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestServer(t *testing.T) {
	s, err := Start(func(r Request) Answer {
		switch {
		case r.Says("busy"):
			return Answer{Status: http.StatusServiceUnavailable}
		case r.Tools != nil:
			return Answer{Calls: []Call{{r.Tools[0], "{}"}}}
		}
		return Says("You said: " + r.Last())
	})
	require.NoError(t, err)
	defer s.Close()
	chat, err := openai.New(openai.WithBaseURL(s.URL), openai.WithToken("none"), openai.WithModel("m"), openai.WithHTTPClient(Client()))
	require.NoError(t, err)
	local, err := ollama.New(ollama.WithServerURL(s.URL), ollama.WithModel("l"), ollama.WithHTTPClient(Client()))
	require.NoError(t, err)
	hi := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "hi")}
	for _, m := range []llms.Model{chat, local} {
		response, err := m.GenerateContent(t.Context(), hi, llms.WithTemperature(0.5))
		require.NoError(t, err)
		assert.Equal(t, "You said: hi", response.Choices[0].Content)
		assert.Equal(t, 4, response.Choices[0].GenerationInfo["TotalTokens"])
		_, err = m.GenerateContent(t.Context(), []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "busy?")})
		assert.Error(t, err)
	}
	var streamed []string
	_, err = chat.GenerateContent(t.Context(), hi, llms.WithStreamingFunc(chunks(&streamed)))
	require.NoError(t, err)
	assert.Equal(t, "You said: hi", strings.Join(streamed, ""))
	response, err := chat.GenerateContent(t.Context(), hi, llms.WithTools([]llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{Name: "f"}}}))
	require.NoError(t, err)
	assert.Equal(t, "f", response.Choices[0].ToolCalls[0].FunctionCall.Name)

	requests := s.Requests()
	require.Len(t, requests, 6)
	assert.Equal(t, Request{Model: "l", Temperature: 0.5, Messages: []Message{{Role: "user", Content: "hi"}}}, requests[2])
	var b strings.Builder
	Print(&b, requests[:1])
	assert.Equal(t, "request 0 to m\n  user      hi\n", b.String())
	assert.Empty(t, Request{}.Last())

	r, err := Client().Post(s.URL+"/chat/completions", "application/json", strings.NewReader("{"))
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	assert.Equal(t, http.StatusBadRequest, r.StatusCode)
}

// chunks keeps what a stream function gets.
func chunks(into *[]string) func(context.Context, []byte) error {
	return func(_ context.Context, chunk []byte) error {
		*into = append(*into, string(chunk))
		return nil
	}
}
