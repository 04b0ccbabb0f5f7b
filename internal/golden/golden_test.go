package golden

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// recorder is a test that keeps what went wrong.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }

func TestCheck(t *testing.T) {
	Check(t, "hello.golden", "hello\n")
	if *update {
		return
	}
	r := &recorder{TB: t}
	Check(r, "hello.golden", "goodbye\n")
	assert.True(t, r.failed)
}
