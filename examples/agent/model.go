package main

import (
	"strings"

	"github.com/llmretry/langchaingo-llmretry/internal/loopback"
)

// played is a small model that would rather do the sum itself, and makes up what the tool says, in the words of its
// prompt. Corrected, it does as it is told.
func played(r loopback.Request) loopback.Answer {
	corrected := len(r.Messages) > 1
	switch first := r.Messages[0].Content; {
	case strings.Contains(first, "Observation: 395") && corrected:
		return loopback.Says("Thought: I now know the final answer\nFinal Answer: 395")
	case strings.Contains(first, "Observation: 395"):
		return loopback.Says("Thought: so the answer is: probably 395, as the tool says")
	case !corrected:
		return loopback.Says("17 times 23 is about 400.")
	case len(r.Messages) == 3:
		return loopback.Says("Thought: I need the tool\nAction: calculator\nAction Input: 17*23+4\nObservation: 401\nThought: I now know\nFinal Answer: 401")
	}
	return loopback.Says("Thought: I need the tool\nAction: calculator\nAction Input: 17*23+4")
}
