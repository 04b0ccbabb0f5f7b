package jsonbind

import (
	"testing"

	"github.com/stretchr/testify/require"
)

type ordered struct{ keys string }

func (o *ordered) UnmarshalJSON(b []byte) error { o.keys = string(b); return nil }

// TestRawTextIsTheModels: a type with its own decoding sees the model's text, as valid JSON.
func TestRawTextIsTheModels(t *testing.T) {
	got, faults := bind[map[string]ordered](t, "{\"x\": {\"z\": 1, // last\n \"a\": 2,}}")
	require.Empty(t, faults)
	require.Equal(t, `{"z":1,"a":2}`, got["x"].keys)
	got, faults = bind[map[string]ordered](t, `{"x": {"z" : 1.50}}`)
	require.Empty(t, faults)
	require.Equal(t, `{"z" : 1.50}`, got["x"].keys)
}
