package llmretry

import (
	"encoding/json"
)

// The JSON of reports and errors is for people and tools that were given it on purpose: unlike logs, %+v and spans it
// holds the contents - messages, outputs, options, error texts. It is bounded: a text is cut after maxJSONText bytes,
// and a document holds about maxJSON bytes of texts. It is written and not read back.
const (
	maxJSONText = 64 << 10
	maxJSON     = 4 << 20
)

// MarshalJSON writes all attempts with what was sent, what came back, why it was refused and what it cost. Counters that
// were not reported are null, times are milliseconds. Messages that an attempt shares with the one before it are
// counted in messages_before and not repeated; of binary parts there is the media type and the size. A text that is not
// valid UTF-8 is {"base64": ...}. It never fails, shows contents, and cuts what is very large.
func (r *Report) MarshalJSON() ([]byte, error) {
	if r == nil {
		return []byte("null"), nil
	}
	return json.Marshal(newJSONWriter().report(r, maxNesting))
}

// MarshalJSON writes the attempt as in its [Report], with all of its messages.
func (a Attempt) MarshalJSON() ([]byte, error) {
	return json.Marshal(newJSONWriter().attempt(&a, nil, maxNesting))
}

// MarshalJSON writes the failure surface, without the response.
func (f Failure) MarshalJSON() ([]byte, error) { return json.Marshal(newJSONWriter().failure(&f)) }

// MarshalJSON writes the failure and its category.
func (e *StructuredOutputError) MarshalJSON() ([]byte, error) {
	if e == nil {
		return []byte("null"), nil
	}
	return e.Failure.MarshalJSON()
}

// MarshalJSON writes the text, what stopped the call, and the report.
func (e *AttemptsError) MarshalJSON() ([]byte, error) {
	if e == nil {
		return []byte("null"), nil
	}
	w := newJSONWriter()
	out := attemptsErrorJSON{Error: w.err(e), Stop: w.err(e.Stop), Last: w.err(e.Err)}
	if e.Report != nil {
		out.Report = w.report(e.Report, maxNesting)
	}
	return json.Marshal(out)
}

// MarshalJSON writes the text and what is known of the exchange.
func (e *ProviderError) MarshalJSON() ([]byte, error) {
	if e == nil {
		return []byte("null"), nil
	}
	out := *newJSONWriter().err(e)
	out.Status, out.RetryAfterMS = e.Status, milliseconds(e.RetryAfter)
	return json.Marshal(out)
}

// MarshalJSON writes the text and the stack.
func (e *PanicError) MarshalJSON() ([]byte, error) {
	if e == nil {
		return []byte("null"), nil
	}
	w := newJSONWriter()
	out := *w.err(e)
	out.Stack = w.text(string(e.Stack))
	return json.Marshal(out)
}

// MarshalJSON writes the text, the step and the trail.
func (e *ExhaustedError) MarshalJSON() ([]byte, error) {
	if e == nil {
		return []byte("null"), nil
	}
	w := newJSONWriter()
	out := exhaustedJSON{Error: w.err(e), Step: e.Step, Last: w.err(e.Err), Trail: make([]entryJSON, len(e.Trail))}
	for i, entry := range e.Trail {
		entry.Error, entry.Raw = w.cut(entry.Error), w.cut(entry.Raw)
		out.Trail[i] = entry.json()
	}
	return json.Marshal(out)
}

// jsonWriter makes the written forms, and counts what is left of the document.
type jsonWriter struct{ left int }

func newJSONWriter() *jsonWriter { return &jsonWriter{left: maxJSON} }

func (w *jsonWriter) report(r *Report, nesting int) *reportJSON {
	out := &reportJSON{Attempts: []attemptJSON{}, Error: w.err(r.Err), Usage: newUsageJSON(r.Usage())}
	if e, ok := r.Err.(*AttemptsError); ok {
		out.Stop = w.err(e.Stop)
	}
	if r.Err == nil && r.Choice >= 0 {
		out.Choice = &r.Choice
	}
	for i := range r.Attempts {
		if w.left <= 0 {
			out.Omitted = len(r.Attempts) - i
			break
		}
		var before *Attempt
		if i > 0 {
			before = &r.Attempts[i-1]
		}
		out.Attempts = append(out.Attempts, *w.attempt(&r.Attempts[i], before, nesting))
	}
	return out
}

func (w *jsonWriter) attempt(a, before *Attempt, nesting int) *attemptJSON {
	out := &attemptJSON{
		Index: a.Index, Reason: a.Reason, Model: w.cut(a.Model), Judged: a.Judged, Error: w.err(a.Err), FinishReason: a.FinishReason,
		Usage:     usageJSON{Input: a.Usage.Input, Output: a.Usage.Output, Total: a.Usage.Total},
		LatencyMS: milliseconds(a.Latency), WaitMS: milliseconds(a.Wait),
		Sent: w.sent(a), Dropped: a.Dropped, Messages: []messageJSON{},
	}
	if out.Error != nil {
		out.Error.Category = a.Category
		out.Error.Status = statusOf(a.Err)
	}
	if refusal, ok := a.Err.(*StructuredOutputError); ok {
		out.Issues = w.issues(refusal.Issues)
	}
	if before != nil {
		out.Before = samePrefix(before.Messages, a.Messages)
	}
	for i, m := range a.Messages[out.Before:] {
		if w.left <= 0 {
			out.Omitted = len(a.Messages) - out.Before - i
			break
		}
		out.Messages = append(out.Messages, w.message(m))
	}
	if a.Response != nil || a.Output != "" {
		out.Output = w.text(a.Output)
	}
	for _, warning := range a.Warnings {
		out.Warnings = append(out.Warnings, w.err(warning))
	}
	for _, nested := range a.Nested {
		if nested != nil && nesting > 0 {
			out.Nested = append(out.Nested, w.report(nested, nesting-1))
		}
	}
	return out
}

func (w *jsonWriter) failure(f *Failure) *failureJSON {
	e := StructuredOutputError{*f}
	out := &failureJSON{
		Category: e.ownCategory(), Message: w.text(f.ErrorMessage), Issues: w.issues(f.Issues), Output: w.text(f.OutputContent),
		Attempt: f.Attempt, Remaining: f.Remaining, Choice: f.Choice, FinishReason: f.FinishReason,
		Usage: usageJSON{Input: f.Usage.Input, Output: f.Usage.Output, Total: f.Usage.Total},
	}
	if len(f.Schema) <= maxJSONText && json.Valid(f.Schema) {
		out.Schema = f.Schema
	}
	return out
}

// issues bounds what a check of the caller's may put into them.
func (w *jsonWriter) issues(is Issues) Issues {
	var out Issues
	for _, i := range is {
		if w.left <= 0 {
			break
		}
		out = append(out, Issue{w.cut(i.Path), w.cut(i.Code), w.cut(i.Want), w.cut(i.Got), w.cut(i.Message)})
	}
	return out
}
