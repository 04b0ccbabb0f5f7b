package llmretry

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
)

// The LogValue methods give figures, names and codes, and no text that a model, a provider, a parser or a caller's
// function made: all of those quote. What they leave out is in the fields. (Semantics H2.)
var (
	_ slog.LogValuer = (*Report)(nil)
	_ slog.LogValuer = Attempt{}
	_ slog.LogValuer = Failure{}
	_ slog.LogValuer = (*StructuredOutputError)(nil)
	_ slog.LogValuer = (*AttemptsError)(nil)
	_ slog.LogValuer = (*ProviderError)(nil)
	_ slog.LogValuer = (*PanicError)(nil)
	_ slog.LogValuer = (*ExhaustedError)(nil)
	_ slog.LogValuer = Issue{}
	_ slog.LogValuer = Issues(nil)
	_ slog.LogValuer = TrailEntry{}
	_ slog.LogValuer = (*Trail)(nil)
)

// LogValue is the call in figures, with a group for each attempt, the last ones of many.
func (r *Report) LogValue() slog.Value {
	if r == nil {
		return slog.StringValue("<nil>")
	}
	attrs := callAttrs(r, r.Err)
	for i := max(0, len(r.Attempts)-maxListed); i < len(r.Attempts); i++ {
		a := &r.Attempts[i]
		attrs = append(attrs, slog.Attr{Key: "attempt" + strconv.Itoa(a.Index), Value: a.LogValue()})
	}
	return slog.GroupValue(attrs...)
}

// LogValue is the attempt in figures, as [SlogObserver] logs it, with the wait after it.
func (a Attempt) LogValue() slog.Value {
	attrs := attemptAttrs(a)
	if a.Wait > 0 {
		attrs = append(attrs, slog.Duration("wait", a.Wait))
	}
	return slog.GroupValue(attrs...)
}

// LogValue is the failure in figures, with the codes of its issues.
func (f Failure) LogValue() slog.Value {
	e := StructuredOutputError{f}
	attrs := []slog.Attr{
		slog.String("category", string(e.ownCategory())),
		slog.Int("attempt", f.Attempt),
		slog.Int("remaining", f.Remaining),
		slog.Int("output_bytes", len(f.OutputContent)),
		slog.Int("message_bytes", len(f.ErrorMessage)),
	}
	if f.FinishReason != "" {
		attrs = append(attrs, slog.String("finish_reason", string(f.FinishReason)))
	}
	return slog.GroupValue(append(append(attrs, issueAttrs(f.Issues)...), usageAttrs(f.Usage)...)...)
}

// LogValue is that of the failure.
func (e *StructuredOutputError) LogValue() slog.Value {
	if e == nil {
		return slog.StringValue("<nil>")
	}
	return e.Failure.LogValue()
}

// LogValue is the report's figures, what stopped the call, and the last error in figures.
func (e *AttemptsError) LogValue() slog.Value {
	if e == nil {
		return slog.StringValue("<nil>")
	}
	var attrs []slog.Attr
	if e.Report != nil {
		attrs = callAttrs(e.Report, e)
	} else if stop := stopName(e); stop != "" {
		attrs = append(attrs, slog.String("stop", stop))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.Attr{Key: "last", Value: errorValue(e.Err)})
	}
	return slog.GroupValue(attrs...)
}

// LogValue is the category, the status and the wait asked for, and the type of the annotated error.
func (e *ProviderError) LogValue() slog.Value {
	if e == nil {
		return slog.StringValue("<nil>")
	}
	attrs := []slog.Attr{slog.String("category", string(e.Category))}
	if e.Status != 0 {
		attrs = append(attrs, slog.Int("status", e.Status))
	}
	if e.RetryAfter > 0 {
		attrs = append(attrs, slog.Duration("retry_after", e.RetryAfter))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.String("type", fmt.Sprintf("%T", e.Err)))
	}
	return slog.GroupValue(attrs...)
}

// LogValue is the type of the panic's value and the stack, which holds no values.
func (e *PanicError) LogValue() slog.Value {
	if e == nil {
		return slog.StringValue("<nil>")
	}
	return slog.GroupValue(
		slog.String("category", string(CategoryPanic)),
		slog.String("type", fmt.Sprintf("%T", e.Value)),
		slog.String("stack", clip(string(e.Stack), maxStack)),
	)
}

