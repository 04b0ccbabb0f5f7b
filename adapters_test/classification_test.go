package adapters_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// TestProviderClassification measures what every failure of every provider is to the decorator, with a Transport under
// the client and without, and keeps the tables in docs/providers.md. What must hold of every cell is asserted; what is
// lost is in the table for everyone to see.
func TestProviderClassification(t *testing.T) {
	list := dialects()
	var mu sync.Mutex
	cells := map[string]classified{}
	t.Run("failures", func(t *testing.T) {
		for _, d := range list {
			t.Run(d.name, func(t *testing.T) {
				t.Parallel()
				for _, transport := range []bool{true, false} {
					place := d.stand(transport)
					for _, f := range failures {
						r := place.rig(t, f.script(d))
						t.Run(fmt.Sprintf("%s, transport %v", f.name, transport), func(t *testing.T) {
							c := r.observe(t)
							assertClassified(t, d, f, transport, c)
							mu.Lock()
							defer mu.Unlock()
							cells[fmt.Sprint(d.name, f.name, transport)] = c
						})
					}
				}
			})
		}
	})
	if len(cells) < 2*len(list)*len(failures) {
		return // only some were asked for
	}
	for _, transport := range []bool{true, false} {
		header := []string{"client"}
		for _, f := range failures {
			header = append(header, f.name)
		}
		rows := [][]string{header}
		for _, d := range list {
			if transport && d.seam == noSeam {
				continue
			}
			row := []string{d.name}
			for _, f := range failures {
				row = append(row, cells[fmt.Sprint(d.name, f.name, transport)].String())
			}
			rows = append(rows, row)
		}
		name := map[bool]string{true: "with a Transport", false: "without a Transport"}[transport]
		t.Log(name + "\n" + markdown(rows))
		document(t, name, markdown(rows))
	}
}

// assertClassified: with a Transport a status is never lost, and nothing is ever retried that a pause does not heal.
// (Semantics B3, B7, C3.)
func assertClassified(t *testing.T, d *dialect, f failure, transport bool, c classified) {
	t.Helper()
	final := map[llmretry.ErrorCategory]bool{
		llmretry.CategoryAuthentication: true, llmretry.CategoryInvalidRequest: true, llmretry.CategoryInvalidModel: true,
	}
	assert.Error(t, c.err)
	seen := transport && d.seam != noSeam
	status := f.name[0] >= '1' && f.name[0] <= '9'
	switch {
	case status && f.name != "429 quota" && seen:
		assert.Equal(t, f.category, c.category)
	case status && c.category != "" && c.category != llmretry.CategoryEmptyResponse && f.name != "429 quota":
		assert.Equal(t, f.category, c.category, "what is known is right")
	}
	if final[f.category] && c.category != llmretry.CategoryEmptyResponse {
		assert.False(t, c.retried)
	}
	if (f.name == "429" || f.name == "503") && seen {
		assert.Equal(t, 7*time.Second, c.demand)
	}
	if f.reply != nil && c.demand == 0 && c.retried {
		assert.Equal(t, 2, c.requests, "one request per attempt")
	} else if f.reply != nil {
		assert.Equal(t, 1, c.requests, "one request per attempt")
	}
}
