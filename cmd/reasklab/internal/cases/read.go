package cases

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

// line is a line of a file of cases.
type line struct {
	ID       string          `json:"id"`
	Prompt   string          `json:"prompt"`
	Messages []message       `json:"messages"`
	Expected json.RawMessage `json:"expected"`
	Schema   json.RawMessage `json:"schema"`
}

type message struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// maxLine bounds a line; a prompt that is longer is a mistake more often than a prompt.
const maxLine = 16 << 20

// Read reads cases, one JSON object a line; blank lines do not count. schema is for the cases without one of their
// own; it may be nil. Everything wrong with the file comes back as one error, each part of which names its line and
// matches [ErrInvalid]: an unknown key, an id that is missing or there twice, both or neither of prompt and messages, no
// schema, an expected value that its own schema refuses.
func Read(r io.Reader, schema json.RawMessage) ([]Case, error) {
	parsers := make(map[string]*outputparser.JSONParser[any]) // by schema: compiling one is the dear part
	var all []Case
	var errs []error
	lines := make(map[string]int)
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 0, 64<<10), maxLine)
	n := 0
	for scanner.Scan() {
		n++
		text := bytes.TrimSpace(scanner.Bytes())
		if n == 1 {
			text = bytes.TrimPrefix(text, []byte("\ufeff"))
		}
		if len(text) == 0 {
			continue
		}
		c, err := read(text, schema, parsers)
		if err == nil && lines[c.ID] > 0 {
			err = fmt.Errorf("the id %q is that of line %d already", c.ID, lines[c.ID])
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%w: line %d: %w", ErrInvalid, n, err))
			continue
		}
		lines[c.ID] = n
		all = append(all, c)
	}
	if err := scanner.Err(); err != nil {
		errs = append(errs, fmt.Errorf("%w: line %d: %w", ErrInvalid, n+1, err))
	}
	if len(all) == 0 && errs == nil {
		errs = append(errs, fmt.Errorf("%w: there are none", ErrInvalid))
	}
	if err := joined(errs); err != nil {
		return nil, err
	}
	return all, nil
}

// maxErrors bounds what is complained about: whoever has that many wrong has one thing wrong.
const maxErrors = 10

func joined(errs []error) error {
	if more := len(errs) - maxErrors; more > 0 {
		errs = append(slices.Clip(errs[:maxErrors]), fmt.Errorf("%w: and %d more", ErrInvalid, more))
	}
	return errors.Join(errs...)
}

func read(text []byte, schema json.RawMessage, parsers map[string]*outputparser.JSONParser[any]) (c Case, err error) {
	var l line
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return c, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return c, errors.New("something follows the object")
	}
	c.ID = l.ID
	if strings.TrimSpace(l.ID) == "" {
		return c, errors.New("no id")
	}
	if c.Messages, err = l.messages(); err != nil {
		return c, err
	}
	if c.Schema = schema; given(l.Schema) {
		c.Schema = l.Schema
	}
	if c.Schema == nil {
		return c, errors.New("no schema, neither here nor for all cases")
	}
	if c.Schema, err = compact(c.Schema); err != nil {
		return c, fmt.Errorf("schema: %w", err)
	}
	if c.parser = parsers[string(c.Schema)]; c.parser == nil {
		if c.parser, err = outputparser.FromSchema(c.Schema); err != nil {
			return c, err
		}
		parsers[string(c.Schema)] = c.parser
	}
	if l.Expected == nil {
		return c, nil
	}
	if c.Expected, err = compact(l.Expected); err != nil {
		return c, fmt.Errorf("expected: %w", err)
	}
	if c.want, err = c.parser.Parse(string(c.Expected)); err != nil {
		return c, fmt.Errorf("the schema refuses the expected value: %w", err)
	}
	return c, nil
}

// given reports a value that is there and not null.
func given(raw json.RawMessage) bool { return raw != nil && string(raw) != "null" }

func compact(raw json.RawMessage) (json.RawMessage, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

var roles = map[string]llms.ChatMessageType{
	"system":    llms.ChatMessageTypeSystem,
	"user":      llms.ChatMessageTypeHuman,
	"assistant": llms.ChatMessageTypeAI,
}

func (l *line) messages() ([]llms.MessageContent, error) {
	switch {
	case l.Prompt != "" && l.Messages != nil:
		return nil, errors.New("both prompt and messages")
	case strings.TrimSpace(l.Prompt) != "":
		return []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, l.Prompt)}, nil
	case len(l.Messages) == 0:
		return nil, errors.New("neither prompt nor messages")
	}
	messages := make([]llms.MessageContent, len(l.Messages))
	for i, m := range l.Messages {
		role, ok := roles[m.Role]
		switch {
		case !ok:
			return nil, fmt.Errorf("message %d: the role is %q: want system, user or assistant", i, m.Role)
		case strings.TrimSpace(m.Text) == "":
			return nil, fmt.Errorf("message %d: no text", i)
		}
		messages[i] = llms.TextParts(role, m.Text)
	}
	return messages, nil
}
