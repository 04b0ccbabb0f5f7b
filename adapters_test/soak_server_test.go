package adapters_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// soakFault is what the server does to one request.
type soakFault int

const (
	soakGood soakFault = iota
	soakInvalid
	soakEmpty
	soakGarbage
	soakNoEvent // garbage where a stream was asked for: none of its lines is an event
	soakCut
	soakStall
	soakLimited
	soakDown
	soakOverloaded
	soakRejected
	soakUnauthorized
	soakGone // the caller leaves during the request
	soakFaults
)

// soakRules says what each fault is, how often it comes in a thousand requests, and what the client must make of it.
var soakRules = [soakFaults]struct {
	name     string
	share    int // the rest are good
	category llmretry.ErrorCategory
	final    bool
}{
	soakGood:         {"good", 0, "", true},
	soakInvalid:      {"invalid", 250, llmretry.CategoryStructuredOutputInvalid, false},
	soakEmpty:        {"empty", 40, llmretry.CategoryEmptyResponse, false},
	soakGarbage:      {"garbage", 20, llmretry.CategoryInvalidResponse, true},
	soakNoEvent:      {"garbage for a stream", 0, llmretry.CategoryEmptyResponse, false},
	soakCut:          {"cut", 60, llmretry.CategoryUnavailable, false},
	soakStall:        {"stall", 4, llmretry.CategoryAttemptTimeout, false},
	soakLimited:      {"429", 60, llmretry.CategoryRateLimit, false},
	soakDown:         {"500", 60, llmretry.CategoryUnavailable, false},
	soakOverloaded:   {"503", 60, llmretry.CategoryUnavailable, false},
	soakRejected:     {"400", 10, llmretry.CategoryInvalidRequest, true},
	soakUnauthorized: {"401", 10, llmretry.CategoryAuthentication, true},
	soakGone:         {"caller gone", 20, llmretry.CategoryCanceled, true},
}

// soakServer is an openai server that fails by a plan: the n-th request of a call meets the same fault in every run.
type soakServer struct {
	mu    sync.Mutex
	calls map[int]*soakCall
	open  atomic.Int64 // connections
}

// soakCall is what the server knows of one call.
type soakCall struct {
	faults []soakFault // of its requests, in order
	leave  context.CancelFunc
}

var soakID = regexp.MustCompile(`call (\d+)\.`)

func (s *soakServer) begin(id int, leave context.CancelFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[id] = &soakCall{leave: leave}
}

func (s *soakServer) end(id int) []soakFault {
	s.mu.Lock()
	defer s.mu.Unlock()
	faults := s.calls[id].faults
	delete(s.calls, id)
	return faults
}

// next notes the request and says what happens to it.
func (s *soakServer) next(id int, stream bool) (soakFault, context.CancelFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.calls[id]
	draw, fault := rand.New(rand.NewPCG(uint64(id), uint64(len(c.faults)))).IntN(1000), soakGood
	for f, rule := range soakRules {
		if draw -= rule.share; draw < 0 && rule.share > 0 {
			fault = soakFault(f)
			break
		}
	}
	if stream && fault == soakGarbage {
		fault = soakNoEvent
	}
	c.faults = append(c.faults, fault)
	return fault, c.leave
}

func (s *soakServer) connState(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.open.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.open.Add(-1)
	}
}

func (s *soakServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	match := soakID.FindSubmatch(body)
	var request struct {
		Stream bool `json:"stream"`
	}
	if err != nil || match == nil || json.Unmarshal(body, &request) != nil {
		http.Error(w, "no call in the request", http.StatusTeapot) // a category that no fault has
		return
	}
	id, _ := strconv.Atoi(string(match[1])) // digits
	fault, leave := s.next(id, request.Stream)
	switch fault {
	case soakStall:
		<-r.Context().Done()
	case soakGone:
		leave()
		<-r.Context().Done()
	case soakLimited:
		w.Header().Set("Retry-After-Ms", "3")
		soakError(w, http.StatusTooManyRequests, "slow down")
	case soakDown:
		soakError(w, http.StatusInternalServerError, "internal error")
	case soakOverloaded:
		soakError(w, http.StatusServiceUnavailable, "overloaded")
	case soakRejected:
		soakError(w, http.StatusBadRequest, "bad request")
	case soakUnauthorized:
		soakError(w, http.StatusUnauthorized, "bad key")
	case soakGarbage, soakNoEvent:
		_, _ = io.WriteString(w, "<html>a proxy's page</html>")
	default:
		soakAnswer(w, id, fault, request.Stream)
	}
}

func soakError(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":{"message":%q}}`, message)
}

// soakAnswer writes a chat completion, whole or as a stream.
func soakAnswer(w http.ResponseWriter, id int, fault soakFault, stream bool) {
	content := fmt.Sprintf(`{"id":%d}`, id)
	switch fault {
	case soakInvalid:
		content = fmt.Sprintf(`{"id":"%d"}`, id)
	case soakEmpty:
		content = ""
	}
	text, _ := json.Marshal(content) // a string
	reply := fmt.Sprintf(`{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%s}}],`+
		`"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`, text)
	if stream {
		half := len(content) / 2
		first, _ := json.Marshal(content[:half])
		second, _ := json.Marshal(content[half:])
		reply = fmt.Sprintf("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}}]}\n\n"+
			"data: {\"choices\":[{\"index\":0,\"finish_reason\":\"stop\",\"delta\":{\"content\":%s}}]}\n\ndata: [DONE]\n\n", first, second)
		w.Header().Set("Content-Type", "text/event-stream")
	}
	if fault == soakCut {
		w.Header().Set("Content-Length", strconv.Itoa(len(reply)))
		_, _ = io.WriteString(w, reply[:len(reply)/2])
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		panic(http.ErrAbortHandler)
	}
	_, _ = io.WriteString(w, reply)
}

const soakAttemptTimeout = 6 * time.Second // far more than a busy machine takes for an answer
