package retrytest

import (
	"crypto/sha256"
	"encoding/binary"
)

// source is where everything random comes from: a hash of what it is asked about, so that a result depends neither on
// the order of calls nor on who else calls.
type source [sha256.Size]byte

// newSource returns the source of these texts, which are kept apart.
func newSource(parts ...string) source {
	h := sha256.New()
	var length [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(length[:], uint64(len(p)))
		h.Write(length[:])
		h.Write([]byte(p))
	}
	return source(h.Sum(nil))
}

// of returns the source below s for these texts.
func (s source) of(parts ...string) source {
	return newSource(append([]string{string(s[:])}, parts...)...)
}

// unit returns a number in [0, 1).
func (s source) unit() float64 { return float64(binary.BigEndian.Uint64(s[:8])>>11) / (1 << 53) }

// pick returns a number in [0, n), 0 if there is none.
func (s source) pick(n int) int {
	if n < 1 {
		return 0
	}
	return int(s.unit() * float64(n))
}
