// Package loopback plays a chat model on 127.0.0.1, so that the examples can use langchaingo's real clients without a
// key and without a network. It speaks OpenAI's chat completions, streamed or not, and Ollama's chat.
package loopback

import (
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Model says what is answered to a request. It is called by one request at a time.
type Model func(Request) Answer

// Request is what came over the wire.
type Request struct {
	Model       string
	Temperature float64
	Messages    []Message
	Stream      bool
	Tools       []string // the names of those declared
}

// Message is one of a request. ToolCalls counts the calls it replays.
type Message struct {
	Role      string
	Content   string
	ToolCalls int
}

// Answer is what the model says: a text, or calls of tools, or a status other than 200.
type Answer struct {
	Text   string
	Calls  []Call
	Status int
}

// Call is a call of a tool.
type Call struct{ Name, Arguments string }

// Says is an answer that is a text.
func Says(text string) Answer { return Answer{Text: text} }

// Last returns the content of the last message.
func (r Request) Last() string {
	if len(r.Messages) == 0 {
		return ""
	}
	return r.Messages[len(r.Messages)-1].Content
}

// Says reports whether any message contains text.
func (r Request) Says(text string) bool {
	return slices.ContainsFunc(r.Messages, func(m Message) bool { return strings.Contains(m.Content, text) })
}

// Server is a model that listens.
type Server struct {
	URL string

	model Model
	http  *http.Server
	done  chan struct{} // closed when it no longer serves

	mu       sync.Mutex
	requests []Request
}

// Start lets model listen. Close it.
func Start(model Model) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + l.Addr().String(), model: model, done: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /chat/completions", s.completions)
	mux.HandleFunc("POST /api/chat", s.chat)
	s.http = &http.Server{Handler: mux}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(l) // ends with ErrServerClosed
	}()
	return s, nil
}

// Close stops the server and waits until it has stopped.
func (s *Server) Close() {
	_ = s.http.Close()
	<-s.done
}

// Requests returns what the server was asked so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *Server) answer(r Request) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	return s.model(r)
}
