package adapters_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scenario is a public report of a retry or reask loop that went wrong, played with ours. rule is the one of
// docs/semantics.md that decides what is right; where that differs from what the report asks for, run says so.
type scenario struct {
	id   string
	rule string
	run  func(t *testing.T)
}

// scenarioIDs are all there are, so that none gets lost.
var scenarioIDs = []string{
	"msg-01", "msg-03", "msg-07", "msg-08", "msg-09", "msg-10", "msg-11", "msg-12",
	"budget-01", "budget-02", "budget-06", "budget-07", "budget-08",
	"hopeless-02", "hopeless-04", "hopeless-05", "hopeless-06", "hopeless-07",
	"tool-01", "tool-03", "tool-04",
	"stream-01", "stream-04", "stream-05",
	"ctx-01", "ctx-02", "ctx-05", "ctx-06",
	"back-01", "back-03", "back-05", "back-06", "back-07", "back-08",
	"leak-02", "panic-01", "nil-01", "nchoice-01", "opt-02", "opt-03", "cache-02", "usage-02", "err-02", "err-03",
}

// TestScenarios plays every scenario as a subtest of its id.
func TestScenarios(t *testing.T) {
	all := slices.Concat(
		messageScenarios, growthScenarios, budgetScenarios, hopelessScenarios, toolScenarios, streamScenarios,
		contextScenarios, backoffScenarios, faultScenarios, optionScenarios, reportScenarios,
	)
	var ids []string
	for _, s := range all {
		ids = append(ids, s.id)
		t.Run(s.id, func(t *testing.T) {
			require.NotEmpty(t, s.rule)
			t.Logf("decided by semantics %s", s.rule)
			s.run(t)
		})
	}
	assert.ElementsMatch(t, scenarioIDs, ids)
}
