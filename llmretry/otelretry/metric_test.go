package otelretry_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/llmretry/langchaingo-llmretry/internal/golden"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/otelretry"
)

// The metrics of every scenario, whole. (Semantics H3.)
func TestMetrics(t *testing.T) {
	var w strings.Builder
	each(t, func(t *testing.T, s scenario, r *rig, _ error) {
		fmt.Fprintf(&w, "== %s\n", s.name)
		printMetrics(&w, r.collect(t))
	})
	golden.Check(t, "metrics.golden", w.String())
}

// The counter is about validation only, and no metric has the attempt's index. (Semantics H3, H4.)
func TestMetricOutcomes(t *testing.T) {
	each(t, func(t *testing.T, s scenario, r *rig, _ error) {
		want := s.outcomes
		if want == nil {
			want = counts{}
		}
		assert.Equal(t, want, r.outcomes(t))
		var w strings.Builder
		printMetrics(&w, r.collect(t))
		assert.NotContains(t, w.String(), "attempt_index")
		assert.NotContains(t, w.String(), "is a", "a kind of metric that is not looked at")
	})
}

// The provider is named where it is known. (Semantics H1, H3.)
func TestMetricProvider(t *testing.T) {
	by := func(model string) string { return map[string]string{"small-q4": "openai", "large": "anthropic"}[model] }
	for _, s := range scenarios {
		if s.name != "another model" {
			continue
		}
		s.play(t, func(t *testing.T, r *rig, _ error) {
			var w strings.Builder
			printMetrics(&w, r.collect(t))
			assert.Contains(t, w.String(), "gen_ai.client.operation.duration{gen_ai.operation.name=chat,gen_ai.provider.name=anthropic,gen_ai.request.model=large} n=1")
			assert.Contains(t, w.String(), "gen_ai.client.operation.duration{error.type=structured_output_invalid,gen_ai.operation.name=chat,gen_ai.request.model=small-q8} n=1")
			var providers []string
			for _, span := range r.attempts() {
				v, _ := value(span.Attributes, "gen_ai.provider.name")
				providers = append(providers, v.AsString())
			}
			assert.Equal(t, []string{"openai", "", "anthropic"}, providers)
		}, otelretry.WithProvider(by))
	}
}

// Of decorators in each other only attempts that reach a model are operations; a lone outer one measures its own.
// (Semantics A8, H3.)
func TestMetricNested(t *testing.T) {
	for _, both := range []bool{true, false} {
		t.Run(fmt.Sprintf("both=%v", both), func(t *testing.T) {
			r := newRig(t)
			below := []llmretry.Option{llmretry.WithBackoff(llmretry.Constant(0))}
			if both {
				below = append(below, llmretry.WithObserver(r.observer))
			}
			inner := llmretry.Must(llmretry.New(&script{replies: []reply{{err: fails(503).err, takes: 1},
				{response: says("good").response, takes: 1}}}, below...))
			outer := llmretry.Must(llmretry.New(inner, llmretry.WithObserver(r.observer), byParser))
			_, err := outer.GenerateContent(t.Context(), hello)
			require.NoError(t, err)
			operations, tokens := uint64(0), int64(0)
			for _, m := range r.collect(t) {
				switch m.Name {
				case "gen_ai.client.operation.duration":
					for _, p := range m.Data.(metricdata.Histogram[float64]).DataPoints {
						operations += p.Count
					}
				case "gen_ai.client.token.usage":
					for _, p := range m.Data.(metricdata.Histogram[int64]).DataPoints {
						tokens += p.Sum
					}
				}
			}
			want := map[bool]uint64{true: 2, false: 1}
			assert.Equal(t, want[both], operations)
			assert.EqualValues(t, 14, tokens, "once")
			assert.Equal(t, counts{"success": 1}, r.outcomes(t))
		})
	}
}
