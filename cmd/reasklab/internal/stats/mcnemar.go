package stats

import (
	"math"
	"slices"
)

// McNemar returns the two-sided p-value of McNemar's exact test: first counts the cases that only the first of two
// strategies got right, second those that only the second did. Cases on which they agree say nothing about which is
// better. It is the chance of a split at least as uneven if a fair coin had decided each of these cases.
func McNemar(first, second int) float64 {
	n, k := first+second, min(first, second)
	if n == 0 {
		return 1
	}
	tail := 0.0
	for i := 0; i <= k; i++ {
		tail += math.Exp(logChoose(n, i) - float64(n)*math.Ln2)
	}
	return min(1, 2*tail)
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// Holm returns the p-values adjusted for their number, by Holm's method: the chance of one false alarm among all of
// them stays below the level that each is compared with. The order is that of ps, which is left as it is.
func Holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case ps[a] < ps[b]:
			return -1
		case ps[a] > ps[b]:
			return 1
		}
		return 0
	})
	adjusted, highest := make([]float64, len(ps)), 0.0
	for rank, i := range order {
		highest = max(highest, min(1, ps[i]*float64(len(ps)-rank)))
		adjusted[i] = highest
	}
	return adjusted
}
