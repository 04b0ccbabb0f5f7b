package adapters_test

import (
	"errors"
	"maps"
	"slices"

	"github.com/stretchr/testify/assert"
	"go.yaml.in/yaml/v3"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

type invariantCheck func(r reporter, c *fixtureCall, p *played)

// invariants are the names that are checked by code. checkRules already holds most of them for every call; here a
// claim is held to its own terms, so that one which does not fit its case is found out.
var invariants = map[string]invariantCheck{
	"caller_messages_unmutated": func(r reporter, _ *fixtureCall, p *played) {
		assert.Equal(r, p.before.Messages, p.after.Messages)
	},
	"caller_config_unmutated": func(r reporter, _ *fixtureCall, p *played) {
		assert.Equal(r, p.before.Options, p.after.Options)
		assert.Equal(r, p.before.Schedule, p.after.Schedule)
	},
	"base_attempt_uses_caller_config":              baseAttempt,
	"n_attempts_emit_n_llm_spans":                  spansPerAttempt,
	"per_attempt_override_applies_to_retries_only": overrideOnRetriesOnly,
	"override_and_reask_compose_on_reask_retries":  compose,
	"reask_transcript_accumulates_across_retries":  accumulates,
	"reask_exhausts_max_attempts_budget":           reaskExhausts,
	"final_structured_output_invalid_propagates":   finalPropagates,
	"transient_retry_appends_nothing":              transientAppendsNothing,
	"transient_retry_is_byte_identical":            byteIdentical,
	"reask_never_invoked_without_builder":          neverReasked,
	"prefill_is_continued":                         prefillContinued,
}

// checkInvariants checks the claims it knows and shows the others; a name is never a failure.
func checkInvariants(r reporter, c *fixtureCall, p *played) {
	r.Helper()
	for _, claim := range claims(c.Expected.Invariants) {
		holds := invariants[claim.name]
		switch {
		case holds == nil:
			r.Logf("invariant not checked by name: %s: %v", claim.name, claim.value)
		case claim.value == false:
			r.Logf("invariant not claimed: %s", claim.name)
		default:
			holds(named{r, claim.name}, c, p)
		}
	}
}

type claim struct {
	name  string
	value any
}

// claims reads a map of flags, or a list of names.
func claims(n yaml.Node) (list []claim) {
	switch v := valueOf(n).(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			list = append(list, claim{name, v[name]})
		}
	case []any:
		for _, name := range v {
			text, ok := name.(string)
			if !ok {
				text = show(name)
			}
			list = append(list, claim{text, true})
		}
	}
	return list
}

// named puts the invariant's name before what is wrong.
type named struct {
	reporter
	name string
}

func (n named) Errorf(format string, args ...any) {
	n.Helper()
	n.reporter.Errorf("invariant "+n.name+": "+format, args...)
}

func baseAttempt(r reporter, _ *fixtureCall, p *played) {
	if assert.NotEmpty(r, p.requests) {
		assert.Equal(r, string(p.reference.Raw), string(p.requests[0].Raw))
	}
}

func spansPerAttempt(r reporter, c *fixtureCall, p *played) {
	assert.Len(r, p.spans, len(p.requests))
	for i, s := range p.attemptSpans() {
		if c.RetryMiddleware == nil {
			assert.Equal(r, i, s.attributes[attrIndex])
		}
	}
}

func overrideOnRetriesOnly(r reporter, c *fixtureCall, p *played) {
	baseAttempt(r, c, p)
	if assert.True(r, c.Retry != nil && len(c.Retry.PerAttemptOverride) > 0, "the case has no schedule") {
		assert.Greater(r, len(p.requests), 1, "the case has no retry")
	}
}

func compose(r reporter, c *fixtureCall, p *played) {
	reasked := false
	for i, a := range p.attempts {
		if a.Reason != llmretry.ReasonReask {
			continue
		}
		reasked = true
		for name, v := range c.Retry.entry(a.Index) {
			if v != nil {
				checkSampling(r, "sampling."+name, name, v, p, i)
			}
		}
		assert.Greater(r, len(p.requests[i].messages()), len(p.requests[i-1].messages()))
	}
	assert.True(r, reasked && len(c.Retry.PerAttemptOverride) > 0, "the case has no reask under a schedule")
}

// accumulates is semantics E5: an append-only prefix.
func accumulates(r reporter, _ *fixtureCall, p *played) {
	for i := 1; i < len(p.requests); i++ {
		before, now := p.requests[i-1].messages(), p.requests[i].messages()
		if assert.GreaterOrEqual(r, len(now), len(before)) {
			assert.True(r, sameJSON(before, now[:len(before)]), "request %d rewrites what request %d sent", i, i-1)
		}
	}
}

func reaskExhausts(r reporter, c *fixtureCall, p *played) {
	assert.Len(r, p.requests, c.Retry.attempts())
	assert.Len(r, p.corrections, c.Retry.attempts()-1)
	assert.ErrorIs(r, p.err, llmretry.ErrMaxAttempts)
	assert.Equal(r, llmretry.CategoryStructuredOutputInvalid, llmretry.Category(p.err))
}

// finalPropagates is semantics A5: the error is the final attempt's, with that attempt's own surface.
func finalPropagates(r reporter, _ *fixtureCall, p *played) {
	var surface *llmretry.StructuredOutputError
	if !errors.As(p.err, &surface) || len(p.requests) == 0 {
		r.Errorf("%v carries no failure surface", p.err)
		return
	}
	assert.ErrorIs(r, p.err, llmretry.ErrStructuredOutputInvalid)
	assert.Equal(r, len(p.requests)-1, surface.Attempt)
	assert.Equal(r, answerText(p.answers[len(p.requests)-1]), surface.OutputContent)
}

func transientAppendsNothing(r reporter, _ *fixtureCall, p *played) {
	for i, a := range p.attempts {
		if a.Reason == llmretry.ReasonTransient {
			assert.True(r, sameJSON(p.requests[i-1].messages(), p.requests[i].messages()))
		}
	}
}

func byteIdentical(r reporter, _ *fixtureCall, p *played) {
	for i, a := range p.attempts {
		if a.Reason == llmretry.ReasonTransient {
			assert.Equal(r, string(p.requests[i-1].Raw), string(p.requests[i].Raw))
		}
	}
}

func neverReasked(r reporter, c *fixtureCall, p *played) {
	assert.True(r, c.Retry == nil || c.Retry.Reask == nil, "the case has a builder")
	assert.Empty(r, p.corrections)
	for _, a := range p.attempts {
		assert.NotEqual(r, llmretry.ReasonReask, a.Reason)
	}
}

// prefillContinued is semantics E8.
func prefillContinued(r reporter, _ *fixtureCall, p *played) {
	own := p.reference.messages()
	last := len(own) - 1
	if !assert.Equal(r, "assistant", own[last]["role"]) || !assert.Greater(r, len(p.requests), 1) {
		return
	}
	prefill, _ := own[last]["content"].(string)
	if messages := p.requests[1].messages(); assert.Len(r, messages, len(own)+1) {
		assert.Equal(r, prefill+answerText(p.answers[0]), messages[last]["content"])
	}
}
