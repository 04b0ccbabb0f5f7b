package llmretry

import (
	"maps"
	"slices"
)

// FailureClass sorts what can go wrong by what helps against it. It is coarser than [ErrorCategory] for providers and
// finer for outputs.
type FailureClass string

// The classes.
const (
	ClassTransient FailureClass = "transient" // a failure of the provider or of the connection, an attempt timeout
	ClassEmpty     FailureClass = "empty"     // nothing came back
	ClassSyntax    FailureClass = "syntax"    // there was no value to read: no JSON, several values, prose
	ClassSchema    FailureClass = "schema"    // a value that its schema refuses
	ClassCheck     FailureClass = "check"     // a value that only a validator or a check refuses
	ClassTruncated FailureClass = "truncated" // refused, and cut at the token limit
)

// WithClassOverride gives a class of failures a schedule of its own: entry i is for the attempt after the i-th failure
// of that class, from 0, the last one carries forward. It is used instead of the entry of [WithPerAttemptOverride] for
// that attempt; classes without one fall back to that. An empty schedule removes an earlier one.
func WithClassOverride(class FailureClass, schedule ...Override) Option {
	schedule = cloneSchedule(schedule)
	return func(c *config) {
		switch class {
		case ClassTransient, ClassEmpty, ClassSyntax, ClassSchema, ClassCheck, ClassTruncated:
		default:
			c.problem("WithClassOverride(%q): no such class", class)
		}
		c.check("WithClassOverride", schedule)
		classes := maps.Clone(c.classes) // shared with the configs this one was derived from
		if classes == nil {
			classes = make(map[FailureClass][]Override)
		}
		classes[class] = schedule
		c.classes = classes
	}
}

// valueless are the issue codes that say there was no one value to judge.
var valueless = []string{
	"no_value", "truncated", "syntax", "encoding", "number", "too_deep", "duplicate_key", "extra_text", "ambiguous", "tool_call", "schema_echo",
}

// classOf returns the class of a failed attempt.
func classOf(o *outcome) FailureClass {
	refusal, ok := o.err.(*StructuredOutputError)
	ok = ok && o.verdict != failed // then it is the refusal of a decorator below, an error like any other
	switch {
	case !ok && Category(o.err) == CategoryEmptyResponse:
		return ClassEmpty
	case !ok:
		return ClassTransient
	case refusal.FinishReason == FinishLength:
		return ClassTruncated
	case slices.ContainsFunc(refusal.Issues, func(i Issue) bool { return slices.Contains(valueless, i.Code) }):
		return ClassSyntax
	case o.checked || len(refusal.Issues) > 0 && !slices.ContainsFunc(refusal.Issues, func(i Issue) bool { return i.Code != "check" }):
		return ClassCheck
	case len(refusal.Issues) > 0:
		return ClassSchema
	default: // a parser that does not say what it missed
		return ClassSyntax
	}
}

// due returns the schedule's entry for the attempt after o: that of o's class, else that of the plain schedule.
func (k *call) due(o *outcome) Override {
	if k.c.classes != nil {
		class := classOf(o)
		if k.failures == nil {
			k.failures = make(map[FailureClass]int)
		}
		k.failures[class]++
		if schedule := k.c.classes[class]; len(schedule) > 0 {
			return entry(schedule, k.failures[class]-1)
		}
	}
	return entry(k.c.schedule, k.index+k.skipped)
}
