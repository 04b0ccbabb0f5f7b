package adapters_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

const prefixReasks = 8

// stubbornly is refused eight times, each time differently, with a failure of the provider in between.
func stubbornly(d *dialect) script {
	refused := 0
	return func(n int, r *received) reply {
		if n == 4 {
			return d.fails(overloaded, "busy", "")
		}
		if refused++; refused > prefixReasks {
			return d.says(right)(r)
		}
		return d.says(fmt.Sprintf("%s <é & %d> %s", wrong, n, strings.Repeat("padding ", 500)))(r)
	}
}

var longQuestion = []llms.MessageContent{
	llms.TextParts(llms.ChatMessageTypeSystem, "Answer with JSON."),
	{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{llms.ImageURLPart("http://images.test/ada.png"), llms.TextPart(ask)}},
}

// messagesOnWire are a request's messages, each as the bytes that were sent, and the whole request up to their end.
func messagesOnWire(t *testing.T, r *received) (list []json.RawMessage, upTo []byte) {
	t.Helper()
	var body struct{ Messages []json.RawMessage }
	require.NoError(t, json.Unmarshal(r.Raw, &body))
	var joined []byte
	for i, m := range body.Messages {
		if i > 0 {
			joined = append(joined, ',')
		}
		joined = append(joined, m...)
	}
	at := bytes.Index(r.Raw, joined)
	require.GreaterOrEqual(t, at, 0)
	return body.Messages, r.Raw[:at+len(joined)]
}

// TestPrefixIsByteStable: over eight reasks each request begins with the bytes of the one before, so that a provider's
// prompt cache stays warm. (Semantics E5, E6.)
func TestPrefixIsByteStable(t *testing.T) {
	t.Parallel()
	d := openaiDialect()
	r := newRig(t, d, true, stubbornly(d))
	_, err := r.wrap(t, byParser, correcting(), llmretry.WithMaxAttempts(prefixReasks+2),
		llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.1, 0.2, 0.3)...)).GenerateContent(t.Context(), longQuestion)
	require.NoError(t, err)
	requests := r.received()
	require.Len(t, requests, prefixReasks+2)
	before, upTo := messagesOnWire(t, requests[0])
	for k, request := range requests[1:] {
		now, upToNow := messagesOnWire(t, request)
		appended := 2
		if k+1 == 5 {
			appended = 0 // after the provider's failure
		}
		require.Len(t, now, len(before)+appended, "request %d", k+1)
		for i := range before {
			require.Equal(t, string(before[i]), string(now[i]), "request %d, message %d", k+1, i)
		}
		require.True(t, bytes.HasPrefix(upToNow, upTo), "request %d does not begin with the bytes of request %d", k+1, k)
		before, upTo = now, upToNow
	}
}

// TestPrefixKeepLast: under a policy a request is bounded as documented, by the caller's messages and so many pairs of
// so many bytes, whatever the number of reasks.
func TestPrefixKeepLast(t *testing.T) {
	t.Parallel()
	d := openaiDialect()
	for _, policy := range []llmretry.TranscriptPolicy{
		{KeepLast: 1}, {KeepLast: 3}, {FreshAfter: 2}, {KeepLast: 2, ClipEcho: 200}, {KeepLast: 3, FreshAfter: 2, ClipEcho: 64},
	} {
		r := newRig(t, d, true, stubbornly(d))
		_, err := r.wrap(t, byParser, correcting(), llmretry.WithMaxAttempts(prefixReasks+2),
			llmretry.WithTranscriptPolicy(policy)).GenerateContent(t.Context(), longQuestion)
		require.NoError(t, err)
		requests := r.received()
		require.Len(t, requests, prefixReasks+2)
		pairs := policy.KeepLast
		if policy.FreshAfter > 0 && (pairs == 0 || policy.FreshAfter < pairs) {
			pairs = policy.FreshAfter
		}
		caller, _ := messagesOnWire(t, requests[0])
		for k, request := range requests[1:] {
			list, _ := messagesOnWire(t, request)
			require.LessOrEqual(t, len(list), len(caller)+2*pairs, "%+v: request %d", policy, k+1)
			for i, m := range caller {
				require.Equal(t, string(m), string(list[i]), "%+v: the caller's messages stay", policy)
			}
			for _, m := range d.messages(request)[len(caller):] {
				if m.role == "assistant" && policy.ClipEcho > 0 {
					assert.LessOrEqual(t, len(m.text), policy.ClipEcho)
				}
			}
		}
	}
}

// TestPrefixCopiesNoPayload: sixteen reasks allocate the same whether the first message holds five megabytes or
// nothing. (Semantics E7.)
func TestPrefixCopiesNoPayload(t *testing.T) { // not parallel: it reads what the whole process allocates
	const reasks, slack = 16, 4 << 10
	perCall := func(reasks, payload int) uint64 {
		messages := []llms.MessageContent{{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{
			llms.BinaryPart("image/png", make([]byte, payload)), llms.TextPart(ask),
		}}}
		n := 0
		bad, good := tells(wrong).response, tells(right).response
		inner := modelOf(func() *llms.ContentResponse {
			if n++; n%(reasks+1) == 0 {
				return good
			}
			return bad
		})
		m := llmretry.Must(llmretry.New(inner, byParser, llmretry.WithMaxAttempts(reasks+1),
			llmretry.WithReask(func(context.Context, llmretry.Failure) (string, error) { return "fix it", nil })))
		const calls = 50
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range calls {
			_, err := m.GenerateContent(t.Context(), messages)
			require.NoError(t, err)
		}
		runtime.ReadMemStats(&after)
		return (after.TotalAlloc - before.TotalAlloc) / calls
	}
	small, large := perCall(reasks, 0), perCall(reasks, 5<<20)
	t.Logf("%d reasks: %d B per call without a payload, %d B with 5 MB", reasks, small, large)
	assert.InDelta(t, float64(small), float64(large), slack)
	assert.Less(t, large, uint64(5<<20)/reasks)
}

// modelOf is a model that costs next to nothing.
type modelOf func() *llms.ContentResponse

func (f modelOf) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	return f(), nil
}

func (f modelOf) Call(context.Context, string, ...llms.CallOption) (string, error) { return "", nil }
