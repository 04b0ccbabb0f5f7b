package jsontext

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInteger(t *testing.T) {
	for text, want := range map[json.Number]string{
		"36": "36", "36.0": "36", "3.6e1": "36", "-0": "0", "1e20": "100000000000000000000", "36.5": "", "1e-1": "", "1e1000001": "",
	} {
		n, ok := Integer(text)
		require.Equal(t, want != "", ok, text)
		if ok {
			require.Equal(t, want, n.String(), text)
		}
	}
}
