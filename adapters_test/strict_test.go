package adapters_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// everything uses each kind of mapping of the shape once.
const everything = `
mock_provider: {responses: [{status: 200, body: {anything: goes}}]}
retry_middleware: {max_attempts: 1}
calls:
  - operation: complete
    messages: [{role: user, content: hi}]
    config: {temperature: 0}
    response_schema: {anything: goes}
    tools: [{name: f, parameters: {anything: goes}}]
    retry:
      classifier: default
      backoff: {type: deterministic, seconds: 0}
      per_attempt_override: [{temperature: 1}]
      reask: {template: t}
    expected:
      response:
        message: {role: assistant, tool_calls: [{id: a, name: b, arguments: {anything: goes}}]}
        usage: {total_tokens: 1}
        parsed: {anything: goes}
      wire_requests: [{sampling: {temperature: 0}, appended_messages: [{role: user, content: a}], messages: [{role: user, content: a}]}]
      llm_spans: [{attempt_index: 0, attributes: {openarmature.llm.attempt_index: 0}}]
      invariants: {anything: goes}
  - messages: [{role: user, content: hi}]
    expected:
      raises: {category: c, carries: {usage: {total_tokens: 1}}}
`

// edited is everything with one value set.
func edited(t *testing.T, path string, value any) []byte {
	t.Helper()
	var doc any
	require.NoError(t, yaml.Unmarshal([]byte(everything), &doc))
	at, steps := doc, strings.Split(path, "/")
	for i, step := range steps {
		if list, ok := at.([]any); ok {
			at = list[int(step[0]-'0')]
			continue
		}
		m, ok := at.(map[string]any)
		require.True(t, ok, "%s at %s", path, step)
		if i == len(steps)-1 {
			m[step] = value
			break
		}
		at = m[step]
	}
	data, err := yaml.Marshal(doc)
	require.NoError(t, err)
	return data
}

// TestConformanceUnknownKeys: a key that the runner does not know is a failure that names it, wherever it stands.
func TestConformanceUnknownKeys(t *testing.T) {
	t.Parallel()
	_, err := parseFixture([]byte(everything))
	require.NoError(t, err)
	for _, at := range []string{
		"", "mock_provider/", "mock_provider/responses/0/", "retry_middleware/", "calls/0/", "calls/0/messages/0/",
		"calls/0/config/", "calls/0/tools/0/", "calls/0/retry/", "calls/0/retry/backoff/",
		"calls/0/retry/per_attempt_override/0/", "calls/0/retry/reask/", "calls/0/expected/", "calls/0/expected/response/",
		"calls/0/expected/response/message/", "calls/0/expected/response/message/tool_calls/0/",
		"calls/0/expected/response/usage/", "calls/0/expected/wire_requests/0/", "calls/0/expected/wire_requests/0/sampling/",
		"calls/0/expected/wire_requests/0/appended_messages/0/", "calls/0/expected/wire_requests/0/messages/0/",
		"calls/0/expected/llm_spans/0/", "calls/0/expected/llm_spans/0/attributes/", "calls/1/expected/raises/",
		"calls/1/expected/raises/carries/", "calls/1/expected/raises/carries/usage/",
	} {
		_, err := parseFixture(edited(t, at+"mistyped", 1))
		assert.ErrorContains(t, err, "mistyped", at)
	}
}

// TestConformanceUnknownWords: so is a word of a closed vocabulary, and a value of the wrong kind.
func TestConformanceUnknownWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path  string
		value any
		want  string
	}{
		{"calls/0/operation", "embed", "embed"},
		{"calls/0/messages/0/role", "developer", "developer"},
		{"calls/0/messages/0/content", []any{"parts"}, "content"},
		{"calls/0/messages/0/content_contains", []any{"a"}, "content_contains"},
		{"calls/0/messages", []any{}, "messages"},
		{"calls/0/config/temperature", "warm", "temperature"},
		{"calls/0/config/max_tokens", 1.5, "max_tokens"},
		{"calls/0/retry/classifier", "sometimes", "sometimes"},
		{"calls/0/retry/classifier", []any{"provider_unavailable", "provider_moody"}, "provider_moody"},
		{"calls/0/retry/classifier", map[string]any{"a": 1}, "classifier"},
		{"calls/0/retry/backoff/type", "jitter", "jitter"},
		{"calls/0/retry/per_attempt_override/0/seed", "lucky", "seed"},
		{"retry_middleware/classifier", "sometimes", "sometimes"},
		{"calls/0/tools/0/type", "browser", "tools[0]"},
		{"calls/0/expected/raises", map[string]any{}, "one of response and raises"},
		{"calls/0/expected/response/usage/total_tokens", 0.5, "total_tokens"},
		{"calls/0/expected", nil, "expected"},
		{"mock_provider/responses/0/status", 42, "status"},
		{"mock_provider/responses", []any{}, "mock_provider.responses"},
		{"expected", map[string]any{}, "expected"},
		{"call", map[string]any{}, "call"},
	} {
		_, err := parseFixture(edited(t, c.path, c.value))
		assert.ErrorContains(t, err, c.want, c.path)
	}
	_, err := parseFixture([]byte(everything + "\n---\n{}\n"))
	assert.ErrorContains(t, err, "more than one")
	_, err = parseFixture(nil)
	assert.Error(t, err)
}

// TestConformanceNulls: a null in a config or an entry counts as left out.
func TestConformanceNulls(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"calls/0/config/seed", "calls/0/retry/per_attempt_override/0/seed"} {
		f, err := parseFixture(edited(t, path, nil))
		require.NoError(t, err)
		in, err := f.calls()[0].inputs()
		require.NoError(t, err)
		assert.Len(t, in.options, 2) // temperature and tools
		assert.Len(t, in.schedule[0], 1)
	}
}

// TestConformanceNothingToPlay: a directory that is missing or has no case in it must not pass.
func TestConformanceNothingToPlay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := caseFiles(dir)
	assert.ErrorContains(t, err, "no *.yaml")
	_, err = caseFiles(filepath.Join(dir, "missing"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
