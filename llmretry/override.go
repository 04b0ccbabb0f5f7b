package llmretry

import (
	"context"
	"errors"
	"math"

	"github.com/tmc/langchaingo/llms"
)

// Override is what one retry sends differently. The zero value changes nothing. An Override is read-only once it is
// part of a schedule. (Semantics D.)
type Override struct {
	Options []llms.CallOption // merged onto the caller's own options, field by field: what they leave out is inherited
	Model   llms.Model        // takes the attempt; the caller's WithModel name is then not inherited. nil = the decorated model
	Name    string            // Model's name for reports
	Stop    bool              // no further attempt
}

// Set returns an override of call options: whatever they set replaces the caller's value for that attempt, an explicit
// zero too. llms.WithOptions sets every field there is, so only what cannot be cleared survives it: metadata, stream
// functions, tools, stop words.
func Set(opts ...llms.CallOption) Override { return Override{Options: opts} }

// Use returns an override that hands the attempt to another model, with options of its own. The caller's options are
// inherited but for the model name, which belongs to the first model's provider. (Semantics D5.)
func Use(model llms.Model, opts ...llms.CallOption) Override {
	if isNil(model) {
		model = missingModel{} // so that New can tell it from "the decorated model"
	}
	return Override{Options: opts, Model: model}
}

// Stop returns an override that ends the call instead of making the attempt. In a schedule the call ends as one that
// has no attempts left; in [WithTruncationOverride] it ends at once as [CategoryTruncated].
func Stop() Override { return Override{Stop: true} }

// Temperatures returns a schedule that sets the temperature of each retry. Some models ignore a temperature and some
// reject it: docs/rough_edges.md.
func Temperatures(ts ...float64) []Override {
	schedule := make([]Override, len(ts))
	for i, t := range ts {
		schedule[i] = Set(llms.WithTemperature(t))
	}
	return schedule
}

// entry returns the entry for the n-th use of a schedule, from 0: the last one carries forward, an empty schedule has
// only the zero Override. (Semantics D2.)
func entry(schedule []Override, n int) Override {
	if len(schedule) == 0 {
		return Override{}
	}
	return schedule[min(n, len(schedule)-1)]
}

// check records what is wrong with a schedule. Its options are run on a scratch, so a number that no JSON can carry
// is found here and not in the provider's encoder on the second attempt.
func (c *config) check(option string, schedule []Override) {
	for i, o := range schedule {
		if _, missing := o.Model.(missingModel); missing || (o.Model != nil && isNil(o.Model)) {
			c.problem("%s: entry %d has a nil model", option, i)
		}
		if o.Stop && (len(o.Options) > 0 || o.Model != nil) {
			c.problem("%s: entry %d stops, so it cannot also set options or a model", option, i)
		}
		c.checkOptions(option, i, o.Options)
	}
}

func (c *config) checkOptions(option string, entry int, opts []llms.CallOption) {
	for i, opt := range opts {
		if opt == nil {
			c.problem("%s: entry %d: call option %d is nil", option, entry, i)
			return
		}
	}
	o, ok := resolve(opts)
	if !ok {
		c.problem("%s: entry %d: a call option panics", option, entry)
		return
	}
	for _, f := range []struct {
		name  string
		value float64
	}{
		{"temperature", o.Temperature},
		{"top_p", o.TopP},
		{"repetition_penalty", o.RepetitionPenalty},
		{"frequency_penalty", o.FrequencyPenalty},
		{"presence_penalty", o.PresencePenalty},
	} {
		if math.IsNaN(f.value) || math.IsInf(f.value, 0) {
			c.problem("%s: entry %d: %s is %v, which no request can carry", option, entry, f.name, f.value)
		}
	}
}

// missingModel stands for the nil that Use was given until New reports it.
type missingModel struct{}

var errMissingModel = errors.New("llmretry: nil model")

func (missingModel) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	return nil, errMissingModel
}

func (missingModel) Call(context.Context, string, ...llms.CallOption) (string, error) {
	return "", errMissingModel
}
