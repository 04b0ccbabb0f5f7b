package otelretry

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// outcomes is the counter of validations. Its name has no _total: Prometheus exporters add that. (Semantics H3.)
type outcomes struct {
	counter metric.Int64Counter
	with    map[llmretry.Outcome][]metric.AddOption
}

func newOutcomes(meter metric.Meter) (o outcomes, err error) {
	o.counter, err = meter.Int64Counter("schema_retry_attempts", metric.WithUnit("{attempt}"),
		metric.WithDescription("Validated outputs, by what became of them: success, retry, exhausted."))
	o.with = map[llmretry.Outcome][]metric.AddOption{}
	for _, what := range []llmretry.Outcome{llmretry.OutcomeSuccess, llmretry.OutcomeRetry, llmretry.OutcomeExhausted} {
		o.with[what] = []metric.AddOption{metric.WithAttributeSet(attribute.NewSet(attribute.String("outcome", string(what))))}
	}
	return o, err
}

// add counts one of the outcomes there are.
func (o outcomes) add(ctx context.Context, what llmretry.Outcome) {
	if with, ok := o.with[what]; ok {
		o.counter.Add(ctx, 1, with...)
	}
}

// OutcomeCounter returns a function for the Outcome field of an llmretry.SchemaRetry. It counts into the counter that
// the observer of [New] counts into, given the same meter provider; of the options only [WithMeterProvider] matters to
// it. It is safe for concurrent use. Errors are those of New. (Semantics H3, K8.)
func OutcomeCounter(opts ...Option) (func(ctx context.Context, o llmretry.Outcome), error) {
	c, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	counter, err := newOutcomes(meterOf(c.meters))
	if err != nil {
		return nil, err
	}
	return counter.add, nil
}

// outcomeOf returns how validation ended a call, "" when it did not: nothing was validated, a provider failed, the
// caller's context or builder ended the call, or the output was filtered or truncated. A call that ends so shows in
// error.type. (Semantics H4.)
func outcomeOf(r *llmretry.Report, err error) llmretry.Outcome {
	if len(r.Attempts) == 0 {
		return ""
	}
	last := &r.Attempts[len(r.Attempts)-1]
	switch {
	case !last.Judged:
		return ""
	case err == nil:
		return llmretry.OutcomeSuccess
	case last.Category == llmretry.CategoryStructuredOutputInvalid && byVerdict(err):
		return llmretry.OutcomeExhausted
	}
	return ""
}

// byVerdict reports whether the refusal of its last output is what ended a call, by itself or because a budget was
// spent. Sentinels are compared as values: a builder that asked a decorated model of its own may fail with one inside.
func byVerdict(err error) bool {
	switch e := err.(type) {
	case *llmretry.StructuredOutputError:
		return true
	case *llmretry.AttemptsError:
		switch e.Stop {
		case nil, llmretry.ErrMaxAttempts, llmretry.ErrTokenBudget, llmretry.ErrMaxModelCalls, llmretry.ErrStagnated:
			return true
		}
	}
	return false
}
