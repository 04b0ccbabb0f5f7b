package retrytest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MismatchError says that a [Player] was asked something else than was recorded. It is final: asking again changes
// nothing.
type MismatchError struct {
	Exchange int      // that was expected, or the most alike, from 0
	Diff     []string // what differs: which message or option, what was recorded and what came
}

// Error has a line for each difference.
func (e *MismatchError) Error() string {
	return fmt.Sprintf("retrytest: the call is not exchange %d of the recording:\n  %s", e.Exchange, strings.Join(e.Diff, "\n  "))
}

// differences compares what was recorded with what is asked now. None means equal.
func differences(was, is wireRequest) []string {
	var diff []string
	for i := range max(len(was.Messages), len(is.Messages)) {
		where := "message " + strconv.Itoa(i)
		switch {
		case i >= len(is.Messages):
			diff = append(diff, fmt.Sprintf("%s is missing; recorded %s", where, was.Messages[i].describe()))
		case i >= len(was.Messages):
			diff = append(diff, fmt.Sprintf("%s is new: %s", where, is.Messages[i].describe()))
		default:
			diff = append(diff, messageDifferences(where, was.Messages[i], is.Messages[i])...)
		}
	}
	names := slices.Collect(maps.Keys(was.Options))
	names = append(names, slices.Collect(maps.Keys(is.Options))...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		old, given := was.Options[name]
		now, set := is.Options[name]
		switch {
		case !set:
			diff = append(diff, fmt.Sprintf("option %s is not set; recorded %s", name, clip(string(old), maxShown)))
		case !given:
			diff = append(diff, fmt.Sprintf("option %s is new: %s", name, clip(string(now), maxShown)))
		case string(old) != string(now):
			diff = append(diff, textDifference("option "+name, string(old), string(now), func(s string) string { return s })...)
		}
	}
	for _, s := range []struct {
		name    string
		was, is bool
	}{{"a stream function", was.Stream, is.Stream}, {"a stream function for reasoning", was.Thinking, is.Thinking}} {
		if s.was != s.is {
			diff = append(diff, fmt.Sprintf("%s: recorded %t, now %t", s.name, s.was, s.is))
		}
	}
	if n := len(diff); n > maxListed {
		diff = append(diff[:maxListed:maxListed], fmt.Sprintf("and %s", plural(n-maxListed, "more difference")))
	}
	return diff
}

func messageDifferences(where string, was, is wireMessage) []string {
	var diff []string
	if was.Role != is.Role {
		diff = append(diff, fmt.Sprintf("%s: recorded role %s, now %s", where, was.Role, is.Role))
	}
	where += " (" + string(is.Role) + ")"
	for j := range max(len(was.Parts), len(is.Parts)) {
		part := where
		if max(len(was.Parts), len(is.Parts)) > 1 {
			part += " part " + strconv.Itoa(j)
		}
		switch {
		case j >= len(is.Parts):
			diff = append(diff, fmt.Sprintf("%s is missing; recorded %s", part, was.Parts[j].describe()))
		case j >= len(was.Parts):
			diff = append(diff, fmt.Sprintf("%s is new: %s", part, is.Parts[j].describe()))
		case was.Parts[j].Text != nil && is.Parts[j].Text != nil:
			diff = append(diff, textDifference(part, string(*was.Parts[j].Text), string(*is.Parts[j].Text), strconv.Quote)...)
		default:
			diff = append(diff, textDifference(part, was.Parts[j].json(), is.Parts[j].json(), func(s string) string { return s })...)
		}
	}
	return diff
}

// around is how many bytes are shown before the first difference.
const around = 40

// textDifference shows two texts from a little before where they begin to differ. None means equal.
func textDifference(where, was, is string, show func(string) string) []string {
	if was == is {
		return nil
	}
	same := 0
	for same < min(len(was), len(is)) && was[same] == is[same] {
		same++
	}
	from := max(0, same-around)
	for from > 0 && !utf8.RuneStart(was[from]) {
		from--
	}
	cut := func(s string) string {
		s = show(clip(s[from:], maxShown))
		if from > 0 {
			s = "..." + s
		}
		return s
	}
	return []string{fmt.Sprintf("%s differs at byte %d:\n    recorded %s\n    now      %s", where, same, cut(was), cut(is))}
}

func (m wireMessage) describe() string {
	var parts []string
	for _, p := range m.Parts {
		parts = append(parts, p.describe())
	}
	return string(m.Role) + " " + clip(strings.Join(parts, ", "), maxShown)
}

func (p wirePart) describe() string {
	if p.Text != nil {
		return clip(strconv.Quote(string(*p.Text)), maxShown)
	}
	return clip(p.json(), maxShown)
}

// json is for showing and for comparing.
func (p wirePart) json() string {
	text, err := canonical(p)
	if err != nil { // never: all fields have a JSON form
		return err.Error()
	}
	return text
}

// describe shows the last message: it is the question.
func (r wireRequest) describe() string {
	if len(r.Messages) == 0 {
		return "no messages"
	}
	return fmt.Sprintf("%s, the last %s", plural(len(r.Messages), "message"), r.Messages[len(r.Messages)-1].describe())
}
