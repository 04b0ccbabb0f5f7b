package llmretry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// trailJSON and entryJSON are a trail's written form.
type trailJSON struct {
	Limit   int         `json:"limit"`
	Entries []entryJSON `json:"entries"`
}

type entryJSON struct {
	Step    exactText `json:"step"`
	Attempt int       `json:"attempt"`
	Error   exactText `json:"error"`
	Raw     exactText `json:"raw"`
	Count   *int      `json:"count"` // nil = left out
}

// MarshalJSON writes the limit and the entries, oldest first, so that a pipeline can go on in another process. Text that
// is not valid UTF-8 becomes {"base64": ...}: what JSON makes of it otherwise would not be the model's text.
func (t *Trail) MarshalJSON() ([]byte, error) {
	if t == nil {
		return []byte("null"), nil
	}
	t.mu.Lock()
	out := trailJSON{Limit: t.bound(), Entries: make([]entryJSON, len(t.entries))}
	for i, e := range t.entries {
		out.Entries[i] = e.json()
	}
	t.mu.Unlock()
	if out.Limit < 0 {
		return nil, errTrailLimit(out.Limit)
	}
	return json.Marshal(out)
}

// UnmarshalJSON puts what [Trail.MarshalJSON] wrote in the place of everything in t, its limit too. Of more entries than
// the limit it keeps the last ones, and it folds repeats. A count left out is 1. An error, matching [ErrInvalidOption] for
// a number that cannot be, leaves t as it was, and so does null.
func (t *Trail) UnmarshalJSON(data []byte) error {
	if t == nil {
		return fmt.Errorf("%w: a nil Trail cannot be read into", ErrInvalidOption)
	}
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		return nil
	}
	var in trailJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	if in.Limit < 0 {
		return errTrailLimit(in.Limit)
	}
	read := Trail{limit: in.Limit}
	for i, e := range in.Entries {
		entry, err := e.entry()
		if err != nil {
			return fmt.Errorf("entry %d of a trail: %w", i, err)
		}
		read.add(entry)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.limit, t.entries = read.limit, read.entries
	return nil
}

// MarshalJSON writes an entry as in a [Trail].
func (e TrailEntry) MarshalJSON() ([]byte, error) { return json.Marshal(e.json()) }

// UnmarshalJSON reads an entry as a [Trail] does.
func (e *TrailEntry) UnmarshalJSON(data []byte) error {
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		return nil
	}
	var in entryJSON
	err := json.Unmarshal(data, &in)
	if err != nil {
		return err
	}
	entry, err := in.entry()
	if err == nil {
		*e = entry
	}
	return err
}

func (e TrailEntry) json() entryJSON {
	return entryJSON{exactText(e.Step), e.Attempt, exactText(e.Error), exactText(e.Raw), &e.Count}
}

func (e entryJSON) entry() (TrailEntry, error) {
	count := 1
	if e.Count != nil {
		count = *e.Count
	}
	if e.Attempt < 0 || count < 1 {
		return TrailEntry{}, fmt.Errorf("%w: attempt %d, count %d: want 0 or more, 1 or more", ErrInvalidOption, e.Attempt, count)
	}
	return TrailEntry{string(e.Step), e.Attempt, string(e.Error), string(e.Raw), count}, nil
}

func errTrailLimit(limit int) error {
	return fmt.Errorf("%w: NewTrail(%d): want 0 or more entries", ErrInvalidOption, limit)
}

// exactText is a string that survives JSON byte for byte.
type exactText string

type base64Text struct {
	Base64 []byte `json:"base64"`
}

func (s exactText) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(s)) {
		return json.Marshal(string(s))
	}
	return json.Marshal(base64Text{[]byte(s)})
}

func (s *exactText) UnmarshalJSON(data []byte) error {
	if !bytes.HasPrefix(data, []byte("{")) {
		return json.Unmarshal(data, (*string)(s))
	}
	var b base64Text
	err := json.Unmarshal(data, &b)
	*s = exactText(b.Base64)
	return err
}
