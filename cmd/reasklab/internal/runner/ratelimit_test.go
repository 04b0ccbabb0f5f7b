package runner

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/provider"
)

// limited is an OpenAI-compatible server that lets so many requests through in each window of time and tells the others
// when the next one begins.
type limited struct {
	window    time.Duration
	allow     int
	alternate bool // every second request is refused, whatever is left of the window

	mu              sync.Mutex
	begun           time.Time
	current, passed int // the window, and what it let through
	served, refused int
	closedAt, until time.Time // of the last refusal
	early           int       // requests that came although everybody could have known better
}

// grace is for requests that were on their way when the first of a window was refused.
const grace = 60 * time.Millisecond

// thinking is what an answer takes: whoever gets one wants the next one when the rest has long been refused.
const thinking = 120 * time.Millisecond

func (l *limited) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	wait, ok := l.admit(time.Now())
	if !ok {
		w.Header().Set("Retry-After-Ms", strconv.FormatInt(wait.Milliseconds()+1, 10))
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = w.Write([]byte(`{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}`))
		return
	}
	time.Sleep(thinking)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": "1"}, "finish_reason": "stop"}},
		"usage":   map[string]int{"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4},
	})
}

func (l *limited) admit(now time.Time) (wait time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.begun.IsZero() {
		l.begun = now
	}
	if now.Before(l.until) && now.After(l.closedAt.Add(grace)) {
		l.early++
	}
	if n := int(now.Sub(l.begun) / l.window); n != l.current {
		l.current, l.passed = n, 0
	}
	if l.passed < l.allow && !(l.alternate && l.served > l.refused) {
		l.passed++
		l.served++
		return 0, true
	}
	l.refused++
	next := l.begun.Add(time.Duration(l.current+1) * l.window)
	if !now.Before(l.until) {
		l.closedAt, l.until = now, next
	}
	return next.Sub(now), false
}

// run runs so many cases against the server, with twice as many workers as it lets through at a time, by langchaingo's
// client. It looks for what holds with any limit: every case is served once, none is given up, and nobody asks while
// anybody knows that it is too early.
func (l *limited) run(t *testing.T, cases int) (took time.Duration) {
	t.Helper()
	listener := httptest.NewServer(l)
	defer listener.Close()
	t.Setenv("OPENAI_API_KEY", "none")
	remote, err := provider.Open(provider.Config{Provider: "openai", Model: "m", BaseURL: listener.URL, Timeout: time.Minute})
	require.NoError(t, err)
	defer remote.Close()
	r := newRunner(t, cases, remote, "none")
	r.Parallel, r.Carry.Attempts = 2*l.allow, 20
	begin := time.Now()
	require.NoError(t, r.Run(t.Context(), t.Context()))
	took = time.Since(begin)
	assert.Equal(t, cases, r.Journal.Len())
	assert.Equal(t, cases, l.served, "and nothing twice")
	assert.Zero(t, r.Pending(), "no case was given up")
	assert.Zero(t, l.early, "requests while the gate was closed")
	t.Logf("%d served, %d refused, in %v", l.served, l.refused, took)
	return took
}

// Twice as many workers as the limit has room for: the run stays within a fifth of the allowed rate. How many requests
// are refused is a matter of timing; the gate is there to make them fewer.
func TestRateLimited(t *testing.T) {
	const windows, window = 8, 300 * time.Millisecond
	server := &limited{window: window, allow: 12}
	took := server.run(t, windows*server.allow)
	assert.Positive(t, server.refused)
	least := (windows-1)*window + thinking // the first window is open at once, and the last one need not pass
	allowed, rate := float64(server.served)/least.Seconds(), float64(server.served)/took.Seconds()
	t.Logf("allowed %.1f/s, reached %.1f/s", allowed, rate)
	assert.GreaterOrEqual(t, rate, 0.8*allowed)
}

// A server that refuses half of all requests, every second one: the run finishes all the same.
func TestHalfRefused(t *testing.T) {
	server := &limited{window: 200 * time.Millisecond, allow: 12, alternate: true}
	server.run(t, 60)
	assert.InDelta(t, server.served, server.refused, 1, "half of all requests")
}
