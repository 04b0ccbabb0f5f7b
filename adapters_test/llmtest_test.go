package adapters_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/testing/llmtest"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// TestLangchaingosOwn runs langchaingo's checks of a model on decorated clients: with nothing set, and with everything
// set that lets texts pass.
func TestLangchaingosOwn(t *testing.T) {
	t.Parallel()
	for _, d := range []*dialect{openaiDialect(), anthropicDialect(), ollamaDialect()} {
		for name, opts := range map[string][]llmretry.Option{
			"plain": nil,
			"full": {
				llmretry.WithParser[string](llmretry.ParserFunc[string](func(text string) (string, error) { return text, nil })),
				correcting(), llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.3)...), llmretry.WithTokenBudget(1000),
			},
		} {
			t.Run(d.name+" "+name, func(t *testing.T) {
				r := newRig(t, d, true, func(_ int, got *received) reply { return d.says("OK. Hello!")(got) })
				m, err := llmretry.New(r.client, opts...)
				require.NoError(t, err)
				llmtest.TestLLM(t, m)
			})
		}
	}
}
