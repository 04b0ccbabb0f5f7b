package stats

import (
	"math"
	"slices"
)

// Quantile returns the smallest value that at least a share q of the values do not exceed (the nearest rank): one that
// was measured, never one between two. It is 0 without values. values is left as it is.
func Quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(q*float64(len(sorted)))) - 1
	return sorted[min(max(rank, 0), len(sorted)-1)]
}
