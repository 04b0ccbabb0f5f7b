// Package runner runs every case under every strategy: some at a time, under one ceiling of tokens, and none that the
// journal has already.
package runner

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/cases"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/gate"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/journal"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/provider"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/strategy"
)

// Runner is a run. All fields but MaxTokens and Finished are required. It is used once.
type Runner struct {
	Cases     []cases.Case
	Set       *strategy.Set
	Provider  provider.Provider
	Journal   *journal.Journal
	Parallel  int // cases at a time
	Carry     Carry
	MaxTokens int                  // ceiling of all runs that this journal is of, together; 0 = none
	Finished  func(journal.Record) // called for each case that this run finished, one at a time

	ceiling ceiling
	gates   [2]gate.Gate // by provider.Size: a rate limit is a model's
}

// Carry says what is done about the failures of a provider, below the strategies.
type Carry struct {
	Attempts int           // requests for one answer, the first included
	Backoff  time.Duration // base of the curve, where the server does not say when to come back
	MaxWait  time.Duration // a longer demand of the server is a failure
}

// Run runs what the journal does not have and returns when nothing is in flight any more. A done drain lets what is in
// flight come to its end and begins nothing new; a done ctx breaks it off. The error is nil when every case was run,
// ErrInterrupted, ErrCeiling, ErrUnknownUsage or a [*StoppedError] when the run can be taken up again, and anything else,
// as a journal that cannot be written, when it is broken.
func (r *Runner) Run(ctx, drain context.Context) error {
	r.ceiling.limit = int64(r.MaxTokens)
	r.ceiling.used.Store(int64(r.Journal.Tokens()))
	jobs := r.pending()
	var (
		next atomic.Int64
		mu   sync.Mutex // around what becomes of a job
		end  error      // why nothing new begins
		wg   sync.WaitGroup
	)
	settle := func(record journal.Record, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			if err = r.Journal.Append(record); err == nil && r.Finished != nil {
				r.Finished(record)
			}
		} else {
			err = errors.Join(err, r.Journal.Waste(record.Tokens()))
		}
		if err != nil && (end == nil || errors.Is(end, ErrInterrupted)) {
			end = err
		}
	}
	ended := func() bool {
		mu.Lock()
		defer mu.Unlock()
		if end == nil && (drain.Err() != nil || ctx.Err() != nil) {
			end = ErrInterrupted
		}
		return end != nil
	}
	for range min(r.Parallel, len(jobs)) {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(jobs) || ended() {
					return
				}
				settle(r.one(ctx, jobs[i].c, jobs[i].s))
			}
		})
	}
	wg.Wait()
	return end
}

type job struct {
	c *cases.Case
	s *strategy.Strategy
}

// pending lists what is to be run, case by case, so that a run which is cut short has compared the strategies on the
// cases it got to.
func (r *Runner) pending() (jobs []job) {
	for i := range r.Cases {
		for k := range r.Set.Strategies {
			j := job{&r.Cases[i], &r.Set.Strategies[k]}
			if record, done := r.Journal.Done(journal.Key{Case: j.c.ID, Strategy: j.s.Name}); !done || record.Again {
				jobs = append(jobs, j)
			}
		}
	}
	return jobs
}

// Pending is the number of runs that are left.
func (r *Runner) Pending() int { return len(r.pending()) }
