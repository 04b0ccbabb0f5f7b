package price

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var _ flag.Value = (*Price)(nil)

func TestPrice(t *testing.T) {
	var p Price
	assert.True(t, p.Free())
	require.NoError(t, p.Set("0.15, 0.60"))
	assert.Equal(t, Price{0.15, 0.6}, p)
	assert.InDelta(t, 0.15+0.06, p.Of(1_000_000, 100_000), 1e-12)
	assert.Equal(t, "0.15,0.6", p.String())
	for _, bad := range []string{"", "1", "1,", ",1", "-1,1", "1,NaN", "a,b", "1,2,3", "Inf,1"} {
		assert.Error(t, p.Set(bad), bad)
	}
	assert.Equal(t, Price{0.15, 0.6}, p, "a bad text changes nothing")
}
