package adapters_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/stretchr/testify/assert"
)

// checkCount holds the number of requests against what the case says or implies: its provider_call_count, and one
// request per entry of wire_requests and llm_spans. A call without a retry record makes one.
func checkCount(r reporter, c *fixtureCall, p *played) {
	r.Helper()
	got, e := len(p.requests), c.Expected
	if e.ProviderCallCount != nil {
		assert.Equal(r, *e.ProviderCallCount, got, "provider_call_count")
	}
	if e.WireRequests != nil {
		assert.Equal(r, len(e.WireRequests), got, "number of requests, by wire_requests")
	}
	if e.LLMSpans != nil {
		assert.Equal(r, len(e.LLMSpans), got, "number of requests, by llm_spans")
	}
	if c.Retry == nil && c.RetryMiddleware == nil {
		assert.Equal(r, 1, got, "number of requests of a call without retry")
	}
	if got > len(p.answers) {
		r.Errorf("%d requests, but the case has only %d responses left", got, len(p.answers))
	}
}

// checkWire holds each request against its entry of wire_requests.
func checkWire(r reporter, c *fixtureCall, p *played) {
	r.Helper()
	for i, want := range c.Expected.WireRequests {
		if i >= len(p.requests) || i >= len(p.attempts) {
			return // checkCount said so
		}
		at := fmt.Sprintf("wire_requests[%d]", i)
		for name, value := range want.Sampling {
			checkSampling(r, at+".sampling."+name, name, value, p, i)
		}
		messages := p.requests[i].messages()
		if want.Messages != nil {
			checkMessages(r, at+".messages", want.Messages, messages)
		}
		if want.AppendedMessages == nil {
			continue
		}
		own := p.reference.messages()
		if len(messages) < len(own) || !sameJSON(own, messages[:len(own)]) {
			r.Errorf("%s: the caller's messages do not lead: want %s, got %s", at, show(own), show(messages))
			continue
		}
		checkMessages(r, at+".appended_messages", want.AppendedMessages, messages[len(own):])
	}
}

// checkSampling finds a field where this client puts it; what it never sends is looked up in the attempt's options.
// The deviations are those of docs/conformance.md.
func checkSampling(r reporter, at, name string, want any, p *played, i int) {
	r.Helper()
	body, sent := p.requests[i].Body, p.attempts[i].Sent()
	f, declared := samplingFields[canonical(name)]
	if !declared { // body_root_extras
		metadata, _ := body["metadata"].(map[string]any)
		assert.True(r, sameJSON(want, metadata[name]), "%s: want %s, got metadata %s", at, show(want), show(metadata))
		return
	}
	if list, isText := want.(string); isText && canonical(name) == "stop" {
		want = []any{list}
	}
	onWire, isThere := body[f.wire]
	switch {
	case name == "model":
		assert.Equal(r, want, onWire, at)
	case want == nil: // left to the provider
		assert.NotContains(r, sent, f.sent, at)
		if f.wire == "temperature" { // unset_temperature
			assert.True(r, sameJSON(0, onWire), "%s: want the client's own 0, got %s", at, show(onWire))
		} else {
			assert.False(r, isThere, "%s: want it absent, got %s", at, show(onWire))
		}
	case f.wire == "" || f.omitsZero && isZero(want): // unsent_fields, explicit_zero
		assert.True(r, sameJSON(want, sent[f.sent]), "%s: want %s among the options, got %s", at, show(want), show(sent[f.sent]))
		assert.False(r, isThere, "%s: the client sends it after all: %s", at, show(onWire))
	default:
		assert.True(r, isThere && sameJSON(want, onWire), "%s: want %s, got %s", at, show(want), show(onWire))
	}
}

func isZero(v any) bool {
	list, isList := v.([]any)
	return sameJSON(v, 0) || isList && len(list) == 0
}

// checkMessages compares a list of messages: role and content, exactly or by what the content contains, and no field
// beyond those the case gives.
func checkMessages(r reporter, at string, want []fixtureMessage, got []map[string]any) {
	r.Helper()
	if !assert.Len(r, got, len(want), "%s: got %s", at, show(got)) {
		return
	}
	for i := range want {
		at, m, g := fmt.Sprintf("%s[%d]", at, i), want[i], got[i]
		assert.Equal(r, m.Role, g["role"], "%s.role", at)
		content, isText := g["content"].(string)
		assert.True(r, isText, "%s.content is %s", at, show(g["content"]))
		if text, _ := m.content(); text != nil {
			assert.Equal(r, *text, content, "%s.content", at)
		}
		for _, part := range m.ContentContains {
			assert.Contains(r, content, part, "%s.content_contains", at)
		}
		fields := []string{"content", "role"}
		if m.ToolCalls != nil {
			fields = append(fields, "tool_calls")
			checkWireCalls(r, at, m.ToolCalls, g["tool_calls"])
		}
		if m.ToolCallID != "" {
			fields = append(fields, "tool_call_id")
			assert.Equal(r, m.ToolCallID, g["tool_call_id"], "%s.tool_call_id", at)
		}
		for name := range g {
			assert.True(r, slices.Contains(fields, name), "%s has a field %s the case does not know", at, name)
		}
	}
}

func checkWireCalls(r reporter, at string, want []fixtureToolCall, got any) {
	r.Helper()
	calls, _ := got.([]any)
	if !assert.Len(r, calls, len(want), "%s.tool_calls", at) {
		return
	}
	for i := range want {
		call, _ := calls[i].(map[string]any)
		function, _ := call["function"].(map[string]any)
		arguments, _ := function["arguments"].(string)
		assert.Equal(r, want[i].ID, call["id"], "%s.tool_calls[%d].id", at, i)
		assert.Equal(r, want[i].Name, function["name"], "%s.tool_calls[%d].name", at, i)
		got, err := plain(json.RawMessage(arguments))
		assert.True(r, err == nil && sameJSON(want[i].Arguments, got), "%s.tool_calls[%d].arguments: %s", at, i, strings.TrimSpace(arguments))
	}
}
