// Package reaskprompt makes builders for llmretry.WithReask out of the caller's own text.
//
//	builder, err := reaskprompt.Template("Refused:\n{{issues .}}\nAnswer again with the JSON object only.")
//	model, err := llmretry.New(inner, llmretry.WithReask(builder))
//
// Every word is the caller's: the package has no default prompt, and what it adds to the inserted texts is
// punctuation, digits and line breaks. (Semantics E1.)
//
// [Template] is text/template over an [llmretry.Failure]. [Format] knows three placeholders and is enough for most.
// Both find what they can when they are made, not in the middle of a failed call; their errors match
// [llmretry.ErrInvalidOption]. [Clip] goes around any builder and bounds what it is given.
//
// # Size
//
// A rendered issue list is bounded: 20 lines of at most 400 bytes. Nothing else is: a builder that repeats the output
// is as long as the output, which the transcript already holds verbatim. Bound it with [Clip] or the helper clip.
//
// # Model output
//
// The inserted texts are the model's, and nothing in them is expanded again. Whether the model can tell them from the
// caller's words is up to the caller: the helpers quote and fence delimit a text so that it cannot end its delimiter.
//
// The builders are immutable and safe for concurrent use.
package reaskprompt