// LogValue is the step, the size of the trail and the last error in figures.
func (e *ExhaustedError) LogValue() slog.Value {
	if e == nil {
		return slog.StringValue("<nil>")
	}
	attrs := []slog.Attr{slog.String("category", string(Category(e))), slog.Int("entries", len(e.Trail))}
	if e.Step != "" {
		attrs = append(attrs, slog.String("step", clip(e.Step, maxName)))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.Attr{Key: "last", Value: errorValue(e.Err)})
	}
	return slog.GroupValue(attrs...)
}

// LogValue is the path and the code. The name of a property that nobody asked for is the model's word: it is a * there.
func (i Issue) LogValue() slog.Value {
	path := i.discreet().Path
	return slog.GroupValue(slog.String("path", clip(path, maxName)), slog.String("code", clip(i.Code, maxName)))
}

// LogValue is the number of issues and the first of them.
func (is Issues) LogValue() slog.Value {
	attrs := []slog.Attr{slog.Int("count", len(is))}
	for n, issue := range is[:min(len(is), maxIssuesInText)] {
		attrs = append(attrs, slog.Attr{Key: strconv.Itoa(n), Value: issue.LogValue()})
	}
	return slog.GroupValue(attrs...)
}

// LogValue is where the failure was and how long its texts are.
func (e TrailEntry) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("step", clip(e.Step, maxName)), slog.Int("attempt", e.Attempt), slog.Int("count", e.Count),
		slog.Int("error_bytes", len(e.Error)), slog.Int("raw_bytes", len(e.Raw)),
	)
}

// LogValue is the number of entries and how often they were recorded.
func (t *Trail) LogValue() slog.Value {
	entries := t.Entries()
	recorded := 0
	for _, e := range entries {
		recorded += e.Count
	}
	return slog.GroupValue(slog.Int("entries", len(entries)), slog.Int("recorded", recorded))
}

// issueAttrs counts issues and names their codes, which are the parser's words.
func issueAttrs(is Issues) []slog.Attr {
	if len(is) == 0 {
		return nil
	}
	var codes []string
	for _, i := range is {
		if code := clip(i.Code, maxName); code != "" && !slices.Contains(codes, code) && len(codes) < maxIssuesInText {
			codes = append(codes, code)
		}
	}
	attrs := []slog.Attr{slog.Int("issues", len(is))}
	if codes != nil {
		attrs = append(attrs, slog.String("codes", strings.Join(codes, ",")))
	}
	return attrs
}

// errorValue is any error in figures: its own LogValue when it is one of ours, else category and type.
func errorValue(err error) slog.Value {
	switch e := err.(type) {
	case *StructuredOutputError:
		return e.LogValue()
	case *AttemptsError:
		return e.LogValue()
	case *ProviderError:
		return e.LogValue()
	case *PanicError:
		return e.LogValue()
	case *ExhaustedError:
		return e.LogValue()
	}
	attrs := []slog.Attr{slog.String("category", string(Category(err)))}
	if status := statusOf(err); status != 0 {
		attrs = append(attrs, slog.Int("status", status))
	}
	return slog.GroupValue(append(attrs, slog.String("type", fmt.Sprintf("%T", err)))...)
}

// stops are what can end a call, in words of ours: the error's own text may be the caller's.
var stops = []struct {
	err  error
	name string
}{
	{ErrMaxAttempts, "max_attempts"},
	{ErrTokenBudget, "token_budget"},
	{ErrMaxModelCalls, "max_model_calls"},
	{ErrStagnated, "stagnated"},
	{ErrRetryAfter, "retry_after"},
}

// stopName names what ended a call, "" when its last error did so by itself.
func stopName(err error) string {
	var e *AttemptsError
	if !errors.As(err, &e) || e.Stop == nil {
		return ""
	}
	if e.fromBuilder {
		return "builder"
	}
	for _, s := range stops {
		if errors.Is(e.Stop, s.err) {
			return s.name
		}
	}
	if category := Category(e.Stop); category == CategoryCanceled {
		return string(category)
	}
	return "other"
}
