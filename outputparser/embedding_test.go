package outputparser_test

import (
	"testing"
	"time"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/stretchr/testify/require"
)

type levels struct {
	Level int `json:"level"`
	Note  int `json:"note"`
}

type shadowBefore struct {
	Level string `json:"level"`
	levels
}

type shadowAfter struct {
	levels
	Level string `json:"level"`
}

type shadowOptional struct {
	levels
	Level string `json:"level,omitempty"`
}

type inlined struct {
	Levels levels `json:",inline"`
}

type stamped struct{ time.Time }

// TestShadowing: the schema and the decoding must agree on which field a property is.
func TestShadowing(t *testing.T) {
	v, err := mustJSON[shadowAfter](t).Parse(`{"level":"high","note":1}`)
	require.NoError(t, err)
	require.Equal(t, shadowAfter{levels{Note: 1}, "high"}, v)
	for name, err := range map[string]error{
		"before":   second(outputparser.JSON[shadowBefore]()),
		"optional": second(outputparser.JSON[map[string][]*shadowOptional]()),
		"inline":   second(outputparser.JSON[inlined]()),
	} {
		require.ErrorIs(t, err, llmretry.ErrInvalidOption, name)
	}
	p := mustJSON[shadowBefore](t, outputparser.Schema([]byte(`{"type":"object"}`)))
	w, err := p.Parse(`{"level":"high","note":1}`)
	require.NoError(t, err)
	require.Equal(t, shadowBefore{"high", levels{Note: 1}}, w)
}

func TestEmbeddedTime(t *testing.T) {
	v, err := mustJSON[stamped](t).Parse(`"2026-01-02T03:04:05Z"`)
	require.NoError(t, err)
	require.Equal(t, 2026, v.Year())
}
