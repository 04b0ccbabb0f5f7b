package adapters_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// rig is a client in front of a loopback server, with what a test wants to know of both.
type rig struct {
	*loopback
	d      *dialect
	client llms.Model
}

// newRig opens the client outside of any bubble: what it keeps for itself may outlive one.
func newRig(t testing.TB, d *dialect, transport bool, s script) *rig {
	t.Helper()
	l := newLoopback(t, s)
	return &rig{l, d, d.connect(t, l.url, transport)}
}

func (d *dialect) connect(t testing.TB, address string, transport bool) llms.Model {
	t.Helper()
	hc := clientFor(t, address, transport)
	if d.seam == defaultClient {
		host := strings.TrimPrefix(address, "http://")
		defaults.hosts.Store(host, hc.Transport)
		t.Cleanup(func() { defaults.hosts.Delete(host) })
	}
	return d.open(t, address, hc)
}

// wrap decorates the client: three attempts, no waits of its own.
func (r *rig) wrap(t testing.TB, opts ...llmretry.Option) *llmretry.Model {
	t.Helper()
	base := []llmretry.Option{llmretry.WithBackoff(llmretry.Constant(0))}
	if r.d.single {
		base = append(base, llmretry.WithFlattenedTranscript(nil))
	}
	m, err := llmretry.New(r.client, append(base, opts...)...)
	require.NoError(t, err)
	return m
}

// inBubble runs f where waits cost no time. mistral's SDK leaves the timer of a failed request running.
func inBubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		defer func() { <-time.After(time.Hour) }()
		f(t)
	})
}

// wirePath joins the roles of a request: "system user assistant user".
func (r *rig) roles(n int) string {
	var roles []string
	for _, m := range r.d.messages(r.received()[n]) {
		roles = append(roles, m.role)
	}
	return strings.Join(roles, " ")
}

// said is everything request n says, in one text.
func (r *rig) said(n int) string { return r.d.saidIn(r.received()[n]) }

func (d *dialect) saidIn(r *received) string {
	var texts []string
	for _, m := range d.messages(r) {
		texts = append(texts, m.text)
	}
	return strings.Join(texts, "\n")
}

// person is what the tests want to be told.
type person struct {
	Name string `json:"name"`
	Age  int    `json:"age"`
}

const (
	right   = `{"name": "Ada", "age": 36}`
	wrong   = `{"name": "Ada", "age": "many"}`
	worse   = `{"name": "Ada"`
	ask     = "Who is Ada?"
	mention = "age must be a number"
)

var (
	personParser = llmretry.ParserFunc[person](func(text string) (p person, err error) {
		if err = json.Unmarshal([]byte(text), &p); err != nil {
			err = errors.New(mention)
		}
		return p, err
	})
	byParser = llmretry.WithParser[person](personParser)
	question = []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, ask)}
)

// correcting is a builder whose words can be found again: "Correction 0: ..." after attempt 0.
func correcting() llmretry.Option {
	return llmretry.WithReask(func(_ context.Context, f llmretry.Failure) (string, error) {
		return fmt.Sprintf("Correction %d: %s", f.Attempt, f.ErrorMessage), nil
	})
}

// heals answers rightly only once it is shown the correction number last.
func (d *dialect) heals(last int) script {
	return func(n int, r *received) reply {
		if strings.Contains(d.saidIn(r), fmt.Sprintf("Correction %d: %s", last, mention)) {
			return d.says(right)(r)
		}
		return d.says(wrong)(r)
	}
}

// fail is the dialect's error reply, with Retry-After when seconds is not "".
func (d *dialect) fails(status int, message, seconds string) reply {
	r := d.failure(status, message)
	if seconds != "" {
		h := map[string]string{"Retry-After": seconds}
		for name, value := range r.header {
			h[name] = value
		}
		r.header = h
	}
	return r
}

const overloaded = http.StatusServiceUnavailable
