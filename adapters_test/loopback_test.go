package adapters_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
)

// loopback is a provider on 127.0.0.1: it keeps what it was sent and answers as its script says. It is started outside
// of any synctest bubble, since a bubble's clock stands still while a goroutine in it waits for the network.
type loopback struct {
	url     string
	arrived chan struct{} // one value per request

	mu       sync.Mutex
	requests []*received
	script   script
	over     chan struct{} // closed when the test ends: no handler outlives it
}

// script says what request n, from 0, is answered.
type script func(n int, r *received) reply

type received struct {
	Path   string // with the query
	Header http.Header
	Raw    []byte
	Body   map[string]any
}

// reply is one answer, or the failure to give one.
type reply struct {
	status int // 0 = 200
	header map[string]string
	body   string
	frames []string        // of a stream: sent one by one after body
	gate   <-chan struct{} // what comes before the fault is sent, then this is waited for
	fault  fault
}

type fault int

const (
	noFault fault = iota
	drop          // the connection is closed before anything is said
	cut           // more is announced than sent
	reset         // the connection is reset, in a stream after its frames
	hang          // nothing is said until the client gives up or the test ends
)

// refused is an address nobody listens on: a port below the range that systems hand out.
const refused = "http://127.0.0.1:1"

func newLoopback(t testing.TB, s script) *loopback {
	t.Helper()
	l := &loopback{script: s, over: make(chan struct{}), arrived: make(chan struct{}, 1024)}
	server := httptest.NewServer(l)
	t.Cleanup(func() {
		close(l.over)
		server.Close()
	})
	l.url = server.URL
	return l
}

// inOrder plays the replies one after the other. A request beyond them gets a status nobody retries.
func inOrder(list ...reply) script {
	return func(n int, _ *received) reply {
		if n < len(list) {
			return list[n]
		}
		return reply{status: http.StatusNotImplemented, body: fmt.Sprintf("request %d: no reply is left", n)}
	}
}

func (l *loopback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	got := &received{Path: r.URL.RequestURI(), Header: r.Header.Clone(), Raw: raw}
	_ = json.Unmarshal(raw, &got.Body) // what is no object has no fields
	l.mu.Lock()
	n := len(l.requests)
	l.requests = append(l.requests, got)
	answer := l.script
	l.mu.Unlock()
	select {
	case l.arrived <- struct{}{}:
	default:
	}
	l.answer(w, r, answer(n, got))
}

func (l *loopback) answer(w http.ResponseWriter, r *http.Request, a reply) {
	if a.fault == hang {
		select {
		case <-r.Context().Done():
		case <-l.over:
		}
		panic(http.ErrAbortHandler)
	}
	if a.fault == drop || a.fault == reset && a.frames == nil {
		hangUp(w, a.fault)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	if a.frames != nil {
		h.Set("Content-Type", "text/event-stream")
	}
	for name, value := range a.header {
		h.Set(name, value)
	}
	if a.fault == cut && a.frames == nil {
		h.Set("Content-Length", strconv.Itoa(len(a.body)+64))
	}
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	_, _ = io.WriteString(w, a.body)
	for _, frame := range a.frames {
		_, _ = io.WriteString(w, frame)
		_ = http.NewResponseController(w).Flush()
	}
	if a.gate != nil {
		select {
		case <-a.gate:
		case <-l.over:
		}
	}
	switch {
	case a.fault == reset:
		hangUp(w, reset)
	case a.fault == cut && a.frames != nil:
		panic(http.ErrAbortHandler)
	}
}

// hangUp ends the connection without the end of an answer.
func hangUp(w http.ResponseWriter, how fault) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok && how == reset {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// received returns the requests so far.
func (l *loopback) received() []*received {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]*received(nil), l.requests...)
}

// restart forgets the requests and plays another script.
func (l *loopback) restart(s script) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.script, l.requests = s, nil
}
