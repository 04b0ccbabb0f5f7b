package progress

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		l := New(&b, 4, true)
		for i := range 4 {
			time.Sleep(time.Second)
			l.Add(i > 0, 100, 0.25)
		}
		l.End()
		assert.Equal(t, "\r\x1b[K1/4, 0 valid, 1.0/s, 100 tokens, cost 0.2500, 3s left"+
			"\r\x1b[K2/4, 1 valid, 1.0/s, 200 tokens, cost 0.5000, 2s left"+
			"\r\x1b[K3/4, 2 valid, 1.0/s, 300 tokens, cost 0.7500, 1s left"+
			"\r\x1b[K4/4, 3 valid, 1.0/s, 400 tokens, cost 1.0000\n", b.String())
	})
}

// Many cases at once are not many lines at once.
func TestNotTooOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		l := New(&b, 1000, false)
		for range 1000 {
			l.Add(true, 1, 0)
		}
		assert.Equal(t, 2, strings.Count(b.String(), "\r"), "the first and the last")
	})
}

func TestNobodyLooks(t *testing.T) {
	var l *Line
	l.Add(true, 1, 1)
	l.End()
	new(Line).Add(true, 1, 1)
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	require.NoError(t, err)
	defer f.Close()
	assert.False(t, IsTerminal(f))
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	assert.False(t, IsTerminal(null))
}
