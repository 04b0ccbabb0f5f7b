package reaskprompt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// mark stands where a text was cut.
const mark = "..."

// minClip is the least a text may be cut to: the mark and one rune of any width, so that a cut text shows something.
const minClip = len(mark) + utf8.UTFMax

// clipped cuts s to at most max bytes, the mark included, on a rune's border; a text that fits is returned as it is.
// max must be at least minClip. In bytes that are not UTF-8 it cuts anywhere.
func clipped(s string, max int) string {
	if len(s) <= max {
		return s
	}
	end := max - len(mark)
	for i := end; i > end-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			return s[:i] + mark
		}
	}
	return s[:end] + mark
}

// quoted returns s as a JSON string literal: one line, and nothing in s can end it. Bytes that are not UTF-8 become
// U+FFFD. Unlike json.Marshal it leaves <, > and & alone, which mean nothing to a model.
func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// fenced puts s between two lines of backticks that are more than any run of them in s, and at least three, so that s
// cannot end its fence. A line break is added after s unless it ends with one.
func fenced(s string) string {
	longest, run := 2, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return fence + "\n" + s + fence
}

// textOf is the text of anything a template can name.
func textOf(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case fmt.Stringer:
		return v.String()
	case error:
		return v.Error()
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Slice && r.Type().Elem().Kind() == reflect.Uint8 {
		return string(r.Bytes())
	}
	return fmt.Sprint(v)
}
