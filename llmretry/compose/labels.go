package compose

import (
	"regexp"
	"slices"
	"strings"
)

// labels is what the lines of a step begin with.
type labels struct {
	actions  int    // lines that begin an action
	inputs   int    // action inputs, anywhere in a line
	finals   int    // lines that begin a final answer
	answer   string // what follows the last of those
	goesOn   bool   // a thought follows it
	observed bool   // a line begins an observation that says something
}

// bareObservation ends an answer of a model whose server leaves the stop word in: nothing was observed. The executor
// takes it off the input of a tool.
const bareObservation = "\nObservation:"

var anyInput = regexp.MustCompile(`(?i)\baction\s+input\s*:`)

// scan reads a trimmed text. Case does not matter, nor do marks of markdown before a label.
func scan(text string, finals []string) (l labels) {
	l.inputs = len(anyInput.FindAllString(text, -1))
	offset := 0
	for line := range strings.Lines(text) {
		label, _, found := strings.Cut(line, ":")
		if !found {
			offset += len(line)
			continue
		}
		after := offset + len(label) + 1
		offset += len(line)
		switch label = strings.ToLower(strings.Trim(label, " \t*_#>`")); {
		case slices.Contains(finals, label):
			l.finals++
			l.answer = strings.TrimSpace(text[after:])
			l.goesOn = false
		case label == "action":
			l.actions++
		case label == "observation":
			l.observed = l.observed || l.finals > 0 || strings.TrimSpace(text[after:]) != "" || !strings.HasSuffix(text, bareObservation)
		case label == "thought":
			l.goesOn = l.finals > 0
		}
	}
	return l
}
