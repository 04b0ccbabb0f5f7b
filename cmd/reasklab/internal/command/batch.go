package command

import (
	"bytes"
	"encoding/json"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/journal"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/report"
)

// extracted is a line of -out.
type extracted struct {
	ID    string          `json:"id"`
	Value json.RawMessage `json:"value"`
}

// lost is a line of -refused.
type lost struct {
	ID    string            `json:"id"`
	Class string            `json:"class"`
	Error string            `json:"error"`
	Trail []journal.Attempt `json:"trail"`
}

// batch writes the values and the cases without one, in the order of the cases.
func (o *options) batch(r *report.Result) error {
	var valid, refused bytes.Buffer
	for i := range r.Records {
		record := &r.Records[i]
		var err error
		if record.Valid {
			err = line(&valid, extracted{record.Case, record.Value})
		} else {
			err = line(&refused, lost{record.Case, record.Class(), record.Error, record.Attempts})
		}
		if err != nil {
			return err
		}
	}
	if err := replace(o.out, valid.Bytes()); err != nil || o.refused == "" {
		return err
	}
	return replace(o.refused, refused.Bytes())
}

func line(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
