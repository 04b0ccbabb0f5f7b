package benchmarks

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/tmc/langchaingo/llms"
)

const inFlight = 10_000

// BenchmarkInFlight is 10 000 goroutines with one call each. ns/op is until all are back from a model that takes 20 ms;
// heap-B/call, stack-B/call and goroutines/call are taken while a model holds all of them. llmretry carries a context
// until its first call succeeded, so it has a row for 10 000 first calls too.
func BenchmarkInFlight(b *testing.B) {
	for _, p := range retryPeers {
		inFlightRow(b, p.name, p.wrap, true)
		if p.name == "llmretry" {
			inFlightRow(b, "llmretry-first-calls", p.wrap, false)
		}
	}
}

func inFlightRow(b *testing.B, name string, wrap func(llms.Model, int) generate, warm bool) {
	b.Run("calls=10000/"+name, func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			slow := wrap(takes(20*time.Millisecond, says("a")), 3)
			if warm {
				_, _ = slow(context.Background(), hello)
			}
			b.StartTimer()
			var all sync.WaitGroup
			start(&all, slow)
			all.Wait()
		}
		holdAll(b, wrap, warm)
	})
}

// takes is a model that waits.
func takes(d time.Duration, r *llms.ContentResponse) llms.Model {
	return modelFunc(func() *llms.ContentResponse {
		time.Sleep(d)
		return r
	})
}

// holdAll reports what a call takes while it waits for its model.
func holdAll(b *testing.B, wrap func(llms.Model, int) generate, warm bool) {
	arrived, gate := make(chan struct{}, inFlight), make(chan struct{})
	r, holding := says("a"), !warm
	held := wrap(modelFunc(func() *llms.ContentResponse {
		if !holding {
			return r
		}
		arrived <- struct{}{}
		<-gate
		return r
	}), 3)
	if warm {
		_, _ = held(context.Background(), hello)
		holding = true
	}
	var all sync.WaitGroup
	heap, stack, goroutines := live()
	start(&all, held)
	for range inFlight {
		<-arrived
	}
	heap2, stack2, goroutines2 := live()
	close(gate)
	all.Wait()
	b.ReportMetric((heap2-heap)/inFlight, "heap-B/call")
	b.ReportMetric((stack2-stack)/inFlight, "stack-B/call")
	b.ReportMetric((goroutines2-goroutines)/inFlight, "goroutines/call")
}

func start(all *sync.WaitGroup, call generate) {
	for range inFlight {
		all.Go(func() { _, _ = call(context.Background(), hello) })
	}
}

func live() (heap, stack, goroutines float64) {
	runtime.GC()
	runtime.GC() // the first one may have begun before what it should find
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc), float64(m.StackInuse), float64(runtime.NumGoroutine())
}

// modelFunc is a model that is its own answer.
type modelFunc func() *llms.ContentResponse

func (f modelFunc) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	return f(), nil
}

func (f modelFunc) Call(context.Context, string, ...llms.CallOption) (string, error) {
	return f().Choices[0].Content, nil
}
