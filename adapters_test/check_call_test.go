package adapters_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// callChecks are about a call's attempts: what they send, and when the next one comes.
func callChecks() []matrixCheck {
	return []matrixCheck{
		{happy, checkHappy}, {schedule, checkSchedule}, {reask, checkReask}, {twice, checkTwice}, {interleaved, checkInterleaved},
	}
}

// checkHappy: the decorator returns the client's own answer, of one request that is byte for byte the bare client's.
// (Semantics A4, D1, F10.)
func checkHappy(t *testing.T, d *dialect) mark {
	bare := newRig(t, d, false, func(_ int, r *received) reply { return d.says(right)(r) })
	inBubble(t, func(t *testing.T) {
		_, err := bare.client.GenerateContent(t.Context(), question)
		require.NoError(t, err)
	})
	for _, transport := range []bool{true, false} {
		r := newRig(t, d, transport, func(_ int, r *received) reply { return d.says(right)(r) })
		inBubble(t, func(t *testing.T) {
			result, err := llmretry.Generate(t.Context(), r.wrap(t, correcting()), personParser, question)
			require.NoError(t, err)
			assert.Equal(t, person{"Ada", 36}, result.Value)
			usage, complete := result.Report.Usage()
			assert.Equal(t, d.counts, complete)
			if d.counts {
				assert.Equal(t, llmretry.Usage{Input: known(11), Output: known(7), Total: known(18)}, usage)
			}
			reason := llmretry.FinishUnknown
			if d.stops {
				reason = llmretry.FinishStop
			}
			assert.Equal(t, reason, result.Report.Attempts[0].FinishReason)
		})
		require.Len(t, r.received(), 1)
		assert.Equal(t, string(bare.received()[0].Raw), string(r.received()[0].Raw))
	}
	return passed
}

func known(n int) llmretry.Count { return llmretry.Count{N: n, Known: true} }

// checkSchedule: what arrives of temperatures 0, 0.3, 0.6 is in docs/providers.md; here, that every attempt sends what
// the bare client sends for the same temperature. (Semantics D2, D3.)
func checkSchedule(t *testing.T, d *dialect) mark {
	r := newRig(t, d, true, func(_ int, r *received) reply { return d.says(wrong)(r) })
	inBubble(t, func(t *testing.T) {
		for _, temperature := range []float64{0, 0.3, 0.6} {
			_, err := r.client.GenerateContent(t.Context(), question, llms.WithTemperature(temperature))
			require.NoError(t, err)
		}
		m := r.wrap(t, byParser, correcting(), llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.3, 0.6)...))
		_, err := m.GenerateContent(t.Context(), question, llms.WithTemperature(0))
		require.ErrorIs(t, err, llmretry.ErrStructuredOutputInvalid)
	})
	got := r.received()
	require.Len(t, got, 6)
	for i := range 3 {
		assert.Equal(t, d.temp(got[i]), d.temp(got[i+3]), "attempt %d", i)
	}
	return passed
}

// checkReask: the server answers rightly only if it sees the correction, and it is sent the caller's message, the
// output verbatim, and the builder's text. (Semantics E4, E14.)
func checkReask(t *testing.T, d *dialect) mark { return healed(t, d, 1) }

func checkTwice(t *testing.T, d *dialect) mark { return healed(t, d, 2) }

func healed(t *testing.T, d *dialect, reasks int) mark {
	for _, transport := range []bool{true, false} {
		r := newRig(t, d, transport, d.heals(reasks-1))
		inBubble(t, func(t *testing.T) {
			result, err := llmretry.Generate(t.Context(), r.wrap(t, correcting()), personParser, question)
			require.NoError(t, err)
			assert.Equal(t, person{"Ada", 36}, result.Value)
			for i, a := range result.Report.Attempts {
				assert.Equal(t, i > 0, a.Reason == llmretry.ReasonReask, "attempt %d", i)
			}
		})
		require.Len(t, r.received(), reasks+1)
		assert.Contains(t, r.said(reasks), wrong)
		for i := range reasks {
			assert.Contains(t, r.said(reasks), fmt.Sprintf("Correction %d: %s", i, mention))
		}
	}
	return passed
}

// checkInterleaved: a refused output, a 503, a right answer; the third request is the second one again. (Semantics E6.)
func checkInterleaved(t *testing.T, d *dialect) mark {
	for _, transport := range []bool{true, false} {
		r := newRig(t, d, transport, func(n int, r *received) reply {
			switch n {
			case 0:
				return d.says(wrong)(r)
			case 1:
				return d.fails(overloaded, "overloaded", "")
			}
			return d.says(right)(r)
		})
		inBubble(t, func(t *testing.T) {
			opts := []llmretry.Option{correcting()}
			if !d.tells(transport) {
				opts = append(opts, llmretry.WithClassifier(func(error, llmretry.State) bool { return true }))
			}
			result, err := llmretry.Generate(t.Context(), r.wrap(t, opts...), personParser, question)
			require.NoError(t, err)
			assert.Equal(t, llmretry.ReasonReask, result.Report.Attempts[1].Reason)
			assert.Equal(t, llmretry.ReasonTransient, result.Report.Attempts[2].Reason)
		})
		got := r.received()
		require.Len(t, got, 3)
		assert.Equal(t, string(got[1].Raw), string(got[2].Raw))
	}
	return passed
}

// tells reports whether a 503 can be told from other failures: docs/providers.md has the table.
func (d *dialect) tells(transport bool) bool {
	switch d.name {
	case "ollama", "llamafile", "cloudflare":
		return transport
	}
	return true
}
