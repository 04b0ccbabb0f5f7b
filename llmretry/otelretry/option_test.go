package otelretry_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/otelretry"
)

// All problems come at once.
func TestOptionsInvalid(t *testing.T) {
	opts := []otelretry.Option{nil, otelretry.WithTracerProvider(nil), otelretry.WithMeterProvider(nil),
		otelretry.WithProvider(nil), otelretry.WithPayload(0, nil)}
	_, err := otelretry.New(opts...)
	require.ErrorIs(t, err, llmretry.ErrInvalidOption)
	for _, what := range []string{"option 0 is nil", "WithTracerProvider: nil", "WithMeterProvider: nil",
		"WithProvider: nil", "WithPayload: at most 0 bytes"} {
		assert.ErrorContains(t, err, what)
	}
	_, err = otelretry.OutcomeCounter(opts...)
	require.ErrorIs(t, err, llmretry.ErrInvalidOption)
}

// What the meter provider says is what New says.
func TestMetricInstrumentsFail(t *testing.T) {
	for n := range 5 {
		m := &failing{left: n}
		_, err := otelretry.New(otelretry.WithMeterProvider(m))
		require.ErrorIs(t, err, errOdd, "instrument %d", n)
	}
	_, err := otelretry.OutcomeCounter(otelretry.WithMeterProvider(&failing{}))
	require.ErrorIs(t, err, errOdd)
}

// failing is a meter provider whose meter makes a few instruments.
type failing struct {
	noop.MeterProvider
	left int
}

func (f *failing) Meter(string, ...metric.MeterOption) metric.Meter { return &failingMeter{f: f} }

type failingMeter struct {
	noop.Meter
	f *failing
}

func (m *failingMeter) next() error {
	m.f.left--
	if m.f.left < 0 {
		return errOdd
	}
	return nil
}

func (m *failingMeter) Float64Histogram(string, ...metric.Float64HistogramOption) (metric.Float64Histogram, error) {
	return noop.Float64Histogram{}, m.next()
}

func (m *failingMeter) Int64Histogram(string, ...metric.Int64HistogramOption) (metric.Int64Histogram, error) {
	return noop.Int64Histogram{}, m.next()
}

func (m *failingMeter) Int64Counter(string, ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	return noop.Int64Counter{}, m.next()
}
