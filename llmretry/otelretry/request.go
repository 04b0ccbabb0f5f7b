package otelretry

import (
	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// requestAttributes are the options sent, of those the conventions have a name for. An option that was not set is not
// among them, whatever the provider's default is. (Semantics H1.)
func requestAttributes(a *llmretry.Attempt) []attribute.KeyValue {
	attrs := make([]attribute.KeyValue, 0, 16) // with room for what describe adds
	if len(a.Options) == 0 {
		return attrs // telling what was set takes its time
	}
	sent := a.Sent()
	set := func(attr attribute.KeyValue) { attrs = append(attrs, attr) }
	with(sent, "temperature", func(v float64) { set(semconv.GenAIRequestTemperature(v)) })
	with(sent, "max_tokens", func(v int) { set(semconv.GenAIRequestMaxTokens(v)) })
	with(sent, "top_p", func(v float64) { set(semconv.GenAIRequestTopP(v)) })
	with(sent, "top_k", func(v int) { set(semconv.GenAIRequestTopK(float64(v))) })
	with(sent, "seed", func(v int) { set(semconv.GenAIRequestSeed(v)) })
	with(sent, "stop_words", func(v []string) { set(semconv.GenAIRequestStopSequences(v...)) })
	with(sent, "frequency_penalty", func(v float64) { set(semconv.GenAIRequestFrequencyPenalty(v)) })
	with(sent, "presence_penalty", func(v float64) { set(semconv.GenAIRequestPresencePenalty(v)) })
	with(sent, "n", func(v int) {
		if v != 1 { // the conventions leave the usual one out
			set(semconv.GenAIRequestChoiceCount(v))
		}
	})
	with(sent, "json", func(v bool) {
		if v {
			set(semconv.GenAIOutputTypeJSON)
		}
	})
	return attrs
}

// with calls use with an option that was sent.
func with[T any](sent map[string]any, name string, use func(T)) {
	if v, ok := sent[name].(T); ok {
		use(v)
	}
}
