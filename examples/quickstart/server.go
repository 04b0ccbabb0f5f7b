package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
)

// server is an OpenAI-compatible server with one small model. It listens on loopback and remembers what it was asked.
// It is safe for concurrent use.
type server struct {
	URL string

	http *http.Server
	done chan struct{} // closed when it no longer serves
	busy int           // the request that is answered with 503, from 0

	mu        sync.Mutex
	exchanges []exchange
}

// exchange is one request as it came over the wire, and the status it got.
type exchange struct {
	Temperature float64   `json:"temperature"`
	Messages    []message `json:"messages"`

	Status int    `json:"-"`
	Answer string `json:"-"` // "" when the server was busy
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// busyOnce lets the server be busy at the second request, neverBusy never.
const (
	busyOnce  = 1
	neverBusy = -1
)

func startServer(busy int) (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{URL: "http://" + l.Addr().String(), done: make(chan struct{}), busy: busy}
	s.http = &http.Server{Handler: s}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(l) // ends with ErrServerClosed
	}()
	return s, nil
}

// Close stops the server and waits until it has stopped.
func (s *server) Close() {
	_ = s.http.Close()
	<-s.done
}

// Exchanges returns what the server was asked so far.
func (s *server) Exchanges() []exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]exchange(nil), s.exchanges...)
}

// ServeHTTP answers POST /chat/completions.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var e exchange
	if r.Method != http.MethodPost || r.URL.Path != "/chat/completions" || json.NewDecoder(r.Body).Decode(&e) != nil {
		http.Error(w, `{"error":{"message":"not a chat completion"}}`, http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	busy := len(s.exchanges) == s.busy
	e.Status = http.StatusServiceUnavailable
	if !busy {
		e.Status, e.Answer = http.StatusOK, infer(e.Temperature, e.Messages)
	}
	s.exchanges = append(s.exchanges, e)
	s.mu.Unlock()

	w.Header().Set("Content-Type", "application/json")
	if busy {
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(e.Status)
		_, _ = w.Write([]byte(`{"error":{"message":"the server is busy"}}`))
		return
	}
	_ = json.NewEncoder(w).Encode(completion(e))
}

// infer is the model. Like a small quantized one it makes the same mistakes at low temperature however often it is
// asked: a priority that is no option, an amount as text. It mends a field that a correction names, and it happens
// upon the right answer when it is hot enough.
func infer(temperature float64, messages []message) string {
	hot := temperature >= 0.6
	priority, refund := `"urgent"`, `"49.99"`
	if hot || corrected(messages, "/priority") {
		priority = `"high"`
	}
	if hot || corrected(messages, "/refund_cents") {
		refund = `4999`
	}
	const form = "```json\n{\"customer\": \"Ada Lovelace\", \"order\": 4711, \"priority\": %s, \"refund_cents\": %s}\n```"
	return fmt.Sprintf(form, priority, refund)
}

// corrected reports whether the user, after an answer, speaks of the field.
func corrected(messages []message, field string) bool {
	answered := false
	for _, m := range messages {
		if answered && m.Role == "user" && strings.Contains(m.Content, field) {
			return true
		}
		answered = answered || m.Role == "assistant"
	}
	return false
}

// completion is the response body. A token is a word here.
func completion(e exchange) map[string]any {
	prompt, output := 0, len(strings.Fields(e.Answer))
	for _, m := range e.Messages {
		prompt += len(strings.Fields(m.Content))
	}
	return map[string]any{
		"object": "chat.completion",
		"choices": []any{map[string]any{
			"index":         0,
			"message":       message{"assistant", e.Answer},
			"finish_reason": "stop",
		}},
		"usage": map[string]int{"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output},
	}
}
