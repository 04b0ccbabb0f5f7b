// Package outputparser turns model output into Go values: [JSON] by a schema taken from a Go type, [FromSchema] by a
// schema of your own, and small ones for words, lists, patterns and agent steps. All of them implement langchaingo's
// schema.OutputParser.
//
// A lenient parser, the default, extracts and never guesses. It may drop what is not the value: prose, fences, closed
// reasoning blocks, byte order marks. It tolerates what cannot change a value: trailing commas, comments, raw line
// breaks in strings, no-break spaces between tokens, a key given twice with equal values. It never closes brackets,
// adds quotes, invents null, coerces types, changes case, picks one of two different answers, or takes a value out of
// a broken one. With [Strict] the whole text must be the value.
//
// The schema judges the raw value, with exact numbers, before anything is decoded into a Go type. What is wrong comes
// back as [llmretry.Issues], all at once, in the language of the schema: JSON Pointer, stable code, what was wanted and
// what came. Find them with errors.As.
//
// Parsers are immutable and safe for concurrent use. Everything that can be prepared is prepared by the constructors;
// they return an error, matching [llmretry.ErrInvalidOption], for whatever is wrong with their arguments, and never
// panic. No parser ships words of its own for a prompt: GetFormatInstructions is the bare schema, or what
// [Instructions] makes of it.
//
// # Issue codes
//
// About the text: no_value, truncated, syntax, encoding, number, too_deep, duplicate_key, extra_text (strict only),
// ambiguous, tool_call, schema_echo. About the value, by the schema's keywords: required, additional, type, enum, const,
// format, pattern, minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of, min_length, max_length, min_items,
// max_items, unique_items, contains, max_contains, additional_items, min_properties, max_properties, property_name,
// one_of, not, not_allowed, content, schema_loop, and schema for what has no better one. About the Go type and the
// caller's code: range, decode, check, panic. Of the parsers of plain text and of tools: empty_item, observation,
// unknown_tool. At most 50 issues are listed; one with the code "more" counts the rest. A union's issues are those of
// the branch that fits best.
//
// # Limits
//
// A scalar is found only when it is all that the reply, or the fence around the whole reply, holds: in prose any
// number could be the answer. A reply that begins with a broken object or array is refused whatever follows. Patterns
// are Go's regular expressions; a schema with another dialect's (look-around) does not compile. Formats that the
// validator does not know are not asserted, and contentEncoding is checked only where a []byte is decoded. Of a value
// with more than 200 000 parts, or one that is as large for being deep, it is said that it does not fit but not where.
// Validate is called on the value itself, not on what is inside it. Under a
// schema that branches on its way down (a tree of tagged kinds) values are bounded in depth, since the cost of judging
// them multiplies with every level. There is no repair. A response format for langchaingo's OpenAI client is made by
// llmretry/compose.
package outputparser
