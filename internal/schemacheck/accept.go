package schemacheck

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// The validator collects, for every value it looks at, what it would need to say what is wrong with it. Most outputs
// are right. So a value is judged by rules first, which only say whether it fits, and without memory; whenever they do
// not say yes, the validator decides. A rule never says yes where the validator would not: FuzzRules holds the two
// against each other.

// answer is what a rule says of a value. The least of two is what both together say, the greatest what either says.
type answer int8

const (
	no     answer = iota // the validator refuses it
	unsure               // nobody knows without the validator
	yes                  // the validator accepts it
)

func answerOf(ok bool) answer {
	if ok {
		return yes
	}
	return no
}

// The bounds of one judgement. What needs more is left to the validator.
const (
	maxRuleDepth = 4096 // rules within each other: a schema may go in circles without going down
	ruleWork     = 1024 // rules that may be asked in any case, and
	ruleWorkEach = 32   // so many more for each node of the value
)

// judgement is the state of judging one value.
type judgement struct{ depth, work int }

// accepts reports whether v, a value of so many nodes, certainly fits the rule.
func (r *rule) accepts(v any, nodes int) bool {
	j := judgement{work: ruleWork + ruleWorkEach*nodes}
	return j.judge(r, v) == yes
}

func (j *judgement) judge(r *rule, v any) answer {
	if r == nil {
		return yes
	}
	if r.boolean {
		return r.fixed
	}
	if j.work--; j.work < 0 || j.depth >= maxRuleDepth {
		return unsure
	}
	j.depth++
	a := j.keywords(r, v)
	j.depth--
	return a
}

func (j *judgement) keywords(r *rule, v any) answer {
	kind := kindOf(v)
	a := yes
	switch {
	case kind&r.kinds == 0 && (kind != fraction || r.kinds&integer == 0):
		return no
	case kind&r.kinds == 0, kind&r.unsure != 0:
		a = unsure
	}
	if r.format != nil {
		a = min(a, answerOf(r.format(v) == nil))
	}
	if r.values != nil {
		a = min(a, among(r.values, v))
	}
	if r.single != nil {
		a = min(a, among(r.single, v))
	}
	if a == no {
		return no
	}
	switch v := v.(type) {
	case map[string]any:
		a = min(a, j.object(r, v))
	case []any:
		a = min(a, j.array(r, v))
	case string:
		a = min(a, r.text(v))
	case json.Number:
		a = min(a, r.number(string(v), kind))
	}
	if a == no {
		return no
	}
	return min(a, j.combined(r, v))
}

// combined asks the rules about the same value.
func (j *judgement) combined(r *rule, v any) answer {
	a := j.judge(r.ref, v)
	for _, each := range r.all {
		a = min(a, j.judge(each, v))
	}
	if a != no && r.any != nil {
		either := no
		for _, each := range r.any {
			if either = max(either, j.judge(each, v)); either == yes {
				break
			}
		}
		a = min(a, either)
	}
	if a != no && r.one != nil {
		a = min(a, j.exactlyOne(r.one, v))
	}
	return a
}

func (j *judgement) exactlyOne(branches []*rule, v any) answer {
	fits := 0
	for _, each := range branches {
		switch j.judge(each, v) {
		case unsure:
			return unsure
		case yes:
			fits++
		}
	}
	return answerOf(fits == 1)
}

func (j *judgement) object(r *rule, v map[string]any) answer {
	if len(v) < r.minMembers || r.maxCount >= 0 && len(v) > r.maxCount {
		return no
	}
	for _, name := range r.required {
		if _, ok := v[name]; !ok {
			return no
		}
	}
	a := yes
	for name, member := range v {
		rule, known := r.properties[name]
		a = min(a, j.judge(rule, member))
		for _, p := range r.patterned {
			if p.name.MatchString(name) {
				known = true
				a = min(a, j.judge(p.rule, member))
			}
		}
		if !known {
			a = min(a, j.judge(r.others, member))
		}
		if a == no {
			return no
		}
	}
	return a
}

func (j *judgement) array(r *rule, v []any) answer {
	if len(v) < r.minItems || r.maxItems >= 0 && len(v) > r.maxItems {
		return no
	}
	a := yes
	for i, item := range v {
		rule := r.items
		if i < len(r.first) {
			rule = r.first[i]
		}
		if a = min(a, j.judge(rule, item)); a == no {
			return no
		}
	}
	return a
}

func (r *rule) text(s string) answer {
	if r.minLength > 0 || r.maxLength >= 0 {
		n := utf8.RuneCountInString(s)
		if n < r.minLength || r.maxLength >= 0 && n > r.maxLength {
			return no
		}
	}
	return answerOf(r.pattern == nil || r.pattern.MatchString(s))
}

// maxExactDigits is how long a whole number may be so that every float64 of its size is exact, its sign included.
const maxExactDigits = 15

// number compares as exact arithmetic does: rounding to the nearest keeps order, so that what differs when rounded
// differs the same way. What is equal then is sure to be so only when neither was rounded.
func (r *rule) number(s string, kind kinds) answer {
	if len(r.bounds) == 0 {
		return yes
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return unsure
	}
	a := yes
	for _, b := range r.bounds {
		switch {
		case f == b.limit && (!b.exact || kind != integer || len(s) > maxExactDigits):
			a = unsure
		case f == b.limit && b.strict, f < b.limit && !b.upper, f > b.limit && b.upper:
			return no
		}
	}
	return a
}

// among reports whether v is one of values. Numbers and containers may be equal without looking so.
func among(values []any, v any) answer {
	a := no
	kind := kindOf(v)
	for _, want := range values {
		same := kindOf(want)
		switch {
		case kind&number != 0 && same&number != 0:
			if v == want {
				return yes
			}
			a = unsure
		case kind != same:
		case kind == array, kind == object:
			a = unsure
		case v == want:
			return yes
		}
	}
	return a
}
