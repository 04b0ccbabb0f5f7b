package otelretry

import (
	"context"
	"sync/atomic"
	"time"

	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// scope is the name of this package's tracer and meter.
const scope = "github.com/llmretry/langchaingo-llmretry/llmretry/otelretry"

// New returns an observer that makes spans and metrics of calls. It is safe for concurrent use and may observe any
// number of decorators. Everything wrong with the options comes back as one error, each part of which matches
// llmretry.ErrInvalidOption; other errors are the meter provider's. (Semantics H1 to H4.)
func New(opts ...Option) (llmretry.Observer, error) {
	c, err := newConfig(opts)
	if err != nil {
		return llmretry.Observer{}, err
	}
	m, err := newInstruments(c.meters)
	if err != nil {
		return llmretry.Observer{}, err
	}
	o := &observer{
		tracer:      c.tracers.Tracer(scope, trace.WithSchemaURL(semconv.SchemaURL)),
		instruments: m,
		models:      &models{provider: c.provider},
		payload:     c.payload,
	}
	return llmretry.Observer{Attempt: o.attempt, Retry: o.retry, Done: o.done}, nil
}

// observer holds nothing of a call: what belongs to an attempt is in its context and in the function that ends it.
type observer struct {
	tracer      trace.Tracer
	instruments *instruments
	models      *models
	payload     payload
}

func (o *observer) attempt(ctx context.Context, s llmretry.AttemptStart) (context.Context, func(llmretry.Attempt)) {
	if s.Reason == llmretry.ReasonReask {
		o.instruments.outcomes.add(ctx, llmretry.OutcomeRetry)
	}
	if above, ok := ctx.Value(attemptKey{}).(*attemptContext); ok {
		above.handedDown.Store(true)
	}
	of := o.models.of(s.Model)
	ctx, span := o.start(ctx, s, of)
	here := &attemptContext{Context: ctx}
	return here, func(a llmretry.Attempt) {
		if span.IsRecording() {
			o.describe(span, &a)
		}
		span.End()
		if !here.handedDown.Load() {
			o.instruments.operation(ctx, &a, of)
		}
	}
}

func (o *observer) retry(ctx context.Context, a llmretry.Attempt, wait time.Duration) {
	o.instruments.retry(ctx, &a, o.models.of(a.Model), wait)
}

func (o *observer) done(ctx context.Context, r *llmretry.Report, err error) {
	if outcome := outcomeOf(r, err); outcome != "" {
		o.instruments.outcomes.add(ctx, outcome)
	}
	o.instruments.call(ctx, r, err)
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		tell(span, r, err)
	}
}

// attemptKey finds the innermost attempt that this package observes.
type attemptKey struct{}

// attemptContext is the context of an observed attempt. A decorator below, observed as well, leaves word in it: the
// operations are that one's then.
type attemptContext struct {
	context.Context
	handedDown atomic.Bool
}

func (c *attemptContext) Value(key any) any {
	if key == (attemptKey{}) {
		return c
	}
	return c.Context.Value(key)
}
