package retrytest

import (
	"math"
	"reflect"
)

// Class is a kind of fault.
type Class string

// The classes. Those of a field happen to each field by itself, all others once in an answer or a request.
const (
	Prose            Class = "prose"             // words, and no JSON
	Empty            Class = "empty"             // nothing at all
	Truncated        Class = "truncated"         // the JSON ends in its middle, and the finish reason is stop
	MissingDelimiter Class = "missing_delimiter" // a quote or a bracket is left out
	TrailingProse    Class = "trailing_prose"    // words after the JSON; many parsers forgive them
	Fences           Class = "fences"            // a Markdown code block around the JSON; many parsers forgive it
	CutAtLimit       Class = "cut_at_limit"      // cut by the token limit: the finish reason is length

	MissingField Class = "missing_field" // a required member is left out
	WrongType    Class = "wrong_type"    // 49.99 becomes "49.99"
	OutsideEnum  Class = "outside_enum"  // a word that is no option
	OutOfRange   Class = "out_of_range"  // a number or a length beyond its bounds
	BadFormat    Class = "bad_format"    // no date, no email address
	ExtraField   Class = "extra_field"   // a member that the schema does not allow
	Misread      Class = "misread"       // the schema accepts it, and it is wrong; no validation by schema sees it

	RateLimited Class = "rate_limited" // a 429 with Retry-After
	Unavailable Class = "unavailable"  // a 503
	TimedOut    Class = "timed_out"    // a timeout of the connection
)

// Rates are probabilities, from 0 to 1. The zero value is a model without faults.
type Rates struct {
	// Of an answer. At most one of the first four happens to it.
	Prose, Empty, Truncated, MissingDelimiter, TrailingProse, Fences, CutAtLimit float64

	// Of each field that the fault can happen to; ExtraField is of each object.
	MissingField, WrongType, OutsideEnum, OutOfRange, BadFormat, ExtraField, Misread float64

	// Of a request. At most one of them happens to it.
	RateLimited, Unavailable, TimedOut float64
}

// DefaultRates are those of an invented small model: about every third answer with half a dozen fields has something
// wrong with it. They are a place to begin and were measured nowhere.
func DefaultRates() Rates {
	return Rates{
		Prose: 0.01, Empty: 0.005, Truncated: 0.01, MissingDelimiter: 0.02, TrailingProse: 0.03, Fences: 0.10, CutAtLimit: 0.01,
		MissingField: 0.02, WrongType: 0.03, OutsideEnum: 0.08, OutOfRange: 0.03, BadFormat: 0.05, ExtraField: 0.03, Misread: 0.01,
		RateLimited: 0.02, Unavailable: 0.01, TimedOut: 0.005,
	}
}

// Effects are what changes the rates of an answer and of its fields; the rates of a request stay as they are. Every
// effect is a share, and the zero value has none: nothing heals, and every mistake is made again.
//
// With a rate r, a temperature t, c corrections, n of them naming the path of the fault, and m messages beyond the first
// pair of them, a fault is made with the probability
//
//	r * (1-Strength) * (1+Heat*t) * (1+Length*m) * (1-Reasked)^c * (1-Named)^n
//
// Whether it is made is decided by a draw that belongs to the case and to the field, and not to the request: a model that
// gets a thing wrong gets it wrong again. That is the determinism trap. A share of the draws, Redraw*t and Reconsider for
// each correction, belongs to the request instead, so that warmth and a changed question bring other mistakes, and
// mend some of the old ones.
type Effects struct {
	Strength   float64 // the share of mistakes that a better model does not make, whatever it is asked
	Heat       float64 // what a degree of temperature adds; may be above 1
	Length     float64 // what each further message adds; may be above 1
	Reasked    float64 // the share that any correction mends
	Named      float64 // the share that a correction mends which names the path at fault
	Redraw     float64 // the share that is drawn anew at temperature 1
	Reconsider float64 // the share that is drawn anew after a correction
}

// DefaultEffects are those of an invented small model: it mends what it is told by name, little else, and is stuck when
// it is cold. They were measured nowhere.
func DefaultEffects() Effects {
	return Effects{Heat: 0.5, Length: 0.05, Reasked: 0.15, Named: 0.75, Redraw: 0.8, Reconsider: 0.1}
}

// of returns the rate of a class.
func (r Rates) of(c Class) float64 {
	switch c {
	case Prose:
		return r.Prose
	case Empty:
		return r.Empty
	case Truncated:
		return r.Truncated
	case MissingDelimiter:
		return r.MissingDelimiter
	case TrailingProse:
		return r.TrailingProse
	case Fences:
		return r.Fences
	case CutAtLimit:
		return r.CutAtLimit
	case MissingField:
		return r.MissingField
	case WrongType:
		return r.WrongType
	case OutsideEnum:
		return r.OutsideEnum
	case OutOfRange:
		return r.OutOfRange
	case BadFormat:
		return r.BadFormat
	case ExtraField:
		return r.ExtraField
	case Misread:
		return r.Misread
	case RateLimited:
		return r.RateLimited
	case Unavailable:
		return r.Unavailable
	case TimedOut:
		return r.TimedOut
	}
	return 0
}

// chance is the probability of a fault, see [Effects].
func (e Effects) chance(rate float64, a asked, naming int) float64 {
	return rate * (1 - e.Strength) * (1 + e.Heat*a.temperature) * (1 + e.Length*float64(a.further)) *
		math.Pow(1-e.Reasked, float64(len(a.corrections))) * math.Pow(1-e.Named, float64(naming))
}

// fresh is the share of the draws that belongs to the request.
func (e Effects) fresh(a asked) float64 {
	return e.Redraw*a.temperature + e.Reconsider*float64(len(a.corrections))
}

// validate says which field is none of a probability.
func (r Rates) validate() error { return inRange("rate", reflect.ValueOf(r)) }

func (e Effects) validate() error { return inRange("effect", reflect.ValueOf(e), "Heat", "Length") }

// inRange looks for a field below 0 or above 1; unbounded ones may be above.
func inRange(what string, v reflect.Value, unbounded ...string) error {
	for i := range v.NumField() {
		name, f := v.Type().Field(i).Name, v.Field(i).Float()
		limit := 1.0
		for _, u := range unbounded {
			if u == name {
				limit = math.MaxFloat64
			}
		}
		if !(f >= 0 && f <= limit) { // NaN too
			return invalid("retrytest: the %s %s is %v", what, name, f)
		}
	}
	return nil
}
