// Package otelretry reports the calls of an [llmretry.Model] to OpenTelemetry: a span per attempt, and metrics.
//
// [New] returns an [llmretry.Observer] for llmretry.WithObserver. Without an SDK, or with one that drops everything, it
// costs next to nothing; it works with any exporter, since it uses the API only.
//
// # Spans
//
// Every attempt is a span of kind client named "openarmature.llm.complete" under the caller's span; the attempts of one
// call are siblings. It ends when the attempt is judged. The context the model is called with carries it, so what an
// instrumented HTTP client records is found under its attempt. Attributes follow semantics H1 and the GenAI semantic
// conventions v1.41.0, the last release in which they are part of the general ones: openarmature.llm.* for the attempt,
// gen_ai.* for model, options, usage and finish reasons, error.type and openarmature.error.category for what failed.
// What is not known is left out, never made up.
//
// An attempt that failed has the status ERROR and an exception event. Both name the kind of failure and never quote it:
// providers and parsers put prompts and outputs into their error texts. [WithPayload] adds messages, output and full
// error texts. (Semantics H2.)
//
// At its end the call adds one event "llmretry.call" to the caller's span, if there is one: how often was asked and what
// came of it. (Semantics H4.)
//
// # Metrics
//
//	gen_ai.client.operation.duration   histogram, s        per attempt
//	gen_ai.client.token.usage          histogram, {token}  per attempt that reported it
//	schema_retry_attempts              counter             what became of validations, by outcome
//	llmretry.call.reasks               histogram, {reask}  per call with an output that was judged
//	llmretry.retry.wait                histogram, s        per retry that was scheduled
//
// Prometheus exporters show the counter as schema_retry_attempts_total. No metric has the attempt's index as a
// dimension. Of decorators in each other, each observed by this package, only attempts that reach a model count as
// operations. docs/observability.md in the repository has the tables. (Semantics H3.)
package otelretry
