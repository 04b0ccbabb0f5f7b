package provider

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/cases"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

type object = map[string]any

// Each provider is asked by langchaingo's client, at the address that was given, for the model that was named.
func TestRemote(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "key")
	t.Setenv("ANTHROPIC_API_KEY", "key")
	answers := map[string]object{
		"/chat/completions": {"choices": []object{{"message": object{"role": "assistant", "content": "yes"}, "finish_reason": "stop"}}},
		"/messages":         {"role": "assistant", "type": "message", "stop_reason": "end_turn", "content": []object{{"type": "text", "text": "yes"}}},
		"/api/chat":         {"message": object{"role": "assistant", "content": "yes"}, "done": true},
	}
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var sent struct{ Model string }
		_ = json.Unmarshal(body, &sent)
		asked = append(asked, r.URL.Path+" "+sent.Model)
		_ = json.NewEncoder(w).Encode(answers[r.URL.Path])
	}))
	defer server.Close()
	for _, name := range []string{"openai", "anthropic", "ollama"} {
		p, err := Open(Config{Provider: name, Model: "small", Bigger: "big", BaseURL: server.URL, Timeout: time.Minute})
		require.NoError(t, err, name)
		for _, size := range []Size{Main, Bigger} {
			m, err := p.Model(size, nil)
			require.NoError(t, err)
			text, err := llms.GenerateFromSinglePrompt(t.Context(), m, "Well?", llms.WithMaxTokens(5))
			require.NoError(t, err, name)
			assert.Equal(t, "yes", text)
		}
		assert.Equal(t, name+" small, bigger big, at "+server.URL, p.Identity())
		assert.Equal(t, time.Second, p.Took(Main, time.Second, llmretry.Usage{}))
		p.Close()
	}
	assert.Equal(t, []string{
		"/chat/completions small", "/chat/completions big", "/messages small", "/messages big", "/api/chat small", "/api/chat big",
	}, asked)
}

func TestRemoteRefuses(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	for _, c := range []Config{{}, {Provider: "openai"}, {Provider: "openai", Model: "m"}, {Provider: "oracle", Model: "m"}} {
		_, err := Open(c)
		require.ErrorIs(t, err, ErrConfig, "%+v", c)
	}
	p, err := Open(Config{Provider: "openai", Model: "m", BaseURL: "http://me:secret@localhost:1/v1?key=secret"})
	require.NoError(t, err, "a server of one's own needs no key")
	assert.Equal(t, "openai m, at http://localhost:1/v1", p.Identity())
	_, err = p.Model(Bigger, nil)
	require.ErrorIs(t, err, ErrConfig)
}

// The model of faults depends on the seed and the case, and on nothing that other runs asked.
func TestOffline(t *testing.T) {
	all, err := cases.Read(strings.NewReader(`{"id":"a","prompt":"How many?","expected":{"n":1,"unit":"kg"}}`+"\n"+`{"id":"b","prompt":"And here?"}`),
		[]byte(`{"type":"object","properties":{"n":{"type":"integer"},"unit":{"enum":["kg","g"]}},"required":["n","unit"]}`))
	require.NoError(t, err)
	say := func(seed uint64, c *cases.Case, temperature float64) string {
		m, err := (&Offline{Seed: seed}).Model(Main, c)
		require.NoError(t, err)
		decorated, err := llmretry.New(m, llmretry.WithMaxAttempts(20), llmretry.WithBackoff(llmretry.Constant(0)))
		require.NoError(t, err)
		text, err := decorated.Call(t.Context(), "How many?", llms.WithTemperature(temperature))
		require.NoError(t, err)
		return text
	}
	said := make(map[string]bool)
	for seed := range uint64(50) {
		assert.Equal(t, say(seed, &all[0], 0), say(seed, &all[0], 0))
		assert.Equal(t, say(seed, &all[0], 1), say(seed, &all[0], 1))
		said[say(seed, &all[0], 0)] = true
	}
	assert.Greater(t, len(said), 5)
	assert.NotEmpty(t, say(1, &all[1], 0), "a case without an expected value gets one made up")

	o := &Offline{Seed: 7}
	u := llmretry.Usage{Input: llmretry.Count{N: 100, Known: true}, Output: llmretry.Count{N: 10, Known: true}}
	assert.Equal(t, 250*time.Millisecond, o.Took(Main, time.Hour, u))
	assert.Greater(t, o.Took(Bigger, 0, u), o.Took(Main, 0, u))
	assert.Equal(t, "offline, seed 7", o.Identity())
}
