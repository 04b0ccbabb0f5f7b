package otelretry_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/otelretry"
)

// More models than are kept are measured all the same, each as itself. (Semantics H3.)
func TestMetricManyModels(t *testing.T) {
	const many = 600
	r := newRig(t)
	m := llmretry.Must(llmretry.New(&fixed{says("good").response}, llmretry.WithObserver(r.observer)))
	for i := range 2 * many {
		_, err := m.GenerateContent(t.Context(), hello, llms.WithModel(fmt.Sprint("m", i%many)))
		require.NoError(t, err)
	}
	for _, metric := range r.collect(t) {
		if metric.Name == "gen_ai.client.operation.duration" {
			points := metric.Data.(metricdata.Histogram[float64]).DataPoints
			assert.Len(t, points, many)
			for _, p := range points {
				assert.EqualValues(t, 2, p.Count)
			}
		}
	}
}

// One observer serves many calls at once. (Semantics J1.)
func TestSpanConcurrently(t *testing.T) {
	const calls = 50
	r := newRig(t, otelretry.WithPayload(100, nil))
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() {
			m := llmretry.Must(llmretry.New(&script{replies: quick(says("bad"), says("good"))}, llmretry.WithObserver(r.observer), byParser, reasking))
			_, err := m.GenerateContent(t.Context(), hello, llms.WithModel(fmt.Sprint("m", i%3)))
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	assert.Len(t, r.attempts(), 2*calls)
	assert.Equal(t, counts{"retry": calls, "success": calls}, r.outcomes(t))
}

// The default is the global provider, one that is set later too. OpenTelemetry hands over to a later one once in a
// process, so the test does so as well.
func TestSpanByTheGlobalProvider(t *testing.T) {
	r := later(t)
	r.spans.Reset()
	m := llmretry.Must(llmretry.New(&fixed{says("good").response}, llmretry.WithObserver(r.observer)))
	_, err := m.GenerateContent(t.Context(), hello)
	require.NoError(t, err)
	assert.Len(t, r.attempts(), 1)
}

var (
	laterOnce sync.Once
	laterRig  *rig
)

// later is a rig whose observer was made before its provider was the global one.
func later(t *testing.T) *rig {
	laterOnce.Do(func() {
		observer, err := otelretry.New()
		require.NoError(t, err)
		laterRig = newRig(t)
		laterRig.observer = observer
		otel.SetTracerProvider(laterRig.tracers)
		otel.SetTracerProvider(noop.NewTracerProvider()) // for the tests of those who have none
	})
	return laterRig
}
