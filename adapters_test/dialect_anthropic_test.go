package adapters_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
)

// The messages format, at anthropic and on bedrock, and anthropic's legacy completions.

func messagesAnswer(_ *received, a answer) string {
	var blocks []object
	if a.thinking != "" {
		blocks = append(blocks, object{"type": "thinking", "thinking": a.thinking, "signature": "c2ln"})
	}
	if a.text != "" || a.call == nil {
		blocks = append(blocks, object{"type": "text", "text": a.text})
	}
	if a.call != nil {
		blocks = append(blocks, object{"type": "tool_use", "id": "toolu_1", "name": a.call.Name, "input": arguments(a.call)})
		a.stop = or(a.stop, "tool_use")
	}
	return jsonOf(object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": blocks,
		"stop_reason": or(a.stop, "end_turn"), "stop_sequence": nil,
		"usage": object{"input_tokens": a.in, "output_tokens": a.out},
	})
}

func messagesEvents(a answer) []string {
	event := func(name string, data object) string {
		data["type"] = name
		return "event: " + name + "\ndata: " + jsonOf(data) + "\n\n"
	}
	start := event("message_start", object{"message": object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []any{}, "stop_reason": nil,
		"usage": object{"input_tokens": a.in, "output_tokens": 1},
	}}) + event("content_block_start", object{"index": 0, "content_block": object{"type": "text", "text": ""}})
	var frames []string
	for _, part := range a.parts {
		frames = append(frames, start+event("content_block_delta", object{"index": 0, "delta": object{"type": "text_delta", "text": part}}))
		start = ""
	}
	return append(frames, event("content_block_stop", object{"index": 0})+
		event("message_delta", object{"delta": object{"stop_reason": or(a.stop, "end_turn"), "stop_sequence": nil}, "usage": object{"output_tokens": a.out}})+
		event("message_stop", object{}))
}

// messagesRequest puts the system text first, where the others have it.
func messagesRequest(r *received) []wireMessage {
	var out []wireMessage
	if system := textOf(r.Body["system"]); system != "" {
		out = append(out, wireMessage{"system", system})
	}
	return append(out, chatMessages(r)...)
}

func messagesError(status int, message string) any {
	kind := map[int]string{
		400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
		413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 504: "timeout_error", 529: "overloaded_error",
	}[status]
	return object{"type": "error", "error": object{"type": or(kind, "api_error"), "message": message}}
}

func anthropicDialect() *dialect {
	return &dialect{
		name: "anthropic", seam: ownClient, stops: true, counts: true,
		open: func(t testing.TB, address string, hc *http.Client) llms.Model {
			m, err := anthropic.New(anthropic.WithBaseURL(address+"/v1"), anthropic.WithToken(secret), anthropic.WithModel("claude-sonnet-4"), anthropic.WithHTTPClient(hc))
			require.NoError(t, err)
			return m
		},
		full: messagesAnswer, stream: messagesEvents, failure: failing(messagesError),
		messages: messagesRequest, temp: fieldAt("temperature"), empty: `{"type": "message", "content": []}`,
	}
}

func legacyDialect() *dialect {
	body := func(text, stop string) object {
		return object{"type": "completion", "completion": text, "stop_reason": stop, "model": "m", "log_id": "l"}
	}
	c := singleCells()
	for _, name := range []string{stream, early, late, resetting} {
		delete(c, name)
	}
	c[endless] = "the client takes the end of the connection for the end of the answer: a partial text is a success"
	c[nothing] = "the client takes an object without a completion for an empty one; only a parser or validator finds that out"
	return &dialect{
		name: "anthropic legacy", seam: ownClient, single: true,
		open: func(t testing.TB, address string, hc *http.Client) llms.Model {
			m, err := anthropic.New(anthropic.WithBaseURL(address+"/v1"), anthropic.WithToken(secret), anthropic.WithModel("claude-2.1"),
				anthropic.WithHTTPClient(hc), anthropic.WithLegacyTextCompletionsAPI())
			require.NoError(t, err)
			return m
		},
		full: func(_ *received, a answer) string { return jsonOf(body(a.text, "stop_sequence")) },
		stream: func(a answer) (frames []string) {
			for _, part := range a.parts {
				frames = append(frames, "event: completion\ndata: "+jsonOf(body(part, ""))+"\n\n")
			}
			return append(frames, "event: completion\ndata: "+jsonOf(body("", "stop_sequence"))+"\n\n")
		},
		failure: failing(messagesError), temp: fieldAt("temperature"), empty: `{}`,
		messages: func(r *received) []wireMessage {
			text, _ := r.Body["prompt"].(string)
			text = strings.TrimSuffix(strings.TrimPrefix(text, "\n\nHuman: "), "\n\nAssistant:")
			return []wireMessage{{"user", text}}
		},
		cells: c,
	}
}
