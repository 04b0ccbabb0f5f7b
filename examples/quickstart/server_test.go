package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

// bare returns a function that asks the server's model without any decorator.
func bare(t *testing.T) func(temperature float64, messages ...llms.MessageContent) string {
	t.Helper()
	s, err := startServer(neverBusy)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	model, err := offlineModel(s, client)
	require.NoError(t, err)
	return func(temperature float64, messages ...llms.MessageContent) string {
		response, err := model.GenerateContent(t.Context(), messages, llms.WithTemperature(temperature))
		require.NoError(t, err)
		return response.Choices[0].Content
	}
}

func says(role llms.ChatMessageType, text string) llms.MessageContent {
	return llms.TextParts(role, text)
}

// The trap that a blind retry falls into: at temperature 0 the same question has the same wrong answer, to the byte.
func TestDeterminismTrap(t *testing.T) {
	ask := bare(t)
	question := says(llms.ChatMessageTypeHuman, mail)
	wrong := ask(0, question)
	for range 2 {
		assert.Equal(t, wrong, ask(0, question))
	}
	assert.Equal(t, wrong, ask(0.3, question), "a little warmth changes nothing")

	answer := says(llms.ChatMessageTypeAI, wrong)
	assert.Equal(t, wrong, ask(0, question, answer, says(llms.ChatMessageTypeHuman, "That is wrong. Try again.")), "nor does an uninformed reask")
	assert.Equal(t, wrong, ask(0, says(llms.ChatMessageTypeHuman, "Mind /priority and /refund_cents!")), "nor a warning")

	_, err := ticketParser(t).Parse(wrong)
	require.ErrorContains(t, err, "/priority")
	require.ErrorContains(t, err, "/refund_cents")
}

// The two ways out, each by itself.
func TestWaysOut(t *testing.T) {
	ask := bare(t)
	question := says(llms.ChatMessageTypeHuman, mail)
	answer := says(llms.ChatMessageTypeAI, ask(0, question))

	informed := ask(0, question, answer, says(llms.ChatMessageTypeHuman, "/priority: want low. /refund_cents: want integer."))
	value, err := ticketParser(t).Parse(informed)
	require.NoError(t, err)
	assert.Equal(t, healed, value)

	half := ask(0, question, answer, says(llms.ChatMessageTypeHuman, "/priority: want low."))
	_, err = ticketParser(t).Parse(half)
	require.ErrorContains(t, err, "/refund_cents", "it mends what it is told")
	assert.NotContains(t, err.Error(), "/priority")

	value, err = ticketParser(t).Parse(ask(0.6, question))
	require.NoError(t, err)
	assert.Equal(t, healed, value)
}

func ticketParser(t *testing.T) *outputparser.JSONParser[Ticket] {
	t.Helper()
	p, err := outputparser.JSON[Ticket]()
	require.NoError(t, err)
	return p
}

func TestServerRefuses(t *testing.T) {
	s := &server{busy: neverBusy}
	for _, r := range []*http.Request{
		httptest.NewRequest(http.MethodGet, "/chat/completions", nil),
		httptest.NewRequest(http.MethodPost, "/completions", strings.NewReader("{}")),
		httptest.NewRequest(http.MethodPost, "/chat/completions", strings.NewReader("{")),
	} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		assert.Equal(t, http.StatusBadRequest, w.Code)
	}
	assert.Empty(t, s.Exchanges())
}

func TestServerIsBusyOnce(t *testing.T) {
	s := &server{busy: busyOnce}
	var codes []int
	for range 3 {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/chat/completions", strings.NewReader(`{"messages":[]}`)))
		codes = append(codes, w.Code)
		if w.Code != http.StatusOK {
			assert.Equal(t, "1", w.Header().Get("Retry-After"))
		}
	}
	assert.Equal(t, []int{200, 503, 200}, codes)
}
