package adapters_test

import (
	"bytes"
	"maps"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// checkRules holds a call against what is true of every call, whatever its case says.
func checkRules(r reporter, c *fixtureCall, p *played) {
	r.Helper()
	// G2: one attempt in the report per model call.
	if !assert.Len(r, p.attempts, len(p.requests), "attempts in the report, by requests") {
		return
	}
	checkUnmutated(r, p)
	checkRetries(r, c, p)
	for i := range p.attempts {
		checkConfig(r, c, p, i)
		checkTranscript(r, c, p, i)
	}
	if p.err == nil && p.report.Choice == 0 { // A4
		last := p.report.Attempts[len(p.report.Attempts)-1]
		assert.Same(r, last.Response, p.response, "the response is the model's own")
	}
}

// checkUnmutated: nothing of the caller's is written to, not even behind the end of a slice. (Semantics D7, E7.)
func checkUnmutated(r reporter, p *played) {
	r.Helper()
	assert.Equal(r, p.before.Messages, p.after.Messages, "the caller's messages")
	assert.Equal(r, p.before.Options, p.after.Options, "the caller's options and metadata")
	assert.Equal(r, p.before.Schedule, p.after.Schedule, "the schedule")
}

// checkRetries: budget, reasons, waits and builder calls. (Semantics A1, A5, C2, E3, H1.)
func checkRetries(r reporter, c *fixtureCall, p *played) {
	r.Helper()
	reasks, waited := 0, time.Duration(0)
	for i, a := range p.attempts {
		waited += a.Wait
		assert.Less(r, a.Index, c.Retry.attempts(), "index of attempt %d, by max_attempts", i)
		if a.Reason == llmretry.ReasonReask {
			reasks++
		}
		if a.Index == 0 {
			assert.Empty(r, a.Reason, "reason of attempt %d", i)
			continue
		}
		prior, want, wait := p.attempts[i-1], llmretry.ReasonTransient, c.Retry.wait()
		if prior.Category == llmretry.CategoryStructuredOutputInvalid && c.Retry != nil && c.Retry.Reask != nil {
			want, wait = llmretry.ReasonReask, time.Duration(0)
		}
		assert.Equal(r, want, a.Reason, "reason of attempt %d, by the failure before it", i)
		assert.Equal(r, wait, prior.Wait, "wait before attempt %d", i)
	}
	assert.Equal(r, waited, p.elapsed, "time the call took, by the waits in the report")
	assert.Len(r, p.corrections, reasks, "calls of the builder, by reasks")
}

// checkConfig: a request is the undecorated client's own, with the schedule's entry laid over it and nothing else;
// attempt 0 is byte for byte the same. (Semantics D1 to D4, A2.)
func checkConfig(r reporter, c *fixtureCall, p *played, i int) {
	r.Helper()
	a, got := p.attempts[i], p.requests[i]
	if a.Index == 0 {
		assert.Equal(r, string(p.reference.Raw), string(got.Raw), "request %d, by the undecorated client's", i)
	}
	want := maps.Clone(p.reference.Body)
	entry := c.Retry.entry(a.Index)
	for name, value := range entry.fields() {
		f := samplingFields[name]
		if text, isText := value.(string); isText && name == "stop" {
			value = []any{text}
		}
		switch {
		case f.wire == "":
		case f.omitsZero && isZero(value):
			delete(want, f.wire)
		default:
			want[f.wire] = value
		}
	}
	if extras := entry.extras(); extras != nil {
		metadata, _ := want["metadata"].(map[string]any)
		merged := maps.Clone(metadata)
		if merged == nil {
			merged = map[string]any{}
		}
		maps.Copy(merged, extras)
		want["metadata"] = merged
	}
	want["messages"] = got.Body["messages"] // checkTranscript's
	assert.True(r, sameJSON(want, got.Body), "request %d: want %s, got %s", i, show(want), show(got.Body))
}

// checkTranscript: a reask appends the output verbatim and the builder's text, a transient retry nothing; a prefill
// is continued. (Semantics E1, E4 to E6, E8, E12.)
func checkTranscript(r reporter, c *fixtureCall, p *played, i int) {
	r.Helper()
	a, got := p.attempts[i], p.requests[i].messages()
	switch a.Reason {
	case "":
		assert.True(r, sameJSON(p.reference.messages(), got), "messages of request %d: %s", i, show(got))
	case llmretry.ReasonTransient:
		before := p.requests[i-1]
		assert.True(r, sameJSON(before.messages(), got), "messages of request %d, by the one before: %s", i, show(got))
		if c.Retry == nil || len(c.Retry.PerAttemptOverride) == 0 { // A2
			assert.True(r, bytes.Equal(before.Raw, p.requests[i].Raw), "request %d is not byte-identical to the one before", i)
		}
	case llmretry.ReasonReask:
		reasks := 0
		for _, earlier := range p.attempts[:i] {
			if earlier.Reason == llmretry.ReasonReask {
				reasks++
			}
		}
		if reasks >= len(p.corrections) || i >= len(p.answers)+1 {
			return // checkRetries and checkCount said so
		}
		correction, output := p.corrections[reasks], answerText(p.answers[i-1])
		want := continued(p.requests[i-1].messages(), output, correction.text)
		assert.True(r, sameJSON(want, got), "messages of request %d: want %s, got %s", i, show(want), show(got))
		assert.Equal(r, output, correction.failure.OutputContent, "output_content for the builder")
		if text, ok := rendered(c.Retry.Reask.Template, correction.failure); ok {
			assert.Equal(r, text, correction.text, "the correction, by the template")
		}
	}
}

// continued is a transcript after a reask.
func continued(before []map[string]any, output, correction string) []map[string]any {
	list := append([]map[string]any(nil), before...)
	last := len(list) - 1
	prefill, prefilled := "", false
	if last >= 0 && list[last]["role"] == "assistant" {
		prefill, prefilled = list[last]["content"].(string)
	}
	if prefilled {
		list = list[:last]
	}
	list = append(list, map[string]any{"role": "assistant", "content": prefill + output})
	return append(list, map[string]any{"role": "user", "content": correction})
}

// answerText is the first choice's content in a response of the case.
func answerText(m mockResponse) string {
	var body struct {
		Choices []struct{ Message struct{ Content string } }
	}
	_ = remarshal(m.Body, &body) // a body of another form has no text
	if len(body.Choices) == 0 {
		return ""
	}
	return body.Choices[0].Message.Content
}

// rendered is the template with its placeholders replaced, for templates that escape nothing.
func rendered(template string, f llmretry.Failure) (string, bool) {
	if strings.Contains(template, "{{") || strings.Contains(template, "}}") || strings.Contains(template, "{issues}") {
		return "", false
	}
	return strings.NewReplacer("{output_content}", f.OutputContent, "{error_message}", f.ErrorMessage).Replace(template), true
}
