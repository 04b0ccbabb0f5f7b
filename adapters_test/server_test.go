package adapters_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// recordingServer answers with the case's responses, one per request, and keeps what it was sent.
type recordingServer struct {
	url  string
	form *wireForm // nil = openai's

	mu       sync.Mutex
	answers  []mockResponse
	requests []recordedRequest
}

type recordedRequest struct {
	Raw  []byte
	Body map[string]any
}

// newRecordingServer starts it outside of any synctest bubble: a bubble's clock stands still while a goroutine in it
// waits for the network, and a server inside would never let it move.
func newRecordingServer(t testing.TB, answers ...mockResponse) *recordingServer {
	t.Helper()
	s := &recordingServer{answers: answers}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *recordingServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	request := recordedRequest{Raw: raw}
	if err == nil {
		err = json.Unmarshal(raw, &request.Body)
	}
	if err == nil && s.form != nil {
		request.Body = s.form.request(request.Body)
	}
	s.mu.Lock()
	n := len(s.requests)
	s.requests = append(s.requests, request)
	s.mu.Unlock()
	answer := mockResponse{Status: http.StatusBadRequest, Body: fmt.Sprintf("request %d: the case has no response for it", n)}
	switch {
	case err != nil:
		answer.Body = "undecodable request: " + err.Error()
	case n < len(s.answers):
		answer = s.answers[n]
	}
	if s.form != nil {
		answer = s.form.answer(answer)
	}
	answer.write(w)
}

func (m mockResponse) write(w http.ResponseWriter) {
	body, isText := m.Body.(string)
	if !isText && m.Body != nil {
		data, err := json.Marshal(m.Body)
		if err != nil { // the YAML holds what no JSON can
			http.Error(w, err.Error(), http.StatusNotImplemented)
			return
		}
		body = string(data)
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(m.Status)
	_, _ = io.WriteString(w, body)
}

// since returns the requests after the first n.
func (s *recordingServer) since(n int) []recordedRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests[n:])
}

// messages are the request's, as JSON objects.
func (r recordedRequest) messages() []map[string]any {
	list, _ := r.Body["messages"].([]any)
	out := make([]map[string]any, len(list))
	for i := range list {
		out[i], _ = list[i].(map[string]any)
	}
	return out
}
