package strategy

import (
	"errors"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// CallOptions are the options of the first attempt, and of every attempt as far as no schedule says otherwise.
func (s *Set) CallOptions() []llms.CallOption {
	return callOptions(s.Temperature, s.MaxTokens)
}

// Decorate returns model with the strategy around it. The provider's failures are not its business, model has dealt with
// them; an answer with nothing in it is, and is asked for again, since there is nothing to correct. bigger may be nil for
// a strategy that does not need it.
func (s *Strategy) Decorate(model, bigger llms.Model) (*llmretry.Model, error) {
	schedule := make([]llmretry.Override, len(s.Schedule))
	for i, e := range s.Schedule {
		schedule[i] = llmretry.Set(callOptions(e.Temperature, e.MaxTokens)...)
		if e.Bigger {
			schedule[i].Model, schedule[i].Name = bigger, Bigger
			if bigger == nil {
				return nil, errors.New("there is no bigger model")
			}
		}
	}
	options := []llmretry.Option{
		llmretry.WithMaxAttempts(s.Attempts),
		llmretry.WithPerAttemptOverride(schedule...),
		llmretry.WithTranscriptPolicy(s.Transcript),
		llmretry.WithBackoff(llmretry.Constant(0)), // a replay here follows a refused answer, and nobody asked for a pause
		llmretry.WithClassifier(func(err error, _ llmretry.State) bool {
			return s.OnRefusal == Replay && errors.Is(err, llmretry.ErrStructuredOutputInvalid) ||
				s.OnRefusal != Stop && llmretry.Category(err) == llmretry.CategoryEmptyResponse
		}),
	}
	if s.builder != nil {
		options = append(options, llmretry.WithReask(s.builder))
	}
	return llmretry.New(model, options...)
}

// Bigger is the name under which the bigger model stands in reports.
const Bigger = "bigger"

func callOptions(temperature *float64, maxTokens int) (options []llms.CallOption) {
	if temperature != nil {
		options = append(options, llms.WithTemperature(*temperature))
	}
	if maxTokens > 0 {
		options = append(options, llms.WithMaxTokens(maxTokens))
	}
	return options
}
