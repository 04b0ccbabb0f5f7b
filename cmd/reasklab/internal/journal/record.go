package journal

import (
	"encoding/json"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Record is what one case came to under one strategy: a line of the journal.
type Record struct {
	Case     string          `json:"case"`
	Strategy string          `json:"strategy"`
	Valid    bool            `json:"valid"`
	Value    json.RawMessage `json:"value,omitempty"`   // when valid
	Matches  *bool           `json:"matches,omitempty"` // whether the value is the expected one; nil = not known
	Error    string          `json:"error,omitempty"`   // when not valid
	Again    bool            `json:"again,omitempty"`   // the provider failed, not the model: the next run tries again
	Attempts []Attempt       `json:"attempts"`
}

// Attempt is one answer of a model, or its failure to give one.
type Attempt struct {
	Reason      llmretry.RetryReason  `json:"reason,omitempty"`
	Bigger      bool                  `json:"bigger,omitempty"` // it was the bigger model's
	Temperature *float64              `json:"temperature,omitempty"`
	Appended    []Message             `json:"appended,omitempty"` // what was sent after the case's own messages
	Output      string                `json:"output,omitempty"`
	Class       string                `json:"class,omitempty"` // of the failure; "" = accepted
	Error       string                `json:"error,omitempty"`
	Issues      llmretry.Issues       `json:"issues,omitempty"`
	Finish      llmretry.FinishReason `json:"finish,omitempty"`
	In          llmretry.Count        `json:"in"` // tokens, of all its requests; null = not reported
	Out         llmretry.Count        `json:"out"`
	Requests    int                   `json:"requests"` // more than one when the provider stumbled
	Millis      float64               `json:"ms"`       // of all its requests, without the waiting between them
}

// Message is a message of a transcript.
type Message struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// Tokens returns the tokens of the attempt, as far as they were reported.
func (a *Attempt) Tokens() int { return a.In.N + a.Out.N }

// Tokens returns the tokens of all attempts, as far as they were reported.
func (r *Record) Tokens() (sum int) {
	for i := range r.Attempts {
		sum += r.Attempts[i].Tokens()
	}
	return sum
}

// Class is that of the final failure, "" when valid.
func (r *Record) Class() string {
	if r.Valid || len(r.Attempts) == 0 {
		return ""
	}
	return r.Attempts[len(r.Attempts)-1].Class
}

// Key says which run of which case a record is about.
func (r *Record) Key() Key { return Key{r.Case, r.Strategy} }

// Key is a case under a strategy.
type Key struct{ Case, Strategy string }
