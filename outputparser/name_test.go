package outputparser

import (
	"net/url"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type pairOf[A, B any] struct {
	A A
	B B
}

func TestNamer(t *testing.T) {
	type Time struct{}
	type Ünï struct{}
	n := namer{byName: map[string]reflect.Type{}, byType: map[reflect.Type]string{}}
	for _, tc := range []struct {
		typ  reflect.Type
		want string
	}{
		{reflect.TypeFor[time.Time](), "Time"},
		{reflect.TypeFor[Time](), "Time_2"},
		{reflect.TypeFor[time.Time](), "Time"},
		{reflect.TypeFor[[]int](), ""},
		{reflect.TypeFor[pairOf[*url.URL, map[string]int]](), "pairOf_URL_map_string_int"},
		{reflect.TypeFor[Ünï](), "n"},
	} {
		require.Equal(t, tc.want, n.name(tc.typ), tc.typ)
	}
}
