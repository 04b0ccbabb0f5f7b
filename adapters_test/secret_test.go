package adapters_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms/googleai"
	"google.golang.org/api/option"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// TestProviderSecrets lets every client fail in every way and looks through everything that is said about it: the
// error and its attempts, hook, builder and log. Clients do put their key into errors: googleai and ernie have it in
// the URL, and net/http puts the URL into the error.
func TestProviderSecrets(t *testing.T) {
	quoted, asked := 0, 0
	t.Run("clients", func(t *testing.T) {
		for _, d := range dialects() {
			t.Run(d.name, func(t *testing.T) {
				asked++
				for _, transport := range []bool{true, false} {
					place := d.stand(transport)
					for _, f := range failures {
						said, own := everythingSaid(t, place, f)
						assertNoSecret(t, fmt.Sprintf("%s, transport %v", f.name, transport), said)
						if strings.Contains(own, secret) {
							quoted++
						}
					}
				}
			})
		}
	})
	t.Logf("%d errors of the clients themselves quoted the key", quoted)
	assert.True(t, quoted > 0 || asked < len(dialects()), "no client quotes its key any more: what does this test look for?")
}

func assertNoSecret(t *testing.T, where, said string) {
	t.Helper()
	for _, word := range []string{secret, "Authorization", "Bearer " + secret[:6], "X-Api-Key", "x-api-key"} {
		if at := strings.Index(said, word); at >= 0 {
			t.Errorf("%s: %q in ...%s", where, word, said[max(0, at-80):min(len(said), at+80)])
		}
	}
}

// everythingSaid returns all texts of a call that first gets a refused output and then fails, and own, what the client
// itself said.
func everythingSaid(t *testing.T, place *stand, f failure) (said, own string) {
	t.Helper()
	var log bytes.Buffer
	var all strings.Builder
	play := f.script(place.d)
	if fail := play; fail != nil {
		play = func(n int, got *received) reply {
			if n == 0 {
				return place.d.says(wrong)(got)
			}
			return fail(n, got)
		}
	}
	r := place.rig(t, play)
	inBubble(t, func(t *testing.T) {
		logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		m := r.wrap(t, llmretry.WithObserver(llmretry.SlogObserver(logger)),
			llmretry.WithReask(func(_ context.Context, f llmretry.Failure) (string, error) {
				fmt.Fprintf(&all, "builder: %s %s %v %v\n", f.OutputContent, f.ErrorMessage, f.Err, f.Issues)
				return "Correction", nil
			}),
			llmretry.WithOnRetry(func(_ context.Context, err error, _ int) { fmt.Fprintf(&all, "hook: %v %+v\n", err, err) }))
		result, err := llmretry.Generate(t.Context(), m, personParser, question)
		fmt.Fprintf(&all, "error: %v %+v %q\n", err, err, err)
		var failed *llmretry.AttemptsError
		if errors.As(err, &failed) {
			fmt.Fprintf(&all, "stop: %v\n", failed.Stop)
		}
		for _, a := range result.Report.Attempts {
			fmt.Fprintf(&all, "attempt: %s %s %v\n", a.Category, a.Output, a.Err)
			for e := a.Err; e != nil; e = errors.Unwrap(e) {
				own += e.Error()
			}
		}
	})
	return all.String() + log.String(), own
}

// TestGoogleKeyByOption: the key given as langchaingo documents it goes into the URL.
func TestGoogleKeyByOption(t *testing.T) {
	t.Parallel()
	for _, address := range []string{refused, newLoopback(t, inOrder(reply{fault: drop}, reply{fault: drop})).url} {
		client, err := googleai.New(t.Context(), googleai.WithAPIKey(secret), func(o *googleai.Options) {
			o.ClientOptions = append(o.ClientOptions, option.WithEndpoint(address))
		})
		require.NoError(t, err)
		model, err := llmretry.New(client, llmretry.WithMaxAttempts(2), llmretry.WithBackoff(llmretry.Constant(0)))
		require.NoError(t, err)
		_, err = model.GenerateContent(t.Context(), question)
		require.Error(t, err)
		assert.Equal(t, llmretry.CategoryUnavailable, llmretry.Category(err))
		assertNoSecret(t, address, fmt.Sprintf("%v %+v", err, err))
		require.NoError(t, client.Close())
		closeHidden(t, client, "client", "cc")
	}
}
