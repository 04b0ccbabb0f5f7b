package adapters_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/ollama"
)

// wireForm is another provider's wire, translated: its requests are read as openai's would be, and the case's
// responses, which are in openai's format, are written in its own. So every check of the runner holds for it too.
type wireForm struct {
	name    string
	open    func(t testing.TB, url, model string, transport bool) llms.Model
	request func(body map[string]any) map[string]any
	success func(model, text, finish string, input, output int) any
	failure func(status int, message string) any
	unsent  []string // fields of a configuration that its client does not send
	finish  bool     // it tells why an answer ended
	blind   bool     // without a Transport it cannot tell one failure from another
}

// answer writes a response of the case. What is no JSON is sent as it is.
func (w *wireForm) answer(m mockResponse) mockResponse {
	var body struct {
		Model   string
		Choices []struct {
			Message      struct{ Content string }
			FinishReason string `json:"finish_reason"`
		}
		Usage struct {
			Input  int `json:"prompt_tokens"`
			Output int `json:"completion_tokens"`
		}
		Error struct{ Message string }
	}
	if _, isText := m.Body.(string); isText || remarshal(m.Body, &body) != nil {
		return m
	}
	if m.Status != http.StatusOK {
		return mockResponse{Status: m.Status, Body: w.failure(m.Status, body.Error.Message)}
	}
	text, finish := "", ""
	if len(body.Choices) > 0 {
		text, finish = body.Choices[0].Message.Content, body.Choices[0].FinishReason
	}
	return mockResponse{Status: m.Status, Body: w.success(body.Model, text, finish, body.Usage.Input, body.Usage.Output)}
}

// translated is a request in openai's names: those of fields that are there, with the messages in its form.
func translated(from map[string]any, messages []wireMessage, names map[string]string) map[string]any {
	to := map[string]any{}
	for name, wire := range names {
		if v, ok := from[name]; ok {
			to[wire] = v
		}
	}
	list := make([]any, len(messages))
	for i, m := range messages {
		list[i] = map[string]any{"role": m.role, "content": m.text}
	}
	to["messages"] = list
	return to
}

var anthropicForm = &wireForm{
	name: "anthropic", finish: true,
	unsent: []string{"seed", "frequency_penalty", "presence_penalty", "n"},
	open: func(t testing.TB, url, model string, transport bool) llms.Model {
		m, err := anthropic.New(anthropic.WithBaseURL(url), anthropic.WithToken("token"), anthropic.WithModel(model), anthropic.WithHTTPClient(clientFor(t, url, transport)))
		require.NoError(t, err)
		return m
	},
	request: func(body map[string]any) map[string]any {
		to := translated(body, messagesRequest(&received{Body: body}), map[string]string{
			"model": "model", "temperature": "temperature", "max_tokens": "max_completion_tokens", "stop_sequences": "stop",
		})
		if sameJSON(to["max_completion_tokens"], 2048) { // what the client sends when nothing is set
			delete(to, "max_completion_tokens")
		}
		return to
	},
	success: func(model, text, finish string, input, output int) any {
		reasons := map[string]any{"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal", "tool_calls": "tool_use"}
		return object{
			"id": "msg_1", "type": "message", "role": "assistant", "model": model, "stop_reason": reasons[finish],
			"content": []object{{"type": "text", "text": text}}, "usage": object{"input_tokens": input, "output_tokens": output},
		}
	},
	failure: messagesError,
}

var ollamaForm = &wireForm{
	name: "ollama", blind: true,
	unsent: []string{"n"},
	open: func(t testing.TB, url, model string, transport bool) llms.Model {
		m, err := ollama.New(ollama.WithServerURL(url), ollama.WithModel(model), ollama.WithHTTPClient(clientFor(t, url, transport)))
		require.NoError(t, err)
		return m
	},
	request: func(body map[string]any) map[string]any {
		options, _ := body["options"].(map[string]any)
		to := translated(options, chatMessages(&received{Body: body}), map[string]string{
			"temperature": "temperature", "num_predict": "max_completion_tokens", "stop": "stop", "seed": "seed",
			"frequency_penalty": "frequency_penalty", "presence_penalty": "presence_penalty",
		})
		to["model"] = body["model"]
		return to
	},
	success: func(model, text, _ string, input, output int) any {
		return object{
			"model": model, "message": object{"role": "assistant", "content": text}, "done": true, "done_reason": "stop",
			"prompt_eval_count": input, "eval_count": output,
		}
	},
	failure: func(_ int, message string) any { return object{"error": message} },
}

// fits reports whether the form can carry the case at all: neither client can carry its tool calls.
func (w *wireForm) fits(f *fixture) bool {
	return !slices.ContainsFunc(f.calls(), func(c *fixtureCall) bool {
		return len(c.Tools) > 0 || slices.ContainsFunc(c.Messages, func(m fixtureMessage) bool { return m.Role == "tool" || m.ToolCalls != nil })
	})
}

// reduce takes out of a call what the form does not carry, from what is asked for and from what is expected.
func (w *wireForm) reduce(c *fixtureCall) {
	drop := func(m map[string]any) {
		for name := range m {
			if slices.Contains(w.unsent, canonical(name)) || slices.Contains(extras, name) {
				delete(m, name)
			}
		}
	}
	drop(c.Config)
	if c.Retry != nil {
		for _, entry := range c.Retry.PerAttemptOverride {
			drop(entry)
		}
	}
	for i := range c.Expected.WireRequests {
		drop(c.Expected.WireRequests[i].Sampling)
	}
	for i := range c.Expected.LLMSpans {
		for name, field := range genAIRequest {
			if slices.Contains(w.unsent, field) {
				delete(c.Expected.LLMSpans[i].Attributes, name)
			}
		}
	}
	if w.finish {
		return
	}
	if e := c.Expected.Response; e != nil {
		e.FinishReason.Kind = 0
	}
	if e := c.Expected.Raises; e != nil && e.Carries != nil {
		e.Carries.FinishReason.Kind = 0
	}
	for i := range c.Expected.LLMSpans {
		delete(c.Expected.LLMSpans[i].Attributes, attrFinish)
		delete(c.Expected.LLMSpans[i].Attributes, "gen_ai.response.finish_reasons")
	}
}
