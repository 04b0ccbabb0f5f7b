package extract

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestNoAllocation(t *testing.T) {
	clean := order(20)
	for name, text := range map[string]string{
		"clean": clean, "fenced": "Sure:\n```json\n" + clean + "\n```\nBye.", "reasoning": "<think>hm {\"a\"</think>\n" + clean,
	} {
		require.Zero(t, testing.AllocsPerRun(100, func() { drain(text) }), name)
	}
	for name, text := range hostile(10_000) {
		require.Zero(t, testing.AllocsPerRun(2, func() { drain(text) }), name)
	}
}

// TestLinear doubles hostile replies: what is not linear takes four times as long. The least of several runs, and a
// margin, keep a busy machine from failing it.
func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	const n = 1 << 18
	small, large := hostile(n), hostile(2*n)
	for name := range small {
		require.Eventually(t, func() bool {
			a, b := least(small[name]), least(large[name])
			return b < 2*time.Millisecond || float64(b) <= 2.3*float64(a)
		}, 20*time.Second, time.Microsecond, name)
	}
}

func least(s string) time.Duration {
	best := time.Hour
	for range 4 {
		begin := time.Now()
		drain(s)
		best = min(best, time.Since(begin))
	}
	return best
}
