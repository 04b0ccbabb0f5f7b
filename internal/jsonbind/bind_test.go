package jsonbind

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/stretchr/testify/require"
)

func bind[T any](t *testing.T, text string) (v T, faults []Fault) {
	t.Helper()
	plan, err := Compile(reflect.TypeFor[T]())
	require.NoError(t, err)
	at, fault := jsontext.Scan(text, 0, jsontext.Tolerant)
	require.Zero(t, fault, text)
	tree, dup := jsontext.Decode(text, at, jsontext.Tolerant)
	require.Nil(t, dup, text)
	faults = plan.BindTo(Source{Tree: tree, Text: text, At: at}, reflect.ValueOf(&v).Elem())
	return v, faults
}

// TestLikeEncodingJSON: where the four differences have no part, the result is that of encoding/json.
func TestLikeEncodingJSON(t *testing.T) {
	for _, text := range []string{
		`{}`, `null`,
		`{"inner":{"a":1,"b":"x"},"ptr":{"a":2},"list":[{"a":3},{"a":4,"b":null}],"map":{"k":{"a":5}},"ints":{"-7":"x","8":"y"}}`,
		`{"matrix":[[1.5,2e3],[]],"when":"2026-01-02T03:04:05.678+02:00","raw":{"z" : [1, 2] , "a":"\u00e9"},"bytes":"aGVsbG8="}`,
		`{"flag":"true","num":"-12","word":"\"quoted\"","-":5,"Hidden":6,"hidden":7,"U":65535}`,
		`{"X":1,"level":"one","Left":3,"unknown":[{}]}`,
		`{"ptr":null,"list":null,"map":null,"flag":null,"raw":null,"inner":null,"U":null,"when":null}`,
		`{"list":[],"map":{},"raw":[ ]}`,
	} {
		var want wide
		require.NoError(t, json.Unmarshal([]byte(text), &want), text)
		got, faults := bind[wide](t, text)
		require.Empty(t, faults, text)
		require.Equal(t, want, got, text)
	}
}

// TestDifferences are the four places where encoding/json does something else.
func TestDifferences(t *testing.T) {
	got, faults := bind[inner](t, `{"A":1,"a":36.0,"B":"x"}`)
	require.Empty(t, faults)
	require.Equal(t, inner{A: 36}, got, "exact keys, whole numbers")

	n, faults := bind[int64](t, `9.223372036854775807e18`)
	require.Empty(t, faults)
	require.Equal(t, int64(math.MaxInt64), n)

	anything, faults := bind[[]any](t, `[9007199254740993]`)
	require.Empty(t, faults)
	require.Equal(t, []any{json.Number("9007199254740993")}, anything)
}

func TestManyFaultsAreBounded(t *testing.T) {
	text := "["
	for range 1000 {
		text += `"x",`
	}
	_, faults := bind[[]int](t, text+"]")
	require.Len(t, faults, maxFaults)
}

func FuzzBind(f *testing.F) {
	plan, err := Compile(reflect.TypeFor[wide]())
	require.NoError(f, err)
	f.Add(`{"inner":{"a":1.0,"b":"x"},"list":[{"a":3}],"raw":{"a":[1,]},"num":"5"}`)
	f.Add(`{"when":5,"ints":{"1":null},"matrix":[1,2],"bytes":"a","flag":"null"}`)
	f.Fuzz(func(t *testing.T, text string) {
		at, fault := jsontext.Scan(text, 0, jsontext.Tolerant)
		if fault.Kind != jsontext.NoFault {
			return
		}
		tree, dup := jsontext.Decode(text, at, jsontext.Tolerant)
		if dup != nil {
			return
		}
		var v wide
		faults := plan.BindTo(Source{Tree: tree, Text: text, At: at}, reflect.ValueOf(&v).Elem())
		for _, fault := range faults {
			require.NotEmpty(t, fault.Code)
		}
	})
}
