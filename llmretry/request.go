package llmretry

import (
	"slices"

	"github.com/tmc/langchaingo/llms"
)

// request is what one attempt sends, and to whom.
type request struct {
	model    llms.Model
	name     string // of the model, as far as it is known
	messages []llms.MessageContent
	options  []llms.CallOption
	dropped  []string
	stream   *stream // nil when the caller does not stream
}

// request builds the current attempt's. Attempt 0 is the caller's own call. (Semantics D.)
func (k *call) request(r *request) {
	r.model, r.name, r.messages, r.options = k.c.inner, k.c.modelName, k.transcript.messages(), k.options
	if k.c.flatten != nil {
		r.messages = flattened(r.messages, k.c.flatten)
	}
	owned := k.index > 0
	if owned {
		k.override(r)
	}
	if len(r.options) == 0 {
		return
	}
	o := glance(r.options)
	if o.metadata && !owned {
		r.options, owned = isolated(r.options), true
	}
	if o.model != "" {
		r.name = o.model
	}
	if o.text != nil || o.reasoning != nil {
		hold := k.c.judges() && k.c.streamReset == nil
		r.stream = &stream{text: o.text, reasoning: o.reasoning, hold: hold}
		if !owned {
			r.options = slices.Clip(r.options) // never into the caller's spare capacity
		}
		r.options = append(r.options, r.stream.wrap)
	}
}

// override merges the schedule's entry for this attempt, then the truncation entry in force. (Semantics D2, D3, F6.)
func (k *call) override(r *request) {
	entries := k.entries(r)
	r.dropped = k.withoutRejected(entries, r.model, r.name)
	r.options = merged(r.options, entries...)
}

// entries returns those in force for this attempt and sets whose model takes it.
func (k *call) entries(r *request) []Override {
	entries := []Override{k.next}
	if k.truncated > 0 {
		entries = append(entries, entry(k.c.truncation, k.truncated-1))
	}
	for _, e := range entries {
		if e.Model != nil {
			r.model, r.name = e.Model, e.Name
		}
	}
	return entries
}
