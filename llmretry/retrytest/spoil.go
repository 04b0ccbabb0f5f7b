package retrytest

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// answer is what a FaultModel says.
type answer struct {
	text   string
	finish llmretry.FinishReason
	faults []Fault
}

// spoiler makes the faults of one answer.
type spoiler struct {
	cfg    *FaultConfig
	asked  asked
	faults []Fault
}

func (m *FaultModel) answer(a asked) (answer, error) {
	s := &spoiler{cfg: &m.cfg, asked: a}
	switch {
	case s.happens(Empty, ""):
		s.made(Empty, "")
		return answer{finish: llmretry.FinishStop, faults: s.faults}, nil
	case s.happens(Prose, "") && !a.options.JSONMode:
		s.made(Prose, "")
		return answer{text: prose, finish: llmretry.FinishStop, faults: s.faults}, nil
	}
	text := a.verbatim
	s.fields(a.value, a.schema, "", 0)
	if len(s.faults) > 0 {
		text = a.value.String()
	}
	text = s.syntax(text)
	text, finish := s.cut(text)
	return answer{text, finish, s.faults}, nil
}

// What is said around and instead of the JSON.
const (
	prose    = "That depends on what is meant by it. I would say that all in all things are as described."
	trailing = "\n\nI hope this is what you were looking for."
)

// happens decides about a fault.
func (s *spoiler) happens(class Class, path string) bool {
	rate := s.cfg.Rates.of(class)
	if rate == 0 {
		return false
	}
	naming := 0
	for _, c := range s.asked.corrections {
		if s.cfg.Names(c, path) {
			naming++
		}
	}
	from := s.asked.habit
	if s.asked.fresh.of("whose", string(class), path).unit() < s.cfg.Effects.fresh(s.asked) {
		from = s.asked.fresh
	}
	return from.of("happens", string(class), path).unit() < s.cfg.Effects.chance(rate, s.asked, naming)
}

func (s *spoiler) made(class Class, path string) { s.faults = append(s.faults, Fault{class, path}) }

// pick chooses how a fault looks. It belongs to the case: the same mistake looks the same.
func (s *spoiler) pick(n int, class Class, path string) int {
	return s.asked.habit.of("pick", string(class), path).pick(n)
}

// syntax makes the faults of the text.
func (s *spoiler) syntax(text string) string {
	if s.asked.options.JSONMode {
		return text // the server sees to it
	}
	container := s.asked.value.kind == isObject || s.asked.value.kind == isArray
	if container && s.happens(Truncated, "") {
		s.made(Truncated, "")
		return text[:border(text, 1+s.pick(len(strings.TrimRight(text, " \n\t\r"))-1, Truncated, ""))]
	}
	if container && s.happens(MissingDelimiter, "") {
		at := delimiters(text)
		i := at[s.pick(len(at), MissingDelimiter, "")]
		if broken := text[:i] + text[i+1:]; !json.Valid([]byte(broken)) {
			s.made(MissingDelimiter, "")
			text = broken
		}
	}
	if s.happens(Fences, "") {
		s.made(Fences, "")
		text = "```json\n" + text + "\n```"
	}
	if s.happens(TrailingProse, "") {
		s.made(TrailingProse, "")
		text += trailing
	}
	return text
}

// delimiters returns where the quotes and brackets of a JSON text are.
func delimiters(text string) []int {
	var at []int
	inside := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inside && c == '\\':
			i++
		case c == '"':
			inside = !inside
			at = append(at, i)
		case !inside && strings.IndexByte("{}[]", c) >= 0:
			at = append(at, i)
		}
	}
	return at
}

// ample is how many times the room it needs makes an answer safe from the limit.
const ample = 4

// cut ends the text where the tokens do. A request that leaves ample room is not cut; one that says nothing about room
// has none to spare.
func (s *spoiler) cut(text string) (string, llmretry.FinishReason) {
	limit := s.asked.options.MaxTokens
	if limit > 0 && tokens(text) > limit {
		s.made(CutAtLimit, "")
		return text[:border(text, limit*bytesPerToken)], llmretry.FinishLength
	}
	if len(text) > 1 && (limit <= 0 || limit < ample*tokens(text)) && s.happens(CutAtLimit, "") {
		s.made(CutAtLimit, "")
		return text[:border(text, len(text)/2)], llmretry.FinishLength
	}
	return text, llmretry.FinishStop
}

// border moves i back to where a rune begins.
func border(text string, i int) int {
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}
