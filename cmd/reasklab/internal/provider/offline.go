package provider

import (
	"fmt"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/cases"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/retrytest"
)

// Offline is retrytest's model of faults: it knows the right answer of each case and spoils it. It is no language model
// and predicts nothing about one.
type Offline struct{ Seed uint64 }

// strength is the share of its mistakes that the bigger model does not make. Like all of this it is invented.
const strength = 0.8

// latencies are invented too: a bigger model thinks longer.
var latencies = [...]retrytest.Latency{
	Main:   {Base: 150 * time.Millisecond, PerPromptToken: 200 * time.Microsecond, PerCompletionToken: 8 * time.Millisecond},
	Bigger: {Base: 400 * time.Millisecond, PerPromptToken: 500 * time.Microsecond, PerCompletionToken: 25 * time.Millisecond},
}

// Model returns a model of its own for each run: what one run asks changes nothing for another one, in whatever order
// they come, and all strategies meet the same faults.
func (o *Offline) Model(size Size, c *cases.Case) (llms.Model, error) {
	effects := retrytest.DefaultEffects()
	if size == Bigger {
		effects.Strength = strength
	}
	about := retrytest.Case{Name: c.ID, Value: c.Expected, Schema: c.Schema}
	return retrytest.NewFaultModel(retrytest.FaultConfig{
		Seed:    o.Seed,
		Find:    func([]llms.MessageContent) (retrytest.Case, error) { return about, nil },
		Rates:   retrytest.DefaultRates(),
		Effects: effects,
	})
}

// Took is an invented time, since the true one would be that of a computer doing next to nothing.
func (o *Offline) Took(size Size, _ time.Duration, u llmretry.Usage) time.Duration {
	return latencies[size].Of(u)
}

// Identity names the seed.
func (o *Offline) Identity() string { return fmt.Sprintf("offline, seed %d", o.Seed) }
