package otelretry

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// The names that are not OpenTelemetry's. (Semantics H1.)
const (
	spanName = "openarmature.llm.complete"

	attemptIndexKey  = attribute.Key("openarmature.llm.attempt_index")
	retryReasonKey   = attribute.Key("openarmature.llm.retry_reason")
	finishReasonKey  = attribute.Key("openarmature.llm.finish_reason")
	modelKey         = attribute.Key("openarmature.llm.model")
	errorCategoryKey = attribute.Key("openarmature.error.category")

	callEvent       = "llmretry.call"
	callOKKey       = attribute.Key("llmretry.call.ok")
	callAttemptsKey = attribute.Key("llmretry.call.attempts")
	callReasksKey   = attribute.Key("llmretry.call.reasks")
	clippedKey      = attribute.Key("llmretry.payload.clipped")
)

// start begins an attempt's span with what the conventions want a sampler to know, and tells the rest of what is known
// already to a span that is kept.
func (o *observer) start(ctx context.Context, s llmretry.AttemptStart, of *series) (context.Context, trace.Span) {
	ctx, span := o.tracer.Start(ctx, spanName, of.start...)
	if !span.IsRecording() {
		return ctx, span
	}
	span.SetAttributes(attemptIndexKey.Int(s.Index))
	if s.Reason != "" {
		span.SetAttributes(retryReasonKey.String(string(s.Reason)))
	}
	if s.Model != "" {
		span.SetAttributes(modelKey.String(s.Model))
	}
	return ctx, span
}

// describe adds what came of an attempt. (Semantics H1, H2.)
func (o *observer) describe(span trace.Span, a *llmretry.Attempt) {
	attrs := requestAttributes(a)
	if a.FinishReason != "" && a.FinishReason != llmretry.FinishUnknown {
		attrs = append(attrs, finishReasonKey.String(string(a.FinishReason)), semconv.GenAIResponseFinishReasons(string(a.FinishReason)))
	}
	if n := a.Usage.Input; n.Known {
		attrs = append(attrs, semconv.GenAIUsageInputTokens(n.N))
	}
	if n := a.Usage.Output; n.Known {
		attrs = append(attrs, semconv.GenAIUsageOutputTokens(n.N))
	}
	if o.payload.on() {
		attrs = append(attrs, o.payload.attributes(a)...)
	}
	if failed(a) {
		if a.Category != "" {
			attrs = append(attrs, errorCategoryKey.String(string(a.Category)))
		}
		attrs = append(attrs, errorType(a.Category))
		span.AddEvent(semconv.ExceptionEventName, trace.WithAttributes(o.exception(a)...))
		span.SetStatus(codes.Error, string(a.Category))
	}
	span.SetAttributes(attrs...)
}

// failed reports whether an attempt came to nothing. The error of one that an observer's panic ended is not known, that
// of a model may be of no known category.
func failed(a *llmretry.Attempt) bool { return a.Err != nil || a.Category != "" }

// errorType is error.type: the category, which is one of a few.
func errorType(c llmretry.ErrorCategory) attribute.KeyValue {
	if c == "" {
		return semconv.ErrorTypeOther
	}
	return semconv.ErrorTypeKey.String(string(c))
}

// maxStack bounds the stack of a panic: it is the first frames that tell where.
const maxStack = 4 << 10

// exception describes a failure without quoting it: the text of an error may hold the prompt, the output or both.
func (o *observer) exception(a *llmretry.Attempt) []attribute.KeyValue {
	kind, message := string(a.Category), string(a.Category)
	if a.Err != nil {
		kind = fmt.Sprintf("%T", a.Err)
	}
	if p, ok := a.Err.(*llmretry.ProviderError); ok && p.Status != 0 {
		message = fmt.Sprintf("%s (status %d)", message, p.Status)
	}
	if a.Err != nil && o.payload.on() {
		message = o.payload.text(wordsOf(a.Err))
	}
	attrs := []attribute.KeyValue{semconv.ExceptionType(kind)}
	if message != "" {
		attrs = append(attrs, semconv.ExceptionMessage(message))
	}
	if p, ok := a.Err.(*llmretry.PanicError); ok && len(p.Stack) > 0 {
		stack, _ := clip(string(p.Stack), maxStack)
		attrs = append(attrs, semconv.ExceptionStacktrace(stack))
	}
	return attrs
}

// wordsOf is all that an error says. A refusal's own text leaves out what the parser quoted.
func wordsOf(err error) string {
	if refusal, ok := err.(*llmretry.StructuredOutputError); ok {
		return refusal.ErrorMessage
	}
	return err.Error()
}

// tell adds the end of a call to the caller's span. (Semantics H4.)
func tell(span trace.Span, r *llmretry.Report, err error) {
	attrs := []attribute.KeyValue{callOKKey.Bool(err == nil), callAttemptsKey.Int(len(r.Attempts)), callReasksKey.Int(reasks(r))}
	if err != nil {
		attrs = append(attrs, errorType(llmretry.Category(err)))
	}
	span.AddEvent(callEvent, trace.WithAttributes(attrs...))
}

// reasks counts the attempts that carried a correction.
func reasks(r *llmretry.Report) (n int) {
	for i := range r.Attempts {
		if r.Attempts[i].Reason == llmretry.ReasonReask {
			n++
		}
	}
	return n
}
