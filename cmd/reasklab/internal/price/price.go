// Package price turns tokens into money.
package price

import (
	"fmt"
	"strconv"
	"strings"
)

// Price is what a model costs per million tokens, in whatever currency the caller thinks in. The zero value is free.
// It is a flag.Value: "0.15,0.60" is the price of a million tokens in and of a million tokens out.
type Price struct{ In, Out float64 }

// Of returns the price of one response.
func (p Price) Of(in, out int) float64 { return (float64(in)*p.In + float64(out)*p.Out) / 1e6 }

// Free reports whether no price was given.
func (p Price) Free() bool { return p == Price{} }

// String is what Set reads.
func (p *Price) String() string {
	if p == nil || p.Free() {
		return ""
	}
	return fmt.Sprintf("%g,%g", p.In, p.Out)
}

// Set reads "in,out".
func (p *Price) Set(text string) error {
	in, out, found := strings.Cut(text, ",")
	a, err := amount(in)
	if err != nil {
		return err
	}
	b, err := amount(out)
	if err != nil || !found {
		return fmt.Errorf("%q: want the prices of a million tokens in and out, as 0.15,0.60", text)
	}
	*p = Price{a, b}
	return nil
}

func amount(text string) (float64, error) {
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(f >= 0 && f <= 1e9) {
		return 0, fmt.Errorf("%q is not a price", text)
	}
	return f, nil
}
