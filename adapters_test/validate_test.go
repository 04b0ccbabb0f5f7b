package adapters_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// validate finds what the decoder's own strictness cannot see: keys of maps, words of closed vocabularies, and what
// must be there. Every problem names its place, so that a slip in a case is never a silent skip.
func (f *fixture) validate() error {
	var v validator
	if len(f.MockProvider.Responses) == 0 {
		v.add("mock_provider.responses", "is empty")
	}
	for i, r := range f.MockProvider.Responses {
		if r.Status < 200 || r.Status > 599 {
			v.add(fmt.Sprintf("mock_provider.responses[%d].status", i), "is %d", r.Status)
		}
	}
	v.middleware("retry_middleware", f.RetryMiddleware)
	switch {
	case (f.Call != nil) == (f.Calls != nil):
		v.add("call", "and calls: want one of the two")
	case f.Call != nil:
		if f.Call.Expected != nil {
			v.add("call.expected", "belongs beside call")
		}
		v.call("call", f.Call)
		v.expectation("expected", f.Expected)
	case f.Expected != nil:
		v.add("expected", "belongs into each of calls")
	case len(f.Calls) == 0:
		v.add("calls", "is empty")
	}
	for i := range f.Calls {
		at := fmt.Sprintf("calls[%d]", i)
		v.call(at, &f.Calls[i])
		v.expectation(at+".expected", f.Calls[i].Expected)
	}
	return errors.Join(v.problems...)
}

type validator struct{ problems []error }

func (v *validator) add(at, format string, args ...any) {
	v.problems = append(v.problems, fmt.Errorf(at+" "+format, args...))
}

func (v *validator) check(at string, err error) {
	if err != nil {
		v.add(at, "%w", err)
	}
}

func (v *validator) call(at string, c *fixtureCall) {
	if c.Operation != "" && c.Operation != "complete" {
		v.add(at+".operation", "%q is not one of: complete", c.Operation)
	}
	if len(c.Messages) == 0 {
		v.add(at+".messages", "is empty")
	}
	for i, m := range c.Messages {
		_, err := m.content()
		v.check(fmt.Sprintf("%s.messages[%d]", at, i), err)
		_, err = m.lower()
		v.check(fmt.Sprintf("%s.messages[%d]", at, i), err)
	}
	for i, t := range c.Tools {
		if (t.Name == "") == (t.Function == nil) || t.Type != "" && t.Type != "function" {
			v.add(fmt.Sprintf("%s.tools[%d]", at, i), "is not one function with a name")
		}
	}
	v.check(at+".config", c.Config.check())
	v.middleware(at+".retry_middleware", c.RetryMiddleware)
	if c.Retry == nil {
		return
	}
	for i, entry := range c.Retry.PerAttemptOverride {
		v.check(fmt.Sprintf("%s.retry.per_attempt_override[%d]", at, i), entry.check())
	}
	_, err := classifierOf(c.Retry.Classifier)
	v.check(at+".retry.classifier", err)
	if b := c.Retry.Backoff; b != nil && b.Type != "deterministic" {
		v.add(at+".retry.backoff.type", "%q is not one of: deterministic", b.Type)
	}
}

func (v *validator) middleware(at string, m *retryMiddleware) {
	if m != nil {
		_, err := classifierOf(m.Classifier)
		v.check(at+".classifier", err)
	}
}

func (v *validator) expectation(at string, e *expectation) {
	if e == nil {
		v.add(at, "is missing")
		return
	}
	if (e.Response == nil) == (e.Raises == nil) {
		v.add(at, "wants one of response and raises")
	}
	if r := e.Response; r != nil {
		v.usage(at+".response.usage", r.Usage)
		if r.Message != nil {
			_, err := r.Message.content()
			v.check(at+".response.message", err)
		}
	}
	if e.Raises != nil && e.Raises.Carries != nil {
		v.usage(at+".raises.carries.usage", e.Raises.Carries.Usage)
	}
	for i, r := range e.WireRequests {
		v.check(fmt.Sprintf("%s.wire_requests[%d].sampling", at, i), checkNames(r.Sampling))
		for _, m := range slices.Concat(r.AppendedMessages, r.Messages) {
			_, err := m.content()
			v.check(fmt.Sprintf("%s.wire_requests[%d]", at, i), err)
		}
	}
	for i, s := range e.LLMSpans {
		for name := range s.Attributes {
			if !knownAttribute(name) {
				v.add(fmt.Sprintf("%s.llm_spans[%d].attributes", at, i), "has an unknown attribute %q", name)
			}
		}
	}
}

// usageFields are the counters of the shape.
var usageFields = []string{"prompt_tokens", "completion_tokens", "total_tokens"}

func (v *validator) usage(at string, n yaml.Node) {
	value := valueOf(n)
	counters, ok := value.(map[string]any)
	if value != nil && !ok {
		v.add(at, "is not a map")
	}
	for name, count := range counters {
		if !slices.Contains(usageFields, name) {
			v.add(at, "has an unknown key %q (known: %s)", name, strings.Join(usageFields, ", "))
		}
		if _, ok := count.(int); count != nil && !ok {
			v.add(at+"."+name, "is not a whole number")
		}
	}
}
