package loopback

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// wireRequest is a request in either format.
type wireRequest struct {
	Model       string
	Temperature float64
	Options     struct{ Temperature float64 } // Ollama's
	Stream      bool
	Messages    []struct {
		Role      string
		Content   json.RawMessage
		ToolCalls []json.RawMessage `json:"tool_calls"`
	}
	Tools []struct{ Function struct{ Name string } }
}

func read(r *http.Request) (Request, error) {
	var w wireRequest
	if err := json.NewDecoder(r.Body).Decode(&w); err != nil {
		return Request{}, err
	}
	out := Request{Model: w.Model, Temperature: w.Temperature + w.Options.Temperature, Stream: w.Stream}
	for _, m := range w.Messages {
		out.Messages = append(out.Messages, Message{m.Role, text(m.Content), len(m.ToolCalls)})
	}
	for _, t := range w.Tools {
		out.Tools = append(out.Tools, t.Function.Name)
	}
	return out, nil
}

// text reads a content, which is a text, a list of parts, or null.
func text(content json.RawMessage) string {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return s
	}
	var parts []struct{ Text string }
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	for _, p := range parts {
		s += p.Text
	}
	return s
}

type object = map[string]any

// begin reads a request and gets the answer; without one it has said so.
func (s *Server) begin(w http.ResponseWriter, r *http.Request) (Request, Answer, bool) {
	request, err := read(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return request, Answer{}, false
	}
	a := s.answer(request)
	if a.Status != 0 && a.Status != http.StatusOK {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(a.Status)
		write(w, object{"error": object{"message": http.StatusText(a.Status)}})
		return request, a, false
	}
	return request, a, true
}

func write(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }

// completions answers as OpenAI does.
func (s *Server) completions(w http.ResponseWriter, r *http.Request) {
	request, a, ok := s.begin(w, r)
	if !ok {
		return
	}
	if request.Stream {
		s.streamed(w, a)
		return
	}
	message, finish := object{"role": "assistant", "content": a.Text}, "stop"
	if a.Calls != nil {
		var calls []object
		for i, c := range a.Calls {
			calls = append(calls, object{
				"id": fmt.Sprint("call_", i), "type": "function", "function": object{"name": c.Name, "arguments": c.Arguments},
			})
		}
		message["tool_calls"], finish = calls, "tool_calls"
	}
	w.Header().Set("Content-Type", "application/json")
	write(w, object{
		"object":  "chat.completion",
		"choices": []object{{"index": 0, "message": message, "finish_reason": finish}},
		"usage":   usage(request, a),
	})
}

// streamed sends a text word by word.
func (s *Server) streamed(w http.ResponseWriter, a Answer) {
	w.Header().Set("Content-Type", "text/event-stream")
	frame := func(delta object, finish any) {
		data, _ := json.Marshal(object{"object": "chat.completion.chunk", "choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}}})
		fmt.Fprintf(w, "data: %s\n\n", data)
		_ = http.NewResponseController(w).Flush()
	}
	for _, word := range strings.SplitAfter(a.Text, " ") {
		frame(object{"role": "assistant", "content": word}, nil)
	}
	frame(object{}, "stop")
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// chat answers as Ollama does.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	request, a, ok := s.begin(w, r)
	if !ok {
		return
	}
	counts := usage(request, a)
	write(w, object{
		"message": object{"role": "assistant", "content": a.Text}, "done": true,
		"prompt_eval_count": counts["prompt_tokens"], "eval_count": counts["completion_tokens"],
	})
}

// usage counts words for tokens.
func usage(r Request, a Answer) map[string]int {
	prompt, completion := 0, len(strings.Fields(a.Text))
	for _, m := range r.Messages {
		prompt += len(strings.Fields(m.Content))
	}
	for _, c := range a.Calls {
		completion += len(strings.Fields(c.Arguments)) + 1
	}
	return map[string]int{"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
}
