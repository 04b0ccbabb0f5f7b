package adapters_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// today is when the tests about waits begin; a bubble's clock starts in a year whose epoch seconds look like a span.
var today = time.Date(2025, 8, 8, 15, 41, 0, 0, time.UTC)

// demands are the forms in which a server asks for a pause, and the pause. (Semantics C3.)
var demands = []struct {
	name   string
	header map[string]string
	want   time.Duration
}{
	{"seconds", map[string]string{"Retry-After": "7"}, 7 * time.Second},
	{"date", map[string]string{"Retry-After": today.Add(9 * time.Second).Format(http.TimeFormat)}, 9 * time.Second},
	{"past date", map[string]string{"Retry-After": today.Add(-time.Hour).Format(http.TimeFormat)}, 0},
	{"milliseconds", map[string]string{"Retry-After-Ms": "1500", "Retry-After": "2"}, 1500 * time.Millisecond},
	{"reset in seconds", map[string]string{"X-Ratelimit-Reset": "5"}, 5 * time.Second},
	{"reset in a duration", map[string]string{"X-Ratelimit-Reset-Requests": "1.5s"}, 1500 * time.Millisecond},
	{"reset in epoch seconds", map[string]string{"X-Ratelimit-Reset": fmt.Sprint(today.Add(11 * time.Second).Unix())}, 11 * time.Second},
	{"reset in epoch milliseconds", map[string]string{"X-Ratelimit-Reset": fmt.Sprint(today.Add(12 * time.Second).UnixMilli())}, 12 * time.Second},
	{"reset of a limit that is not used up", map[string]string{
		"X-Ratelimit-Reset-Tokens": "50s", "X-Ratelimit-Remaining-Tokens": "1000", "X-Ratelimit-Reset-Requests": "3s", "X-Ratelimit-Remaining-Requests": "0",
	}, 3 * time.Second},
	{"garbage", map[string]string{"Retry-After": "soon"}, 0},
	{"negative", map[string]string{"Retry-After": "-5"}, 0},
}

// demanding is a 429 with these headers besides the dialect's own.
func (d *dialect) demanding(header map[string]string) reply {
	r := d.fails(http.StatusTooManyRequests, "Rate limit reached for requests", "")
	all := map[string]string{}
	for _, h := range []map[string]string{r.header, header} {
		for name, value := range h {
			all[name] = value
		}
	}
	r.header = all
	return r
}

// TestProviderWaits: the wait is exactly what the server asked for, through every client that a Transport can be put
// under, on the bubble's clock. (Semantics C3.)
func TestProviderWaits(t *testing.T) {
	for _, d := range dialects() {
		if d.seam == noSeam {
			continue // docs/providers.md: nothing of the response can be known
		}
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			place := d.stand(true)
			for _, demand := range demands {
				r := place.rig(t, inOrder(d.demanding(demand.header), d.says(right)(&received{})))
				t.Run(demand.name, func(t *testing.T) {
					inBubble(t, func(t *testing.T) {
						<-time.After(time.Until(today))
						begin := time.Now()
						result, err := llmretry.Generate(t.Context(), r.wrap(t), personParser, question)
						require.NoError(t, err)
						assert.Equal(t, demand.want, time.Since(begin))
						assert.Equal(t, demand.want, result.Report.Attempts[0].Wait)
					})
					assert.Len(t, r.received(), 2)
				})
			}
			t.Run("too long", func(t *testing.T) {
				r := newRig(t, d, true, inOrder(d.demanding(map[string]string{"Retry-After": "61"})))
				inBubble(t, func(t *testing.T) {
					begin := time.Now()
					_, err := llmretry.Generate(t.Context(), r.wrap(t), personParser, question)
					require.ErrorIs(t, err, llmretry.ErrRetryAfter)
					var p *llmretry.ProviderError
					require.ErrorAs(t, err, &p)
					assert.Equal(t, 61*time.Second, p.RetryAfter)
					assert.Equal(t, llmretry.CategoryRateLimit, p.Category)
					assert.Equal(t, http.StatusTooManyRequests, p.Status)
					assert.Contains(t, err.Error(), "1m1s")
					assert.Zero(t, time.Since(begin))
				})
				assert.Len(t, r.received(), 1)
			})
		})
	}
}
