package adapters_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// TestAgentNeverHeals: a model that never gives a step. With an error handler the executor's iterations and the
// decorator's attempts multiply, each iteration a call of its own; a terminal error, without the handler, ends it at
// once. Measured, for docs/compose.md.
func TestAgentNeverHeals(t *testing.T) {
	const rambling = "I should add them."
	rest := make([]string, 20)
	for i := range rest {
		rest[i] = rambling
	}
	plain, handled := oneShotCrew(rambling, rest...), oneShotCrew(rambling, rest...)
	handled.executor = []agents.Option{agents.WithParserErrorHandler(agents.NewParserErrorHandler(func(string) string { return "Use the tool." }))}
	rows := [][]string{fateHeader("agent")}
	for _, c := range []struct {
		name  string
		crew  crew
		plans int
		err   error
	}{
		{"OneShotZeroAgent", plain, 1, agents.ErrUnableToParseOutput},
		{"OneShotZeroAgent, ParserErrorHandler", handled, 5, agents.ErrNotFinished},
	} {
		without, with := c.crew.run(t, false), c.crew.run(t, true)
		for _, m := range []mission{without, with} {
			require.ErrorIs(t, m.err, c.err)
			assert.Equal(t, c.plans, m.plans)
			assert.Empty(t, m.memory)
		}
		assert.Len(t, without.asked, c.plans)
		assert.Len(t, with.asked, 3*c.plans)
		rows = append(rows, without.row(c.name, "no step, ever", "without"), with.row("", "", "with"))
	}
	composeDocument(t, "never", markdown(rows))

	handled.decorator = []llmretry.Option{llmretry.WithStagnation(llmretry.Stagnation{Outputs: 2})}
	m := handled.run(t, true)
	require.ErrorIs(t, m.err, agents.ErrNotFinished)
	assert.Len(t, m.asked, 10, "two attempts per iteration: the same again is enough")
}
