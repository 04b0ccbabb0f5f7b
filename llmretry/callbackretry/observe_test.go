package callbackretry_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/mistral"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/callbackretry"
)

// The bare handler on a client below is refused, in whatever it is wrapped; another handler there is nobody's business.
func TestObserveRefuses(t *testing.T) {
	var bare, other recorder
	h := callbackretry.New(callbacks.CombiningHandler{Callbacks: []callbacks.Handler{callbacks.LogHandler{}, &bare}})
	client := func(theirs callbacks.Handler) llms.Model { return small(t, openai.WithCallback(theirs)) }
	combined := &callbacks.CombiningHandler{Callbacks: []callbacks.Handler{
		&other, callbacks.CombiningHandler{Callbacks: []callbacks.Handler{&bare}},
	}}
	plain, err := mistral.New(mistral.WithAPIKey("key"))
	require.NoError(t, err)
	for name, c := range map[string]struct {
		model  llms.Model
		double bool
	}{
		"the handler":            {client(&bare), true},
		"one like it":            {client(callbacks.LogHandler{}), true},
		"in a combination":       {client(combined), true},
		"below a decorator":      {decorated(t, decorated(t, client(&bare))), true},
		"ours":                   {client(h), false},
		"another":                {client(&other), false},
		"none":                   {client(nil), false},
		"one that does nothing":  {plain, false},
		"a model without fields": {panicking{}, false},
		"nil":                    {nil, false},
		"a nil client":           {(*openai.LLM)(nil), false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := h.Observe(panicking{}, c.model)
			if !c.double {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, llmretry.ErrInvalidOption)
			assert.ErrorContains(t, err, "twice")
		})
	}
}
