// Package provider makes the models that the lab asks: real ones by langchaingo's clients, or one of faults that runs in
// this process.
package provider

import (
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/cases"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Size says which of two models is meant.
type Size int

// The sizes.
const (
	Main Size = iota
	Bigger
)

// Provider is where models come from. It is safe for concurrent use, and so are its models.
type Provider interface {
	// Model returns the model for one run of a case.
	Model(size Size, c *cases.Case) (llms.Model, error)
	// Took returns what a request took, of which the time was measured and the usage reported.
	Took(size Size, measured time.Duration, u llmretry.Usage) time.Duration
	// Identity names what the answers depend on: runs with different ones cannot share a journal.
	Identity() string
}
