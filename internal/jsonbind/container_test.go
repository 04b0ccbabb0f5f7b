package jsonbind

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKeysThatAreOne: two keys of an object that are one key of the map would lose a value.
func TestKeysThatAreOne(t *testing.T) {
	_, faults := bind[map[int]string](t, `{"7":"a","007":"b","-1":"c"}`)
	require.Len(t, faults, 1)
	require.Equal(t, "duplicate_key", faults[0].Code)
	require.Equal(t, []string{"7"}, faults[0].Path)
}
