// Package llmretry decorates a langchaingo model so that a structured-output call heals itself.
//
// [New] wraps any llms.Model in a [Model], which is an llms.Model again and goes wherever one goes: into chains, into
// agents, behind a cache. A call through it makes up to [WithMaxAttempts] attempts, in one loop with one budget:
//
//   - A transient failure (an overloaded provider, a rate limit, a lost connection, an empty response) is retried with
//     [WithBackoff]; a server's Retry-After is honoured where it can be known ([NewTransport]).
//   - An output that a parser or validator refuses ([WithParser], [WithValidator], [Generate]) is reasked with
//     [WithReask]: the model's own output and a correction in the caller's words are appended, and the pairs accumulate.
//     The package has no prompt wording of its own.
//   - Every attempt after the first may differ by [WithPerAttemptOverride]: hotter, longer, or another model. Attempt 0
//     is always the caller's own call.
//   - A failed call says why: [StructuredOutputError] is the failure surface, [AttemptsError] has all attempts,
//     [Category] classifies any error. [CaptureReports] shows the attempts of calls that succeeded.
//
// The steps of a pipeline can share a [Trail] of what was refused, and a text that is there already can be decoded with
// [SchemaRetry], without a decorator.
//
// A first attempt that succeeds without a parser cannot be told from a call of the bare model: same response, same
// options, same messages, no allocation.
//
// # Concurrency
//
// A Model is immutable and serves any number of goroutines, as far as the decorated model does. What the caller hands
// over - messages, parts, options, metadata, schedules - is never written to. Everything the caller's functions are
// given is shared and read-only for them.
//
// # What a decorator cannot know
//
// langchaingo's clients lose a good deal: statuses, finish reasons, whether a stream was cut. docs/rough_edges.md and
// docs/conformance.md in the repository say what that means here.
package llmretry
