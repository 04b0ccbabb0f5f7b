package jsonbind

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

type list struct {
	Value int   `json:"value"`
	Next  *list `json:"next"`
}

func TestRecursiveType(t *testing.T) {
	got, faults := bind[list](t, `{"value":1,"next":{"value":2,"next":{"value":3}}}`)
	require.Empty(t, faults)
	require.Equal(t, list{1, &list{2, &list{3, nil}}}, got)
	_, faults = bind[list](t, `{"value":1,"next":{"value":2,"next":{"value":"x"}}}`)
	require.Equal(t, []string{"next", "next", "value"}, faults[0].Path)
}

func TestCompileErrors(t *testing.T) {
	type bad struct {
		Fine []struct {
			C chan int `json:"c"`
		} `json:"fine"`
	}
	_, err := Compile(reflect.TypeFor[bad]())
	require.ErrorContains(t, err, "fine.[].c")
	type twice struct {
		inner
		Other struct {
			*inner
		}
	}
	_, err = Compile(reflect.TypeFor[twice]())
	require.ErrorContains(t, err, "embeds a pointer to an unexported struct")
	type left struct{ Left int }
	type claims struct {
		left
		Middle
	}
	_, err = Compile(reflect.TypeFor[claims]())
	require.ErrorContains(t, err, "two fields for the property Left")
}
