package jsontext

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// The bounds of a number. A float64 ends at 309 digits and a four-digit exponent is far outside it; exact arithmetic
// on what is beyond takes seconds, or makes a validator give up.
const (
	maxNumberLen = 400
	maxExponent  = 999
)

// number reads the number at s[i].
func (p *scanner) number(i int) (int, bool) {
	s, begin := p.s, i
	if s[i] == '-' {
		if i++; i == len(s) {
			return p.fail(Truncated, i)
		}
	}
	switch {
	case byteClass[s[i]]&digit == 0:
		return p.fail(Syntax, begin)
	case s[i] == '0':
		i++
	default:
		i = digits(s, i)
	}
	if i < len(s) && s[i] == '.' {
		if i++; i == len(s) {
			return p.fail(Truncated, i)
		}
		if byteClass[s[i]]&digit == 0 {
			return p.fail(Syntax, begin)
		}
		i = digits(s, i)
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if i == len(s) {
			return p.fail(Truncated, i)
		}
		if byteClass[s[i]]&digit == 0 {
			return p.fail(Syntax, begin)
		}
		i = digits(s, i)
	}
	if i-begin > 20 || i-begin > 4 && strings.ContainsAny(s[begin:i], "eE") {
		if !inRange(s[begin:i]) {
			return p.fail(NumberRange, begin)
		}
	}
	return i, true
}

func digits(s string, i int) int {
	for i < len(s) && byteClass[s[i]]&digit != 0 {
		i++
	}
	return i
}

// inRange reports whether the number text is finite as a float64 and of a sane length.
func inRange(num string) bool {
	if len(num) > maxNumberLen {
		return false
	}
	if e := strings.IndexAny(num, "eE"); e >= 0 {
		exp, err := strconv.Atoi(num[e+1:])
		if err != nil || exp > maxExponent || exp < -maxExponent {
			return false
		}
	}
	f, err := strconv.ParseFloat(num, 64)
	return err == nil && !math.IsInf(f, 0)
}

// Integer returns the number as an integer when it is one in value: 36, 36.0 and 3.6e1 all are.
func Integer(n json.Number) (*big.Int, bool) {
	r, ok := rat(n)
	if !ok || !r.IsInt() {
		return nil, false
	}
	return r.Num(), true
}

// rat is exact; it refuses what the scanner would have refused, since a Rat of such a number takes seconds to build.
func rat(n json.Number) (*big.Rat, bool) {
	if !inRange(string(n)) {
		return nil, false
	}
	return new(big.Rat).SetString(string(n))
}
