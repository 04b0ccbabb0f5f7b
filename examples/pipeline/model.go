package main

import (
	"net/http"
	"strings"

	"github.com/llmretry/langchaingo-llmretry/internal/loopback"
)

// played is a small model: it makes up a priority that is none, forgets what a plan is, and can make nothing of a
// review. It mends what it is told. Once its server is busy, which no step notices.
func played() loopback.Model {
	busy := true
	return func(r loopback.Request) loopback.Answer {
		told := func(path string) bool { return strings.Contains(r.Last(), path) }
		switch {
		case strings.HasPrefix(r.Last(), "Triage"):
			if told("/priority") {
				return loopback.Says(`{"priority": "high"}`)
			}
			return loopback.Says(`{"priority": "urgent"}`)
		case strings.HasPrefix(r.Last(), "Plan"):
			switch {
			case busy:
				busy = false
				return loopback.Answer{Status: http.StatusServiceUnavailable}
			case told("/steps"):
				return loopback.Says(`{"priority": "high", "steps": ["apologise", "send another lamp"]}`)
			}
			return loopback.Says(`{"priority": "high"}`)
		}
		return loopback.Says(`{"approved": "looks good"}`)
	}
}
