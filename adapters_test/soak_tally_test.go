package adapters_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// soakTally counts what the server did and how the calls ended.
type soakTally struct {
	mu     sync.Mutex
	faults map[string]int
	ends   map[string]int
	peak   uint64 // of the heap; written by the test's own goroutine only
}

// add compares one call with what the server did to it, and says what is wrong; "" = nothing.
func (s *soakTally) add(faults []soakFault, report *llmretry.Report, err error, own bool) (problem string) {
	last := soakRules[faults[len(faults)-1]]
	end := "valid value"
	if err != nil {
		end = string(llmretry.Category(err))
		if errors.Is(err, llmretry.ErrMaxAttempts) {
			end += ", attempts exhausted"
		}
	}
	s.mu.Lock()
	for _, f := range faults {
		s.faults[soakRules[f].name]++
	}
	s.ends[end]++
	s.mu.Unlock()

	switch {
	case len(faults) > soakAttempts:
		return fmt.Sprintf("%d requests, the budget is %d", len(faults), soakAttempts)
	case len(report.Attempts) != len(faults):
		return fmt.Sprintf("%d attempts, %d requests", len(report.Attempts), len(faults))
	}
	for i, f := range faults {
		if got := report.Attempts[i].Category; got != soakRules[f].category {
			return fmt.Sprintf("attempt %d: the server did %q, the category is %q: %v", i, soakRules[f].name, got, report.Attempts[i].Err)
		}
	}
	switch {
	case last.category == "" && (err != nil || !own):
		return "the server answered well, the call did not"
	case last.category != "" && llmretry.Category(err) != last.category:
		return fmt.Sprintf("the server ended with %q, the call with %q", last.name, llmretry.Category(err))
	case !last.final && !errors.Is(err, llmretry.ErrMaxAttempts):
		return fmt.Sprintf("%q is worth another attempt", last.name)
	case last.final && errors.Is(err, llmretry.ErrMaxAttempts):
		return fmt.Sprintf("%q is final", last.name)
	}
	return ""
}

func (s *soakTally) String(calls int) string {
	requests := 0
	for _, n := range s.faults {
		requests += n
	}
	return fmt.Sprintf("%d calls, %d requests\nserver: %s\nends: %s", calls, requests, counted(s.faults), counted(s.ends))
}

func counted(m map[string]int) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		list = append(list, fmt.Sprintf("%s %d", name, m[name]))
	}
	return strings.Join(list, ", ")
}
