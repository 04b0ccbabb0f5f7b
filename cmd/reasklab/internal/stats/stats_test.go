package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The values are those of published tables and of a calculation by hand.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{
		{0, 0, 0, 1},
		{0, 10, 0, 0.2775},
		{10, 10, 0.7225, 1},
		{5, 10, 0.2366, 0.7634},
		{1, 10, 0.0179, 0.4042},
		{950, 1000, 0.9347, 0.9619},
	} {
		i := Wilson(c.k, c.n)
		assert.InDelta(t, c.low, i.Low, 5e-4, "%d of %d", c.k, c.n)
		assert.InDelta(t, c.high, i.High, 5e-4, "%d of %d", c.k, c.n)
	}
}

// The interval must hold the true share about as often as it promises.
func TestWilsonCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, p := range []float64{0.5, 0.8, 0.95} {
		held := 0
		const runs, n = 4000, 60
		for range runs {
			k := 0
			for range n {
				if r.Float64() < p {
					k++
				}
			}
			if i := Wilson(k, n); i.Low <= p && p <= i.High {
				held++
			}
		}
		assert.InDelta(t, 0.95, float64(held)/runs, 0.03, "p = %v", p)
	}
}

func TestMcNemar(t *testing.T) {
	for _, c := range []struct {
		first, second int
		want          float64
	}{
		{0, 0, 1},
		{3, 3, 1},
		{1, 0, 1},
		{6, 0, 0.03125},
		{0, 6, 0.03125},
		{10, 2, 2 * (1 + 12 + 66) / 4096.0},
		{5, 15, 0.041389},
	} {
		assert.InDelta(t, c.want, McNemar(c.first, c.second), 1e-6, "%d against %d", c.first, c.second)
	}
	assert.False(t, math.IsNaN(McNemar(5000, 4000)))
	assert.Less(t, McNemar(5000, 4000), 1e-20)
}

func TestHolm(t *testing.T) {
	ps := []float64{0.04, 0.01, 0.03, 0.9}
	assert.InDeltaSlice(t, []float64{0.09, 0.04, 0.09, 0.9}, Holm(ps), 1e-12)
	assert.Equal(t, []float64{0.04, 0.01, 0.03, 0.9}, ps, "left as it is")
	assert.Empty(t, Holm(nil))
}

func TestQuantile(t *testing.T) {
	values := []float64{5, 1, 4, 2, 3}
	assert.Equal(t, 3.0, Quantile(values, 0.5))
	assert.Equal(t, 5.0, Quantile(values, 0.95))
	assert.Equal(t, 1.0, Quantile(values, 0))
	assert.Equal(t, 5.0, Quantile(values, 1))
	assert.Zero(t, Quantile(nil, 0.5))
	assert.Equal(t, []float64{5, 1, 4, 2, 3}, values)
}
