package jsontext

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClean(t *testing.T) {
	text := "{\u00a0\"b\" /* x */ : [1, // one\n 2,],\n\"a\": \"x\ny\",}"
	v, fault := Scan(text, 0, Tolerant)
	require.Zero(t, fault)
	require.Equal(t, `{"b":[1,2],"a":"x\ny"}`, Clean(text, v))
	text = ` {"a": 1} `
	v, _ = Scan(text, 0, Tolerant)
	require.Equal(t, `{"a": 1}`, Clean(text, v), "what needs no cleaning is kept as it is")
}

func TestAppend(t *testing.T) {
	v := map[string]any{"b": []any{nil, true, json.Number("1.50")}, "a": "q\"\\\n\x01é"}
	require.Equal(t, `{"a":"q\"\\\n\u0001é","b":[null,true,1.50]}`, string(Append(nil, v)))
}
