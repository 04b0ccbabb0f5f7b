package adapters_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stretchr/testify/assert"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// attemptSpan is what a case can say about one span. recordedSpans makes it of what the observer of otelretry recorded,
// spansOf of a report: what should have been recorded.
type attemptSpan struct {
	attributes map[string]any
	category   string // "" = the attempt succeeded
}

// The attributes of semantics H1 that a case may name.
const (
	attrIndex    = "openarmature.llm.attempt_index"
	attrReason   = "openarmature.llm.retry_reason"
	attrFinish   = "openarmature.llm.finish_reason"
	attrModel    = "openarmature.llm.model"
	attrCategory = "openarmature.error.category"
)

// genAIRequest maps attributes of the gen_ai conventions to options, by their JSON names.
var genAIRequest = map[string]string{
	"gen_ai.request.temperature":       "temperature",
	"gen_ai.request.max_tokens":        "max_tokens",
	"gen_ai.request.top_p":             "top_p",
	"gen_ai.request.top_k":             "top_k",
	"gen_ai.request.seed":              "seed",
	"gen_ai.request.stop_sequences":    "stop_words",
	"gen_ai.request.frequency_penalty": "frequency_penalty",
	"gen_ai.request.presence_penalty":  "presence_penalty",
}

var otherAttributes = []string{
	attrIndex, attrReason, attrFinish, attrModel, attrCategory,
	"error.type", "gen_ai.operation.name",
	"gen_ai.request.model", "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "gen_ai.response.finish_reasons",
}

// responseIdentity are attributes that tell which response it was; see response_identity in docs/conformance.md.
var responseIdentity = []string{"gen_ai.response.id", "gen_ai.response.model", "openarmature.llm.response_id"}

func knownAttribute(name string) bool {
	_, ok := genAIRequest[name]
	return ok || slices.Contains(otherAttributes, name) || slices.Contains(responseIdentity, name)
}

// spansOf makes spans of a report's attempts.
func spansOf(attempts []llmretry.Attempt) []attemptSpan {
	list := make([]attemptSpan, len(attempts))
	for i, a := range attempts {
		m := map[string]any{attrIndex: a.Index}
		set := func(name, value string) {
			if value != "" {
				m[name] = value
			}
		}
		set(attrReason, string(a.Reason))
		set(attrModel, a.Model)
		set("gen_ai.request.model", a.Model)
		set(attrCategory, string(a.Category))
		if a.FinishReason != "" && a.FinishReason != llmretry.FinishUnknown {
			set(attrFinish, string(a.FinishReason))
			m["gen_ai.response.finish_reasons"] = []string{string(a.FinishReason)}
		}
		sent := a.Sent()
		for name, field := range genAIRequest {
			if v, ok := sent[field]; ok {
				m[name] = v
			}
		}
		for name, count := range map[string]llmretry.Count{
			"gen_ai.usage.input_tokens": a.Usage.Input, "gen_ai.usage.output_tokens": a.Usage.Output,
		} {
			if count.Known {
				m[name] = count.N
			}
		}
		list[i] = attemptSpan{m, string(a.Category)}
	}
	return list
}

// checkSpans compares spans, in order, with what the case says about them. (Semantics H1.)
func checkSpans(r reporter, want []llmSpan, got []attemptSpan) {
	r.Helper()
	for i, w := range want {
		if i >= len(got) {
			return // checkCount said so
		}
		at, g := fmt.Sprintf("llm_spans[%d]", i), got[i]
		if w.AttemptIndex != nil {
			assert.Equal(r, *w.AttemptIndex, g.attributes[attrIndex], "%s.attempt_index", at)
		}
		for name, v := range w.Attributes {
			if slices.Contains(responseIdentity, name) {
				continue // response_identity, logged as a deviation
			}
			assert.True(r, sameJSON(v, g.attributes[name]), "%s.attributes[%s]: want %s, got %s", at, name, show(v), show(g.attributes[name]))
		}
		for _, name := range w.AttributesAbsent {
			assert.NotContains(r, g.attributes, name, "%s.attributes_absent", at)
			if !knownAttribute(name) && !strings.HasPrefix(name, "gen_ai.") {
				r.Logf("%s.attributes_absent: %s is no attribute of this module, so it is absent", at, name)
			}
		}
		if isSet(w.ErrorCategory) {
			category, _ := valueOf(w.ErrorCategory).(string)
			assert.Equal(r, category, g.category, "%s.error_category", at)
		}
	}
}
