package adapters_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// TestProviderTemperatures keeps the table of what arrives of a temperature. No decorator can change it: these are the
// clients.
func TestProviderTemperatures(t *testing.T) {
	t.Parallel()
	rows := [][]string{{"client", "none set", "0", "0.3", "0.6"}}
	list := dialects()
	reasoning := openaiDialect()
	reasoning.name = "openai, gpt-5, o1-..., o3"
	for _, d := range append(list, reasoning) {
		r := newRig(t, d, false, func(_ int, got *received) reply { return d.says(right)(got) })
		inBubble(t, func(t *testing.T) {
			for _, opts := range [][]llms.CallOption{nil, {llms.WithTemperature(0)}, {llms.WithTemperature(0.3)}, {llms.WithTemperature(0.6)}} {
				if d == reasoning {
					opts = append(opts, llms.WithModel("gpt-5"))
				}
				_, err := r.client.GenerateContent(t.Context(), question, opts...)
				require.NoError(t, err)
			}
		})
		row := []string{d.name}
		for _, got := range r.received() {
			cell := "not sent"
			if v := d.temp(got); v != nil {
				cell = fmt.Sprintf("%.4g", v)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	document(t, "temperatures", markdown(rows))
}
