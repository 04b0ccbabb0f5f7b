package adapters_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/stretchr/testify/assert"
)

// soakServer does to every request what the seed says, and keeps what it did until the call is checked.
type soakServer struct {
	http     *httptest.Server
	seed     uint64
	problems *soakProblems
	over     chan struct{}

	mu          sync.Mutex
	calls       map[int]*soakCall
	faults      map[string]int
	requests    int
	strays      int // requests of calls that were over
	conns       int
	opened      int
	inFlight    int
	maxInFlight int
}

// soakCall is the server's side of a call that is being made.
type soakCall struct {
	leave func()
	seen  map[int]*soakExchange // by attempt
}

func newSoakServer(seed uint64, problems *soakProblems) *soakServer {
	s := &soakServer{
		seed: seed, problems: problems, over: make(chan struct{}), calls: make(map[int]*soakCall), faults: make(map[string]int),
	}
	s.http = httptest.NewUnstartedServer(s)
	s.http.Config.ConnState = s.watch
	s.http.Start()
	return s
}

// watch counts connections.
func (s *soakServer) watch(_ net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
		s.conns++
		s.opened++
	case http.StateClosed, http.StateHijacked: // whoever hijacks closes at once
		s.conns--
	}
}

func (s *soakServer) connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns
}

func (s *soakServer) close() {
	close(s.over)
	s.http.Close()
}

// expect opens the books on a call; leave cancels its context.
func (s *soakServer) expect(call int, leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[call] = &soakCall{leave: leave, seen: make(map[int]*soakExchange)}
}

// settle closes them and returns what was done to each attempt that arrived. What arrives later is a stray.
func (s *soakServer) settle(call int) map[int]*soakExchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.calls[call]
	delete(s.calls, call)
	return c.seen
}

func (s *soakServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e, err := readSoakExchange(r)
	if err != nil {
		if r.Context().Err() == nil { // else the client left while it was sending
			s.problems.Errorf("a request that makes no sense: %v", err)
		}
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	e.w, e.r, e.over, e.arrived = w, r, s.over, time.Now()
	e.fault, e.random = drawFault(s.seed, e.call, e.attempt)
	s.enter(e)
	defer s.exit()
	e.fault.play(e)
}

// enter books the request.
func (s *soakServer) enter(e *soakExchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight++
	s.maxInFlight = max(s.maxInFlight, s.inFlight)
	s.requests++
	s.faults[e.fault.name]++
	assert.Less(s.problems, e.attempt, soakAttempts, "%s: beyond the budget", e.nonce())
	c := s.calls[e.call]
	if c == nil {
		s.strays++
		e.leave = func() {}
		return
	}
	assert.NotContains(s.problems, c.seen, e.attempt, "%s: sent twice", e.nonce())
	c.seen[e.attempt], e.leave = e, c.leave
}

func (s *soakServer) exit() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight--
}

// readSoakExchange reads who asks: the call's number is in the prompt, the attempt's in the seed, which the schedule sets.
func readSoakExchange(r *http.Request) (*soakExchange, error) {
	got := new(received)
	raw, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(raw, &got.Body)
	}
	if err != nil {
		return nil, err
	}
	e := &soakExchange{messages: chatMessages(got)}
	e.stream, _ = got.Body["stream"].(bool)
	seed, _ := got.Body["seed"].(float64)
	e.attempt = int(seed) - 1
	if len(e.messages) == 0 || e.attempt < 0 {
		return nil, fmt.Errorf("%.200s", raw)
	}
	_, err = fmt.Sscanf(e.messages[0].text, soakPrompt, &e.call)
	return e, err
}
