package adapters_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/googleai"
	"github.com/tmc/langchaingo/llms/mistral"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// asInstalled are the clients whose SDK retries by itself, without the setting that keeps it from that.
func asInstalled() []*dialect {
	stubborn, vainly, google := bedrockDialects()[0], mistralDialect(), googleDialect()
	stubborn.open = openBedrock("anthropic.claude-3-haiku-20240307-v1:0", 0)
	vainly.open = func(t testing.TB, address string, _ *http.Client) llms.Model {
		m, err := mistral.New(mistral.WithEndpoint(address), mistral.WithAPIKey(secret))
		require.NoError(t, err)
		return m
	}
	google.open = func(t testing.TB, address string, hc *http.Client) llms.Model {
		m, err := googleai.New(t.Context(), googleOptions(address, hc.Transport)...)
		require.NoError(t, err)
		t.Cleanup(func() {
			_ = m.Close()
			closeHidden(t, m, "client", "cc")
		})
		return m
	}
	return []*dialect{stubborn, vainly, google}
}

// perAttempt is how many requests one attempt of a failing call is, within a minute.
func perAttempt(t *testing.T, d *dialect, a reply) string {
	t.Helper()
	r := newRig(t, d, true, func(int, *received) reply { return a })
	inBubble(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		_, err := r.wrap(t, llmretry.WithMaxAttempts(1)).GenerateContent(ctx, question)
		require.Error(t, err)
	})
	if n := len(r.received()); n <= 5 {
		return fmt.Sprint(n)
	}
	return "until the deadline"
}

// TestProviderInnerRetries counts the requests of one attempt, as installed and with the setting. Where an SDK retries
// inside of an attempt, the attempts multiply, its waits are not the server's, and the last failure hides the others.
func TestProviderInnerRetries(t *testing.T) {
	t.Parallel()
	settings := map[string]*dialect{}
	for _, d := range dialects() {
		settings[d.name] = d
	}
	rows := [][]string{{"client", "failure", "requests as installed", "requests with the setting", "the setting"}}
	for _, d := range asInstalled() {
		with := settings[d.name]
		for _, f := range []struct {
			name  string
			reply reply
		}{
			{"429", d.fails(429, "Rate limit reached", "")},
			{"500", d.fails(500, "something broke", "")},
			{"503", d.fails(503, "overloaded", "")},
			{"503 without a body", reply{status: 503}},
			{"dropped", reply{fault: drop}},
		} {
			once := perAttempt(t, with, f.reply)
			assert.Equal(t, "1", once, "%s, %s", d.name, f.name)
			rows = append(rows, []string{d.name, f.name, perAttempt(t, d, f.reply), once, with.inner})
		}
	}
	t.Log("\n" + markdown(rows))
	document(t, "inner retries", markdown(rows))
}
