package adapters_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"go.opentelemetry.io/otel/codes"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// TestConformanceTampering alters what a call did instead: a decorator that did it would be found out.
func TestConformanceTampering(t *testing.T) {
	t.Parallel()
	for name, tamper := range map[string]func(p *played){
		"a message of the caller's is written to": func(p *played) {
			p.after.Messages = slices.Clone(p.after.Messages)
			p.after.Messages[0] = llms.TextParts(llms.ChatMessageTypeHuman, "other words")
		},
		"something is written behind the messages": func(p *played) {
			p.after.Messages = slices.Clone(p.after.Messages)
			p.after.Messages[len(p.after.Messages)-1] = llms.MessageContent{}
		},
		"the options are written to":     func(p *played) { p.after.Options.Temperature++ },
		"the schedule is written to":     func(p *played) { p.after.Schedule = p.after.Schedule[1:] },
		"an attempt is missing":          func(p *played) { p.attempts = p.attempts[:2] },
		"a reason is another":            func(p *played) { p.attempts[1].Reason = llmretry.ReasonTransient },
		"a wait that is none of ours":    func(p *played) { p.attempts[0].Wait = 1 },
		"time passed that is unreported": func(p *played) { p.elapsed++ },
		"the builder is asked too often": func(p *played) { p.corrections = append(p.corrections, p.corrections[0]) },
		"the correction is edited":       func(p *played) { p.corrections[0].text += " Please." },
		"attempt 0 is not the caller's":  func(p *played) { p.requests[0].Raw = append(slices.Clone(p.requests[0].Raw), ' ') },
		"a field is slipped in": func(p *played) {
			p.requests[1].Body = maps.Clone(p.requests[1].Body)
			p.requests[1].Body["response_format"] = map[string]any{"type": "json_object"}
		},
		"a field gets lost": func(p *played) {
			p.requests[2].Body = maps.Clone(p.requests[2].Body)
			delete(p.requests[2].Body, "temperature")
		},
		"the transcript is rewritten": func(p *played) {
			messages := slices.Clone(p.requests[2].Body["messages"].([]any))
			messages[1] = map[string]any{"role": "assistant", "content": "trimmed"}
			p.requests[2].Body = maps.Clone(p.requests[2].Body)
			p.requests[2].Body["messages"] = messages
		},
		"a span is missing":           func(p *played) { p.spans = p.spans[:2] },
		"a span is under another":     func(p *played) { p.spans[1].underCaller = false },
		"a span has another name":     func(p *played) { p.spans[1].name = "chat" },
		"a failed span has no status": func(p *played) { p.spans[0].status = codes.Unset },
		"a success has an error":      func(p *played) { p.spans[2].status = codes.Error },
		"a failure has no exception":  func(p *played) { p.spans[0].exceptions = nil },
		"an exception quotes":         func(p *played) { p.spans[0].exceptions[0]["exception.message"] = "bad: " + p.attempts[0].Output },
		"an attribute gets lost":      func(p *played) { delete(p.spans[1].attributes, "gen_ai.request.temperature") },
		"an attribute is made up":     func(p *played) { p.spans[0].attributes["openarmature.llm.retry_reason"] = "" },
		"an attribute nobody knows":   func(p *played) { p.spans[0].attributes["llm.prompt"] = "hello" },
		"the response is a copy":      func(p *played) { p.response = &llms.ContentResponse{Choices: p.response.Choices} },
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			f, err := loadFixture(filepath.Join(casesDir, "065-call-level-reask-compose-override.yaml"))
			require.NoError(t, err)
			c := f.calls()[0]
			c.Expected.WireRequests = nil // what holds for every call must be enough
			p := play(t, f, c, newRecordingServer(t, f.MockProvider.Responses...), variant{name: "with-transport", transport: true, typed: true})
			var clean, r recorder
			check(&clean, c, p)
			require.Empty(t, clean.errors)
			tamper(p)
			check(&r, c, p)
			assert.NotEmpty(t, r.errors)
		})
	}
}

// TestConformanceInvariants: every invariant that is checked by name is claimed by a case of ours, and fails somewhere:
// for a case it does not fit, or for one that was tampered with.
func TestConformanceInvariants(t *testing.T) {
	t.Parallel()
	claimed, broken := map[string]bool{}, map[string]bool{}
	for _, f := range ownFixtures(t) {
		server := newRecordingServer(t, f.MockProvider.Responses...)
		for _, c := range f.calls() {
			for _, claim := range claims(c.Expected.Invariants) {
				claimed[claim.name] = true
			}
			p := play(t, f, c, server, variant{name: "with-transport", transport: true, typed: true})
			q := *p
			q.attempts, q.spans = p.attempts[:len(p.attempts)-1], p.spans[:len(p.spans)-1]
			q.after = state{}
			q.requests = slices.Clone(p.requests)
			q.requests[0].Raw = nil
			q.requests[min(1, len(q.requests)-1)].Body = nil
			for name, holds := range invariants {
				var r, tampered recorder
				holds(&r, c, p)
				if c.Retry != nil {
					holds(&tampered, c, &q)
				}
				broken[name] = broken[name] || len(r.errors)+len(tampered.errors) > 0
			}
		}
	}
	for name := range invariants {
		assert.True(t, claimed[name], "no case claims %s", name)
		assert.True(t, broken[name], "nothing breaks %s", name)
	}
}
