package stats

import "math"

// Interval is a confidence interval of a share, between 0 and 1.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// z95 is the two-sided 95 % quantile of the normal distribution.
const z95 = 1.959963984540054

// Wilson returns the 95 % score interval of k successes in n trials. Unlike the textbook interval around k/n it says
// something of use for k = 0 and k = n too. Without trials nothing is known: 0 to 1.
func Wilson(k, n int) Interval {
	if n <= 0 {
		return Interval{0, 1}
	}
	p, m := float64(k)/float64(n), float64(n)
	const z2 = z95 * z95
	center := p + z2/(2*m)
	half := z95 * math.Sqrt(p*(1-p)/m+z2/(4*m*m))
	i := Interval{(center - half) / (1 + z2/m), (center + half) / (1 + z2/m)}
	if k == 0 {
		i.Low = 0 // and not the rounding error of a difference
	}
	if k == n {
		i.High = 1
	}
	return i
}
