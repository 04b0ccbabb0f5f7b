package adapters_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// visible is everything a caller can see of a call.
type visible struct {
	response string
	err      string
	streamed string
	request  string
	requests int
}

// TestRecordedExchanges plays every recorded answer of a model to the bare client and to the decorated one: response,
// error, stream and request must be the same. (Semantics A2, A4, D1.)
func TestRecordedExchanges(t *testing.T) {
	t.Parallel()
	list, files := recordings(t)
	models, asked, replayed, identical := 0, 0, 0, 0
	perClient := map[string][2]int{}
	for _, e := range list {
		d := e.speaker()
		if d == nil {
			continue // embeddings, vector stores, searches
		}
		models++
		t.Run(e.name, func(t *testing.T) {
			asked++
			bare := e.play(t, d, func(r *rig) llms.Model { return r.client })
			if bare.requests == 0 {
				t.Skipf("does not replay on the bare client: %s", bare.err)
			}
			replayed++
			same := assert.Equal(t, bare, e.play(t, d, func(r *rig) llms.Model { return decorate(t, r.client, llmretry.WithMaxAttempts(1)) }))
			if e.response.status == 200 {
				same = assert.Equal(t, bare, e.play(t, d, func(r *rig) llms.Model { return decorate(t, r.client) })) && same
			}
			if same {
				identical++
			}
			n := perClient[d.name]
			perClient[d.name] = [2]int{n[0] + 1, n[1] + map[bool]int{true: 1}[same]}
		})
	}
	t.Logf("recordings: %d files, %d exchanges, %d of them with a model; %d replayed, %d identical; by client: %v", files, len(list), models, replayed, identical, perClient)
	if asked < models {
		return // only some were asked for
	}
	assert.Equal(t, replayed, identical)
	assert.Greater(t, replayed, 100)
	rows := [][]string{
		{"files", "exchanges", "with a model", "replay on the bare client", "identical through the decorator"},
		{fmt.Sprint(files), fmt.Sprint(len(list)), fmt.Sprint(models), fmt.Sprint(replayed), fmt.Sprint(identical)},
	}
	document(t, "recordings", markdown(rows))
}

func decorate(t *testing.T, client llms.Model, opts ...llmretry.Option) llms.Model {
	t.Helper()
	m, err := llmretry.New(client, opts...)
	require.NoError(t, err)
	return m
}

func (e *recording) play(t *testing.T, d *dialect, model func(*rig) llms.Model) (v visible) {
	t.Helper()
	r := newRig(t, d, true, func(int, *received) reply { return e.response })
	m := model(r)
	messages, streamed, opts := e.call(d)
	inBubble(t, func(t *testing.T) {
		if streamed {
			l := newListener()
			opts = append(opts, l.option())
			defer func() { v.streamed = l.text }()
		}
		response, err := m.GenerateContent(t.Context(), messages, opts...)
		v.response = jsonOf(response)
		if err != nil {
			v.err = err.Error()
		}
	})
	if v.requests = len(r.received()); v.requests > 0 {
		v.request = string(r.received()[0].Raw)
	}
	return v
}
