package llmretry

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
	"unicode/utf8"
)

// err writes an error's text, without the secrets that errors are known to quote. The method may panic, as that of a nil
// pointer does.
func (w *jsonWriter) err(err error) (out *errorJSON) {
	if err == nil {
		return nil
	}
	out = &errorJSON{Type: fmt.Sprintf("%T", err), Category: Category(err)}
	defer func() {
		if v := recover(); v != nil {
			out.Text = w.text(fmt.Sprintf("its Error method panics: %v", v))
		}
	}()
	out.Text = w.text(redact(err.Error()))
	return out
}

// textJSON is a text that may have been cut: a plain string when it was not.
type textJSON struct {
	text  string
	bytes int
}

func (w *jsonWriter) text(s string) *textJSON { return &textJSON{w.cut(s), len(s)} }

func (t *textJSON) MarshalJSON() ([]byte, error) {
	if len(t.text) == t.bytes {
		return exactText(t.text).MarshalJSON()
	}
	return json.Marshal(struct {
		Text  exactText `json:"text"`
		Bytes int       `json:"bytes"`
		Cut   bool      `json:"cut"`
	}{exactText(t.text), t.bytes, true})
}

// cut returns as much of s as there is room for, up to a rune's border.
func (w *jsonWriter) cut(s string) string {
	s = runes(s, min(maxJSONText, max(0, w.left)))
	w.left -= len(s) + perText
	return s
}

// perText is what a text costs besides itself, so that many small ones have an end too.
const perText = 16

// runes returns the first max bytes of s, or up to three less so that no character is torn.
func runes(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for back := 0; back < utf8.UTFMax && max > back; back++ {
		if utf8.RuneStart(s[max-back]) {
			return s[:max-back]
		}
	}
	return s[:max]
}

func newUsageJSON(u Usage, complete bool) usageJSON {
	return usageJSON{u.Input, u.Output, u.Total, &complete}
}

// milliseconds keeps three digits: microseconds.
func milliseconds(d time.Duration) float64 {
	return math.Round(float64(d)/float64(time.Microsecond)) / 1000
}
