// Package strategy reads what the lab compares: what is done about a refused answer, attempt by attempt.
package strategy

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/reaskprompt"
)

// ErrInvalid is what every complaint about strategies matches.
var ErrInvalid = errors.New("invalid strategies")

// Set is a file of strategies. All of them ask first in the same way, so that their first attempts are comparable.
type Set struct {
	Temperature *float64   `yaml:"temperature" json:"temperature,omitempty"` // of the first attempt; nil = the provider's
	MaxTokens   int        `yaml:"max_tokens" json:"max_tokens,omitempty"`   // of an answer; 0 = the provider's
	Attempts    int        `yaml:"attempts" json:"-"`                        // of strategies that do not say; 0 = 3
	Correction  string     `yaml:"correction" json:"-"`                      // of strategies without their own
	Strategies  []Strategy `yaml:"strategies" json:"strategies"`
}

// Strategy is one way to deal with refused answers. It is read-only once read.
type Strategy struct {
	Name       string                    `yaml:"name" json:"name"`
	Attempts   int                       `yaml:"attempts" json:"attempts"` // the first one included
	OnRefusal  OnRefusal                 `yaml:"on_refusal" json:"on_refusal"`
	Correction string                    `yaml:"correction" json:"correction,omitempty"` // a template for reaskprompt.Template
	Schedule   []Entry                   `yaml:"schedule" json:"schedule,omitempty"`
	Transcript llmretry.TranscriptPolicy `yaml:"-" json:"transcript"`

	RawTranscript transcript `yaml:"transcript" json:"-"`
	builder       llmretry.Builder
}

// OnRefusal is what the next attempt sends.
type OnRefusal string

// The ways.
const (
	Stop   OnRefusal = "stop"   // there is no next attempt
	Replay OnRefusal = "replay" // the same messages again, the model is told nothing
	Reask  OnRefusal = "reask"  // the answer and a correction are appended
)

// Entry is what an attempt after the first sends differently; the last one carries forward.
type Entry struct {
	Temperature *float64 `yaml:"temperature" json:"temperature,omitempty"`
	MaxTokens   int      `yaml:"max_tokens" json:"max_tokens,omitempty"`
	Bigger      bool     `yaml:"bigger" json:"bigger,omitempty"` // the bigger model takes the attempt
}

type transcript struct {
	KeepLast   int `yaml:"keep_last"`
	FreshAfter int `yaml:"fresh_after"`
	ClipEcho   int `yaml:"clip_echo"`
	MaxBytes   int `yaml:"max_bytes"`
}

// Names returns the names of the strategies in their order.
func (s *Set) Names() []string {
	names := make([]string, len(s.Strategies))
	for i := range s.Strategies {
		names[i] = s.Strategies[i].Name
	}
	return names
}

// NeedsBigger reports whether any strategy escalates to the bigger model.
func (s *Set) NeedsBigger() bool {
	return slices.ContainsFunc(s.Strategies, func(s Strategy) bool {
		return slices.ContainsFunc(s.Schedule, func(e Entry) bool { return e.Bigger })
	})
}

// Only keeps the named strategies, in the order of the names.
func (s *Set) Only(names ...string) error {
	var kept []Strategy
	for _, name := range names {
		i := slices.Index(s.Names(), name)
		switch {
		case i < 0:
			return fmt.Errorf("%w: there is no %q; there are %s", ErrInvalid, name, strings.Join(s.Names(), ", "))
		case slices.ContainsFunc(kept, func(k Strategy) bool { return k.Name == name }):
			return fmt.Errorf("%w: %q is named twice", ErrInvalid, name)
		}
		kept = append(kept, s.Strategies[i])
	}
	s.Strategies = kept
	return nil
}

// settle fills in what strategies inherit and finds what is wrong with the set.
func (s *Set) settle() error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%w: "+format, append([]any{ErrInvalid}, args...)...))
	}
	if s.Attempts == 0 {
		s.Attempts = 3
	}
	if s.Attempts < 1 || s.MaxTokens < 0 || !isTemperature(s.Temperature) {
		bad("attempts, max_tokens or temperature is out of range")
	}
	if len(s.Strategies) == 0 {
		bad("there are none")
	}
	seen := make(map[string]bool)
	for i := range s.Strategies {
		one := &s.Strategies[i]
		if strings.TrimSpace(one.Name) == "" || seen[one.Name] {
			bad("strategy %d: the name %q is blank or there already", i+1, one.Name)
		}
		seen[one.Name] = true
		if err := one.settle(s); err != nil {
			bad("%s: %w", one.Name, err)
		}
	}
	return errors.Join(errs...)
}

// MaxAttempts bounds a strategy: whoever asks more often than that has a loop and no strategy.
const MaxAttempts = 20

func (s *Strategy) settle(set *Set) (err error) {
	if s.OnRefusal == "" {
		s.OnRefusal = Stop
	}
	if s.Attempts == 0 {
		if s.Attempts = set.Attempts; s.OnRefusal == Stop {
			s.Attempts = 1
		}
	}
	s.Transcript = llmretry.TranscriptPolicy(s.RawTranscript)
	switch {
	case s.Attempts < 1 || s.Attempts > MaxAttempts:
		return fmt.Errorf("%d attempts: want 1 to %d", s.Attempts, MaxAttempts)
	case s.OnRefusal != Stop && s.OnRefusal != Replay && s.OnRefusal != Reask:
		return fmt.Errorf("on_refusal is %q: want stop, replay or reask", s.OnRefusal)
	case s.OnRefusal == Stop && (s.Attempts > 1 || s.Schedule != nil):
		return errors.New("it stops at the first refusal, so it has one attempt and no schedule")
	case s.OnRefusal != Reask && (s.Correction != "" || s.Transcript != llmretry.TranscriptPolicy{}):
		return errors.New("a correction and a transcript are for strategies that reask")
	}
	for i, e := range s.Schedule {
		if e.MaxTokens < 0 || !isTemperature(e.Temperature) {
			return fmt.Errorf("entry %d of the schedule: max_tokens or temperature is out of range", i+1)
		}
	}
	if s.OnRefusal != Reask {
		return nil
	}
	if s.Correction == "" {
		s.Correction = set.Correction
	}
	if strings.TrimSpace(s.Correction) == "" {
		return errors.New("it reasks, so it needs a correction: the words are yours")
	}
	s.builder, err = reaskprompt.Template(s.Correction)
	return err
}

func isTemperature(t *float64) bool { return t == nil || *t >= 0 && *t <= 5 && !math.IsNaN(*t) }
