package jsonbind

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type inner struct {
	A int     `json:"a"`
	B *string `json:"b,omitempty"`
}

type Deep struct {
	X     int
	Level int `json:"level"`
}

type Middle struct {
	Deep
	Level string `json:"level"`
	Left  int
}

type Other struct{ Right int }

type wide struct {
	Middle
	*Other
	Inner  inner            `json:"inner"`
	Ptr    *inner           `json:"ptr"`
	List   []inner          `json:"list"`
	Map    map[string]inner `json:"map"`
	Ints   map[int]string   `json:"ints"`
	Matrix [2][]float32     `json:"matrix"`
	When   time.Time        `json:"when"`
	Raw    json.RawMessage  `json:"raw"`
	Bytes  []byte           `json:"bytes"`
	Flag   *bool            `json:"flag,string"`
	Num    int8             `json:"num,string"`
	Word   string           `json:"word,string"`
	Hidden int              `json:"-"`
	//lint:ignore SA5008 encoding/json reads this as the name "-", and so must we
	Dash int `json:"-,"`
	U    uint16
	//lint:ignore U1000 that it is passed over is the point
	hidden int
}

func TestField(t *testing.T) {
	for name, want := range map[string]string{"X": "int", "level": "string", "Right": "int", "num": "int8", "-": "int"} {
		typ, _, ok := Field(reflect.TypeFor[wide](), name)
		require.True(t, ok, name)
		require.Equal(t, want, typ.String(), name)
	}
	for _, name := range []string{"hidden", "Hidden", "Middle", "Deep", "LEVEL", ""} {
		_, _, ok := Field(reflect.TypeFor[wide](), name)
		require.False(t, ok, name)
	}
}
