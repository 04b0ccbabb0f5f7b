package main

import (
	"net/http"

	"github.com/llmretry/langchaingo-llmretry/internal/loopback"
)

// played is a server that is overloaded at first, and a model that answers with words where a number is wanted: for
// pasta until it is told so, for stew in any case.
func played() loopback.Model {
	asked := 0
	return func(r loopback.Request) loopback.Answer {
		asked++
		switch {
		case asked == 1:
			return loopback.Answer{Status: http.StatusServiceUnavailable}
		case r.Says("stew"):
			return loopback.Says(`{"dish": "stew", "minutes": "all day"}`)
		case r.Says("/minutes"):
			return loopback.Says(`{"dish": "pasta", "minutes": 20}`)
		}
		return loopback.Says(`{"dish": "pasta", "minutes": "about 20"}`)
	}
}
