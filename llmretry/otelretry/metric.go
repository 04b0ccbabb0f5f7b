package otelretry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/semconv/v1.41.0/genaiconv"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// The bucket boundaries that the GenAI conventions name, and ours for what they have no metric for.
var (
	durationBuckets = []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
	tokenBuckets    = []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
	reaskBuckets    = []float64{0, 1, 2, 3, 5, 8, 13}
	waitBuckets     = []float64{0, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60}
)

// instruments are the metrics of semantics H3. None has the attempt's index among its attributes.
type instruments struct {
	duration genaiconv.ClientOperationDuration
	tokens   genaiconv.ClientTokenUsage
	outcomes outcomes
	reasks   metric.Int64Histogram
	wait     metric.Float64Histogram
}

func meterOf(p metric.MeterProvider) metric.Meter {
	return p.Meter(scope, metric.WithSchemaURL(semconv.SchemaURL))
}

func newInstruments(p metric.MeterProvider) (m *instruments, err error) {
	meter := meterOf(p)
	m = new(instruments)
	if m.duration, err = genaiconv.NewClientOperationDuration(meter, metric.WithExplicitBucketBoundaries(durationBuckets...)); err != nil {
		return nil, err
	}
	if m.tokens, err = genaiconv.NewClientTokenUsage(meter, metric.WithExplicitBucketBoundaries(tokenBuckets...)); err != nil {
		return nil, err
	}
	if m.outcomes, err = newOutcomes(meter); err != nil {
		return nil, err
	}
	if m.reasks, err = meter.Int64Histogram("llmretry.call.reasks", metric.WithUnit("{reask}"),
		metric.WithDescription("Reasks of a call in which an output was judged."),
		metric.WithExplicitBucketBoundaries(reaskBuckets...)); err != nil {
		return nil, err
	}
	if m.wait, err = meter.Float64Histogram("llmretry.retry.wait", metric.WithUnit("s"),
		metric.WithDescription("Wait before a retry, as scheduled."),
		metric.WithExplicitBucketBoundaries(waitBuckets...)); err != nil {
		return nil, err
	}
	return m, nil
}

// operation measures one attempt, which is one operation of the conventions.
func (m *instruments) operation(ctx context.Context, a *llmretry.Attempt, of *series) {
	if m.duration.Enabled(ctx) {
		with := of.accepted
		if failed(a) {
			with = of.with(errorType(a.Category))
		}
		m.duration.Float64Histogram.Record(ctx, a.Latency.Seconds(), with...)
	}
	if !m.tokens.Enabled(ctx) {
		return
	}
	if n := a.Usage.Input; n.Known {
		m.tokens.Int64Histogram.Record(ctx, int64(n.N), of.input...)
	}
	if n := a.Usage.Output; n.Known {
		m.tokens.Int64Histogram.Record(ctx, int64(n.N), of.output...)
	}
}

// retry measures the wait before a retry; without one it is zero, so that its count is the number of retries.
func (m *instruments) retry(ctx context.Context, a *llmretry.Attempt, of *series, wait time.Duration) {
	if m.wait.Enabled(ctx) {
		m.wait.Record(ctx, wait.Seconds(), of.with(errorType(a.Category))...)
	}
}

// call measures a finished call. One in which nothing was judged has no reasks to speak of.
func (m *instruments) call(ctx context.Context, r *llmretry.Report, err error) {
	if !m.reasks.Enabled(ctx) || !judged(r) {
		return
	}
	var with []metric.RecordOption
	if err != nil {
		with = append(with, metric.WithAttributes(errorType(llmretry.Category(err))))
	}
	m.reasks.Record(ctx, int64(reasks(r)), with...)
}

func judged(r *llmretry.Report) bool {
	for i := range r.Attempts {
		if r.Attempts[i].Judged {
			return true
		}
	}
	return false
}
