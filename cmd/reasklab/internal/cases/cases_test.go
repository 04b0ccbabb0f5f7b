package cases

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

const number = `{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}`

func TestRead(t *testing.T) {
	all, err := Read(strings.NewReader("\ufeff"+`{"id":"a","prompt":"How many?","expected":{"n": 1.0}}

{"id":"b","messages":[{"role":"system","text":"Be brief."},{"role":"user","text":"Sure?"}],"schema":{"type": "boolean"}}
{"id":"c","prompt":"Null?","schema":{"type":"null"},"expected":null}
`), json.RawMessage(number))
	require.NoError(t, err)
	require.Len(t, all, 3)

	assert.Equal(t, []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "How many?")}, all[0].Messages)
	assert.JSONEq(t, number, string(all[0].Schema))
	v, err := all[0].Parser().Parse(`{"n":1}`)
	require.NoError(t, err)
	matches, known := all[0].Matches(v)
	assert.True(t, matches && known, "1 is 1.0")

	assert.Equal(t, llms.ChatMessageTypeSystem, all[1].Messages[0].Role)
	assert.JSONEq(t, `{"type":"boolean"}`, string(all[1].Schema), "its own before the common one")
	matches, known = all[1].Matches(true)
	assert.False(t, matches || known)

	assert.Equal(t, "null", string(all[2].Expected), "null is a value that can be expected")
	matches, known = all[2].Matches(nil)
	assert.True(t, matches && known)
}

func TestReadRefuses(t *testing.T) {
	for text, why := range map[string]string{
		``:                                   "there are none",
		`{"id":"a","prompt":"x","wat":1}`:    `unknown field "wat"`,
		`{"id":"a"`:                          "line 1: unexpected EOF",
		`{"id":"a","prompt":"x"} {}`:         "something follows",
		`{"prompt":"x"}`:                     "no id",
		`{"id":"a"}`:                         "neither prompt nor messages",
		`{"id":"a","prompt":" "}`:            "neither prompt nor messages",
		`{"id":"a","prompt":"x","schema":7}`: "schema",
		`{"id":"a","prompt":"x","expected":{"n":"1"}}`:                     "the schema refuses the expected value",
		`{"id":"a","prompt":"x","messages":[]}`:                            "both prompt and messages",
		`{"id":"a","messages":[{"role":"tool","text":"x"}]}`:               `the role is "tool"`,
		`{"id":"a","messages":[{"role":"user","text":""}]}`:                "no text",
		"{\"id\":\"a\",\"prompt\":\"x\"}\n{\"id\":\"a\",\"prompt\":\"y\"}": "line 2: the id \"a\" is that of line 1",
	} {
		_, err := Read(strings.NewReader(text), json.RawMessage(number))
		require.ErrorIs(t, err, ErrInvalid, text)
		assert.ErrorContains(t, err, why, text)
	}
	_, err := Read(strings.NewReader(`{"id":"a","prompt":"x"}`), nil)
	assert.ErrorContains(t, err, "no schema")
	_, err = Read(strings.NewReader(strings.Repeat("{}\n", 30)), nil)
	assert.ErrorContains(t, err, "and 20 more")
}
