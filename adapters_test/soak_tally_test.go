package adapters_test

import (
	"fmt"
	"maps"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// soakTally counts what came of calls and attempts.
type soakTally struct {
	mu       sync.Mutex
	outcomes map[string]int // of calls, by category
	attempts map[string]int // by category
	lengths  [soakAttempts + 1]int
	matched  int // attempts that the server knows
	unseen   int // attempts whose request had not arrived when the call ended
	late     int // attempts that ran out of time by themselves
}

func newSoakTally() *soakTally {
	return &soakTally{outcomes: make(map[string]int), attempts: make(map[string]int)}
}

func (s *soakTally) add(c *soakResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outcomes[outcomeName(llmretry.Category(c.err))]++
	s.lengths[min(len(c.Report.Attempts), soakAttempts)]++
	for i := range c.Report.Attempts {
		a := &c.Report.Attempts[i]
		s.attempts[outcomeName(a.Category)]++
		if c.seen[a.Index] != nil {
			s.matched++
		} else {
			s.unseen++
		}
		if c.late(a) {
			s.late++
		}
	}
}

func outcomeName(category llmretry.ErrorCategory) string { return or(string(category), "a value") }

func (s *soakTally) log(t *testing.T, faults map[string]int) {
	t.Helper()
	logCounts(t, "requests, by what was done to them", faults)
	logCounts(t, "attempts, by what they say", s.attempts)
	logCounts(t, "calls, by how they ended", s.outcomes)
	t.Logf("calls by number of attempts: %v; %d attempts late, %d not seen by the server", s.lengths[1:], s.late, s.unseen)
}

func logCounts(t *testing.T, what string, counts map[string]int) {
	t.Helper()
	text := ""
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		text += fmt.Sprintf("\n  %8d %s", counts[name], name)
	}
	t.Logf("%d %s:%s", sum(counts), what, text)
}

func sum(counts map[string]int) (n int) {
	for _, count := range counts {
		n += count
	}
	return n
}

// account checks that nothing is missing from the sums and nothing is in them twice.
func (s *soakTally) account(t *testing.T, server *soakServer, calls int) {
	t.Helper()
	weighted := 0
	for n, count := range s.lengths {
		weighted += n * count
	}
	assert.Equal(t, calls, sum(s.outcomes), "calls")
	assert.Equal(t, weighted, sum(s.attempts), "attempts")
	assert.Equal(t, weighted, s.matched+s.unseen, "attempts")
	assert.Equal(t, server.requests, sum(server.faults), "requests")
	assert.Equal(t, server.requests, s.matched+server.strays, "requests: those of attempts, and those that came too late for it")
	assert.LessOrEqual(t, server.strays, s.unseen, "requests of no attempt")
	assert.Less(t, s.late, 1+weighted/20, "the machine is too slow for the attempts' timeout to mean anything")
	assert.Empty(t, server.calls)
	if calls >= soakCalls {
		assert.Len(t, server.faults, len(soakFaults), "a fault was never played")
	}
}

// soakProblems keeps the first of what went wrong: a defect would be reported by every second call.
type soakProblems struct {
	mu    sync.Mutex
	first []string
	count int
}

func (p *soakProblems) Errorf(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count++; len(p.first) < 10 {
		p.first = append(p.first, fmt.Sprintf(format, args...))
	}
}

func (p *soakProblems) tell(t *testing.T) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, text := range p.first {
		t.Error(text)
	}
	if p.count > len(p.first) {
		t.Errorf("and %d problems more", p.count-len(p.first))
	}
}

// soakMemory watches the heap.
type soakMemory struct {
	start, peak uint64
	done, ended chan struct{}
}

const (
	heapGrowth = 8 << 20   // what may be left when all is over
	heapPeak   = 256 << 20 // a mebibyte for each call in flight
)

// heap is runtime.MemStats.HeapAlloc, read without stopping the world.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func collected() uint64 {
	runtime.GC()
	runtime.GC() // what sync.Pools held
	return heap()
}

func watchMemory() *soakMemory {
	m := &soakMemory{start: collected(), done: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(m.ended)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			m.peak = max(m.peak, heap())
			select {
			case <-tick.C:
			case <-m.done:
				return
			}
		}
	}()
	return m
}

func (m *soakMemory) stop() {
	close(m.done)
	<-m.ended
}

func (m *soakMemory) check(t *testing.T) {
	t.Helper()
	end := collected()
	t.Logf("heap: %.1f MiB at the start, %.1f MiB at its peak, %.1f MiB at the end", mebi(m.start), mebi(m.peak), mebi(end))
	assert.Less(t, end, m.start+heapGrowth, "memory is left")
	assert.Less(t, m.peak, m.start+heapPeak, "too much memory at once")
}

func mebi(bytes uint64) float64 { return float64(bytes) / (1 << 20) }
