package retrytest

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// fields makes the faults of n and of what is in it, in place. Each field has one at most.
func (s *spoiler) fields(n *node, v view, path string, depth int) {
	if depth > 0 && s.field(n, v, path) {
		return
	}
	switch n.kind {
	case isObject:
		n.members = slices.DeleteFunc(n.members, func(m member) bool {
			at := pointer(path, m.name)
			if (!s.asked.judged || v.requires(m.name)) && s.happens(MissingField, at) {
				s.made(MissingField, at)
				return true
			}
			s.fields(m.value, v.property(m.name), at, depth+1)
			return false
		})
		s.extra(n, v, path)
	case isArray:
		for i, item := range n.items {
			s.fields(item, v.items(), pointer(path, strconv.Itoa(i)), depth+1)
		}
	}
}

var extras = [...]string{"confidence", "explanation", "note", "reasoning"}

// extra adds a member that nobody asked for.
func (s *spoiler) extra(n *node, v view, path string) {
	if s.asked.judged && !v.closed() {
		return
	}
	name := extras[s.pick(len(extras), ExtraField, path)]
	at := pointer(path, name)
	taken := slices.ContainsFunc(n.members, func(m member) bool { return m.name == name })
	if taken || v.hasProperty(name) || !s.happens(ExtraField, at) {
		return
	}
	s.made(ExtraField, at)
	n.members = append(n.members, member{name, text("as stated")})
}

// field makes one fault of a value, if any happens.
func (s *spoiler) field(n *node, v view, path string) bool {
	for _, f := range []struct {
		class Class
		spoil func(s *spoiler, n *node, v view, path string) *node
	}{
		{WrongType, (*spoiler).wrongType},
		{OutsideEnum, (*spoiler).outsideEnum},
		{OutOfRange, (*spoiler).outOfRange},
		{BadFormat, (*spoiler).badFormat},
		{Misread, (*spoiler).misread},
	} {
		if !s.happens(f.class, path) {
			continue
		}
		if spoiled := f.spoil(s, n, v, path); spoiled != nil {
			*n = *spoiled
			s.made(f.class, path)
			return true
		}
	}
	return false
}

// wrongType returns the value as another type, the likeliest that is not allowed.
func (s *spoiler) wrongType(n *node, v view, _ string) *node {
	if s.asked.judged && v.types() == nil && len(v.options()) == 0 {
		return nil // anything goes
	}
	null := &node{kind: isNull, text: "null"}
	var others []*node
	switch n.kind {
	case isNumber, isBoolean:
		others = []*node{text(n.text), null}
	case isString:
		others = []*node{{kind: isArray, items: []*node{text(n.text)}}, null, number(0)}
	case isArray:
		others = []*node{text(n.String()), null}
	case isObject:
		others = []*node{text(n.String()), {kind: isArray, items: []*node{clone(n)}}, null}
	case isNull:
		others = []*node{text("null"), number(0)}
	}
	for _, other := range others {
		if !s.asked.judged || v.types() != nil && !v.allows(other.kind) || v.types() == nil && !among(v.options(), other) {
			return other
		}
	}
	return nil
}

func clone(n *node) *node { c := *n; return &c }

func among(options []*node, n *node) bool {
	return slices.ContainsFunc(options, func(o *node) bool { return o.String() == n.String() })
}

// outsideEnum returns a word like an option that is none.
func (s *spoiler) outsideEnum(n *node, v view, _ string) *node {
	options := v.options()
	if len(options) == 0 || n.kind != isString {
		return nil
	}
	for _, other := range []*node{text(strings.ToUpper(n.text)), text(n.text + " (presumably)")} {
		if !among(options, other) {
			return other
		}
	}
	return nil
}

// outOfRange returns the value beyond a bound.
func (s *spoiler) outOfRange(n *node, v view, _ string) *node {
	if len(v.options()) > 0 {
		return nil
	}
	switch n.kind {
	case isNumber:
		for _, keyword := range []string{"minimum", "exclusiveMinimum"} {
			if f, ok := v.number(keyword); ok && f-1 < f {
				return number(f - 1)
			}
		}
		for _, keyword := range []string{"maximum", "exclusiveMaximum"} {
			if f, ok := v.number(keyword); ok && f+1 > f {
				return number(f + 1)
			}
		}
	case isString:
		if least, ok := v.count("minLength"); ok && least > 0 {
			return text("")
		}
		if most, ok := v.count("maxLength"); ok {
			return text(n.text + strings.Repeat(".", max(1, most+1-utf8.RuneCountInString(n.text))))
		}
	case isArray:
		if least, ok := v.count("minItems"); ok && least > 0 {
			return &node{kind: isArray}
		}
		if most, ok := v.count("maxItems"); ok && len(n.items) > 0 {
			more := slices.Clone(n.items)
			for len(more) <= most {
				more = append(more, n.items[0])
			}
			return &node{kind: isArray, items: more}
		}
	}
	return nil
}

// badFormat returns something that a person would understand.
func (s *spoiler) badFormat(n *node, v view, _ string) *node {
	if n.kind != isString || len(v.options()) > 0 {
		return nil
	}
	switch v.keyword("format") {
	case "date", "date-time":
		return text("the 3rd of March")
	case "email":
		return text("somebody at example dot com")
	}
	return nil
}

// misread returns another value that the schema accepts.
func (s *spoiler) misread(n *node, v view, path string) *node {
	if options := v.options(); len(options) > 0 {
		others := slices.DeleteFunc(options, func(o *node) bool { return o.String() == n.String() || !v.allows(o.kind) })
		if len(others) == 0 {
			return nil
		}
		return others[s.pick(len(others), Misread, path)]
	}
	switch n.kind {
	case isBoolean:
		return &node{kind: isBoolean, text: strconv.FormatBool(n.text != "true")}
	case isNumber:
		f, err := strconv.ParseFloat(n.text, 64)
		if err != nil || v.at["multipleOf"] != nil {
			return nil
		}
		for _, other := range []float64{f + 1, f - 1} {
			if other != f && v.inBounds(other) {
				return number(other)
			}
		}
	}
	return nil
}

// inBounds reports whether v accepts a number.
func (v view) inBounds(f float64) bool {
	for keyword, ok := range map[string]func(limit float64) bool{
		"minimum":          func(limit float64) bool { return f >= limit },
		"maximum":          func(limit float64) bool { return f <= limit },
		"exclusiveMinimum": func(limit float64) bool { return f > limit },
		"exclusiveMaximum": func(limit float64) bool { return f < limit },
	} {
		if limit, given := v.number(keyword); given && !ok(limit) {
			return false
		}
	}
	return true
}
