package llmretry_test

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Semantics K10: a trail survives a process, limit and all.
func TestTrailJSON(t *testing.T) {
	trail := llmretry.NewTrail(3)
	fail(t, trail, "plan", "/a <b>", "{\"a\":1}")
	fail(t, trail, "plan", "/a <b>", "{\"a\":1}")
	fail(t, trail, "", "", "")
	data, err := json.Marshal(trail)
	require.NoError(t, err)
	assert.JSONEq(t, `{"limit": 3, "entries": [
		{"step": "plan", "attempt": 0, "error": "/a <b>", "raw": "{\"a\":1}", "count": 2},
		{"step": "", "attempt": 0, "error": "", "raw": "", "count": 1}]}`, string(data))

	read := llmretry.NewTrail(0)
	fail(t, read, "gone", "e", "r")
	require.NoError(t, json.Unmarshal(data, read))
	assert.Equal(t, trail.Entries(), read.Entries())
	fail(t, read, "plan", "/a <b>", "{\"a\":1}")
	fail(t, read, "rank", "e", "1")
	fail(t, read, "rank", "e", "2")
	assert.Equal(t, "::*1 rank:e:1*1 rank:e:2*1", entries(t, read), "it goes on where it was, with its limit")

	empty, err := json.Marshal(new(llmretry.Trail))
	require.NoError(t, err)
	assert.JSONEq(t, `{"limit": 100, "entries": []}`, string(empty))
}

// Text is kept byte for byte, whatever it is. (Semantics K9, K10.)
func TestTrailJSONVerbatim(t *testing.T) {
	trail := llmretry.NewTrail(0)
	for _, raw := range []string{"\xff", "\xfe", "\ufffd", `{"base64":"/w=="}`, "\x00", "\u2028", "a\xf0\x9f"} {
		fail(t, trail, raw, raw, raw)
	}
	data, err := json.Marshal(trail)
	require.NoError(t, err)
	var read llmretry.Trail
	require.NoError(t, json.Unmarshal(data, &read))
	assert.Equal(t, trail.Entries(), read.Entries())

	list, err := json.Marshal(trail.Entries())
	require.NoError(t, err)
	var alone []llmretry.TrailEntry
	require.NoError(t, json.Unmarshal(list, &alone))
	assert.Equal(t, trail.Entries(), alone, "entries without their trail, as of an ExhaustedError")
}

func TestTrailUnmarshal(t *testing.T) {
	for name, tt := range map[string]struct{ data, want string }{
		"what is left out":    {`{"entries": [{"raw": "r"}]}`, "::r*1"},
		"nothing":             {`{}`, ""},
		"unknown fields":      {`{"limit": 2, "later": 1, "entries": [{"raw": "r", "later": 1}]}`, "::r*1"},
		"more than the limit": {`{"limit": 2, "entries": [{"raw": "1"}, {"raw": "2"}, {"raw": "3"}]}`, "::2*1 ::3*1"},
		"repeats":             {`{"entries": [{"raw": "1", "count": 2}, {"raw": "2"}, {"raw": "1", "count": 3}]}`, "::1*5 ::2*1"},
		"more than can be":    {`{"entries": [{"raw": "1", "count": 9223372036854775807}, {"raw": "1", "count": 7}]}`, "::1*" + strconv.Itoa(math.MaxInt)},
		"null is nothing":     {`null`, "old:e:r*1"},
		"null text is none":   {`{"entries": [{"raw": null, "step": {"base64": null}}]}`, "::*1"},
		"null entry":          {`{"entries": [null]}`, "::*1"},
	} {
		trail := llmretry.NewTrail(0)
		fail(t, trail, "old", "e", "r")
		require.NoError(t, json.Unmarshal([]byte(tt.data), trail), name)
		assert.Equal(t, tt.want, entries(t, trail), name)
	}
	for name, data := range map[string]string{
		"a negative limit":   `{"limit": -1}`,
		"a negative attempt": `{"entries": [{"raw": "1"}, {"attempt": -1}]}`,
		"a count of none":    `{"entries": [{"count": 0}]}`,
	} {
		trail := llmretry.NewTrail(0)
		fail(t, trail, "old", "e", "r")
		require.ErrorIs(t, json.Unmarshal([]byte(data), trail), llmretry.ErrInvalidOption, name)
		assert.Equal(t, "old:e:r*1", entries(t, trail), "%s: it stays as it was", name)
	}
	for _, data := range []string{`[]`, `"x"`, `{"limit": "x"}`, `{"limit": 1.5}`, `{"entries": [{"raw": 1}]}`, `{"entries": [{"raw": {"base64": "?"}}]}`, `{`} {
		trail := llmretry.NewTrail(0)
		fail(t, trail, "old", "e", "r")
		require.Error(t, json.Unmarshal([]byte(data), trail), data)
		assert.Equal(t, "old:e:r*1", entries(t, trail), data)
	}
	_, err := json.Marshal(llmretry.NewTrail(-1))
	require.ErrorIs(t, err, llmretry.ErrInvalidOption)

	var none *llmretry.Trail
	require.ErrorIs(t, none.UnmarshalJSON([]byte(`{}`)), llmretry.ErrInvalidOption)
	data, err := none.MarshalJSON()
	require.NoError(t, err)
	assert.Equal(t, "null", string(data))

	entry := llmretry.TrailEntry{Raw: "kept"}
	require.NoError(t, json.Unmarshal([]byte(`null`), &entry))
	require.ErrorIs(t, json.Unmarshal([]byte(`{"count": -1}`), &entry), llmretry.ErrInvalidOption)
	require.Error(t, entry.UnmarshalJSON([]byte(`[]`)))
	assert.Equal(t, "kept", entry.Raw)
}

// What can be read can be written, read again, and is then the same.
func FuzzTrailJSON(f *testing.F) {
	f.Add([]byte(`{"limit": 2, "entries": [{"step": "a", "raw": {"base64": "/w=="}, "count": 3}, {"attempt": 1}, {"error": "e"}]}`))
	f.Add([]byte(`{"entries": [{"raw": "\ud800"}, null]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var trail llmretry.Trail
		if json.Unmarshal(data, &trail) != nil {
			require.Nil(t, trail.Entries())
			return
		}
		again, err := json.Marshal(&trail)
		require.NoError(t, err)
		var read llmretry.Trail
		require.NoError(t, json.Unmarshal(again, &read))
		require.Equal(t, trail.Entries(), read.Entries())
		third, err := json.Marshal(&read)
		require.NoError(t, err)
		require.Equal(t, string(again), string(third))
		for _, e := range read.Entries() {
			require.Positive(t, e.Count)
			require.GreaterOrEqual(t, e.Attempt, 0)
		}
	})
}

// Any text comes back.
func FuzzTrailText(f *testing.F) {
	f.Add("plan", "error", "raw")
	f.Add("\xff", "\u0000", `{"base64":""}`)
	f.Fuzz(func(t *testing.T, step, message, raw string) { // semantics K10
		trail := llmretry.NewTrail(0)
		fail(t, trail, step, message, raw)
		data, err := json.Marshal(trail)
		require.NoError(t, err)
		var read llmretry.Trail
		require.NoError(t, json.Unmarshal(data, &read))
		require.Equal(t, []llmretry.TrailEntry{{Step: step, Error: message, Raw: raw, Count: 1}}, read.Entries())
	})
}
