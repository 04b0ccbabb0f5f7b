package retrytest

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// asked is what a FaultModel sees of a request.
type asked struct {
	value       *node
	verbatim    string // the value as the case has it
	schema      view
	judged      bool // by schema; else by the value alone
	options     llms.CallOptions
	temperature float64
	corrections []string
	further     int // messages beyond the first pair
	tokens      int
	nth         int    // how often it was made before
	habit       source // of the case
	unique      source // of the request
	fresh       source // of the request, and of the time it is made where it matters
}

// ErrNoCase is for Find: no case is known for a request. It is final, and so is every error of Find with no category.
var ErrNoCase = errors.New("retrytest: no case for this prompt")

// ByText finds a case by a text which one of the messages contains; of several it takes the longest.
func ByText(cases map[string]Case) func(messages []llms.MessageContent) (Case, error) {
	return func(messages []llms.MessageContent) (Case, error) {
		found, ok := "", false
		for _, m := range messages {
			if m.Role == llms.ChatMessageTypeAI {
				break // what follows is about what was said
			}
			said := textOf(m)
			for text := range cases {
				if strings.Contains(said, text) && (!ok || len(text) > len(found) || len(text) == len(found) && text < found) {
					found, ok = text, true
				}
			}
		}
		if !ok {
			return Case{}, ErrNoCase
		}
		c := cases[found]
		if c.Name == "" {
			c.Name = found
		}
		return c, nil
	}
}

func (m *FaultModel) ask(messages []llms.MessageContent, opts []llms.CallOption) (asked, error) {
	a := asked{}
	for i, opt := range opts {
		if opt == nil {
			return a, fmt.Errorf("retrytest: call option %d is nil", i)
		}
		opt(&a.options)
	}
	c, err := m.cfg.Find(messages)
	if err != nil {
		return a, err
	}
	if err := a.about(c, m.cfg.Seed); err != nil {
		return a, err
	}
	wire, err := wireMessages(messages)
	if err != nil {
		return a, err
	}
	request, err := canonical(wire)
	if err != nil {
		return a, err
	}
	a.temperature = max(0, a.options.Temperature)
	if math.IsNaN(a.temperature) || math.IsInf(a.temperature, 1) {
		return a, fmt.Errorf("retrytest: the temperature is %v", a.options.Temperature)
	}
	a.tokens = tokens(request)
	a.further = max(0, len(messages)-2)
	a.corrections = corrections(messages)
	a.unique = a.habit.of(request, settings(a.options))
	a.nth = m.count(a.unique)
	a.fresh = a.unique
	if a.temperature > 0 && a.options.Seed == 0 {
		a.fresh = a.unique.of(strconv.Itoa(a.nth))
	}
	return a, nil
}

// settings are the options that make a model sample otherwise.
func settings(o llms.CallOptions) string {
	return fmt.Sprintf("%q %v %d %v %d %d %v %q", o.Model, o.Temperature, o.TopK, o.TopP, o.Seed, o.MaxTokens, o.JSONMode, o.StopWords)
}

// maxSeen bounds what is remembered. Requests beyond it are each as if they were made the first time.
const maxSeen = 1 << 18

func (m *FaultModel) count(request source) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.seen[request]
	if ok || len(m.seen) < maxSeen {
		m.seen[request] = n + 1
	}
	return n
}

// about reads a case.
func (a *asked) about(c Case, seed uint64) (err error) {
	name := c.Name
	if name == "" {
		name = string(c.Value) + "\x00" + string(c.Schema)
	}
	a.habit = newSource(strconv.FormatUint(seed, 10), name)
	if len(c.Schema) > 0 {
		a.judged = true
		if a.schema, err = parseSchema(c.Schema); err != nil {
			return err
		}
	} else if len(c.Value) == 0 {
		return invalid("retrytest: the case %q has neither a value nor a schema", c.Name)
	}
	if len(c.Value) == 0 {
		if a.value, err = generate(a.schema, a.habit.of("value"), 0); err != nil {
			return err
		}
		a.verbatim = a.value.String()
		return nil
	}
	a.verbatim = string(c.Value)
	if a.value, err = parseNode(c.Value); err != nil {
		return invalid("retrytest: the value of case %q: %v", c.Name, err) // not wrapped, as in parseSchema
	}
	return nil
}

// corrections are what the user says after an answer.
func corrections(messages []llms.MessageContent) []string {
	var list []string
	answered := false
	for _, m := range messages {
		switch m.Role {
		case llms.ChatMessageTypeAI:
			answered = true
		case llms.ChatMessageTypeHuman, llms.ChatMessageTypeGeneric, llms.ChatMessageTypeTool:
			if answered {
				list = append(list, textOf(m))
			}
		}
	}
	return list
}

// names looks for a JSON Pointer that is neither the beginning nor the end of another one. A fault of the whole answer
// has none: it is named by saying JSON.
func names(correction, path string) bool {
	if path == "" {
		return strings.Contains(strings.ToLower(correction), "json")
	}
	for from := 0; ; {
		i := strings.Index(correction[from:], path)
		if i < 0 {
			return false
		}
		before, after := correction[:from+i], correction[from+i+len(path):]
		if !endsInName(before) && !startsWithName(after) {
			return true
		}
		from += i + 1
	}
}

func endsInName(s string) bool { return s != "" && isName(s[len(s)-1]) }

func startsWithName(s string) bool {
	if len(s) > 1 && (s[0] == '.' || s[0] == '-') { // a full stop ends a sentence
		return isName(s[1])
	}
	return s != "" && isName(s[0])
}

func isName(b byte) bool {
	return b == '/' || b == '_' || b == '~' || b >= 0x80 || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}
