package command

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/internal/loopback"
)

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// What is wrong with flags and files is said before anything is asked.
func TestUsage(t *testing.T) {
	dir := t.TempDir()
	good := write(t, dir, "good.jsonl", `{"id":"a","prompt":"x","schema":{}}`)
	bad := write(t, dir, "bad.jsonl", `{"id":"a"}`)
	words := write(t, dir, "s.yaml", "strategies: [{name: none}, {name: big, on_refusal: replay, schedule: [{bigger: true}]}]")
	t.Setenv("OPENAI_API_KEY", "key")
	for flags, why := range map[string]string{
		"-wat":                      "not defined",
		"one":                       "unexpected argument",
		"-offline -provider openai": "which?",
		"-offline -model m":         "need -provider",
		"-provider openai":          "needs -model",
		"-provider openai -model m": "the words that go to your model are yours",
		"-provider oracle -model m -strategies " + words + " -bigger b": `"oracle"`,
		"-provider openai -model m -strategies " + words:                "name it with -bigger",
		"-cases " + good + " -sample nested":                            "which?",
		"-schema " + good:                                               "for -cases",
		"-cases " + bad:                                                 "line 1",
		"-cases " + filepath.Join(dir, "none"):                          "no such file",
		"-cases " + good + " -schema " + filepath.Join(dir, "none"):     "no such file",
		"-strategies " + bad:                                            "invalid strategies",
		"-strategy nobody":                                              `no "nobody"`,
		"-sample poems":                                                 `no sample "poems"`,
		"-parallel 0":                                                   "-parallel",
		"-requests 0":                                                   "-requests",
		"-attempts -1":                                                  "negative",
		"-want 2":                                                       "-want",
		"-price free":                                                   "price",
		"-refused r.jsonl":                                              "goes with -out",
		"-out o.jsonl":                                                  "pick one with -strategy",
		"-timeout 0s":                                                   "duration",
	} {
		status, stdout, stderr := run(t, strings.Fields(flags)...)
		assert.Equal(t, StatusUsage, status, flags)
		assert.Contains(t, stderr, why, flags)
		assert.Empty(t, stdout, flags)
	}
	status, _, stderr := run(t, "-h")
	assert.Equal(t, StatusOK, status)
	assert.Contains(t, stderr, "-max-tokens-total")
}

// What is printed can be read again.
func TestPrintStrategies(t *testing.T) {
	status, text, _ := run(t, "-print-strategies")
	require.Equal(t, StatusOK, status)
	file := write(t, t.TempDir(), "s.yaml", text)
	status, stdout, stderr := run(t, "-sample", "classification", "-strategies", file, "-strategy", "none", "-html", filepath.Join(t.TempDir(), "p.html"))
	require.Equal(t, StatusOK, status, stderr)
	assert.Contains(t, stdout, "none")
}

// A wish that nothing fulfils has a status, if it was said.
func TestWanted(t *testing.T) {
	flags := []string{"-sample", "classification", "-strategy", "none", "-html", filepath.Join(t.TempDir(), "p.html")}
	status, stdout, _ := run(t, flags...)
	assert.Equal(t, StatusOK, status)
	assert.Contains(t, stdout, "Nothing reaches 95 %. Closest is none, at most 1 attempt")
	status, _, _ = run(t, append(flags, "-want", "0.99")...)
	assert.Equal(t, StatusRefused, status)
	status, stdout, _ = run(t, append(flags, "-want", "0.1")...)
	assert.Equal(t, StatusOK, status)
	assert.Contains(t, stdout, "package healing")
}

func TestProgress(t *testing.T) {
	status, _, stderr := run(t, "-sample", "classification", "-strategy", "none", "-progress", "-html", filepath.Join(t.TempDir(), "p.html"))
	require.Equal(t, StatusOK, status)
	assert.Contains(t, stderr, "120/120, ")
	assert.Contains(t, stderr, " tokens, cost ")
}

// remote is a run against a server that speaks as OpenAI does.
func remote(t *testing.T, url string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	t.Setenv("OPENAI_API_KEY", "key")
	dir := t.TempDir()
	var lines strings.Builder
	for i := range 6 {
		fmt.Fprintf(&lines, `{"id":"c%d","prompt":"Number %d?"}`+"\n", i, i)
	}
	return run(t, append([]string{
		"-cases", write(t, dir, "c.jsonl", lines.String()), "-schema", write(t, dir, "s.json", `{"type":"integer"}`),
		"-strategies", write(t, dir, "s.yaml", "correction: No.\nstrategies: [{name: ask, on_refusal: reask}]"),
		"-provider", "openai", "-base-url", url, "-model", "m", "-requests", "1",
	}, args...)...)
}

// The files of a batch: values in the order of the cases, refused ones with their trail.
func TestBatchFiles(t *testing.T) {
	s, err := loopback.Start(func(r loopback.Request) loopback.Answer {
		if r.Says("Number 4?") {
			return loopback.Says("many")
		}
		return loopback.Says("7")
	})
	require.NoError(t, err)
	defer s.Close()
	dir := t.TempDir()
	out, refused := filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "refused.jsonl")
	status, _, stderr := remote(t, s.URL, "-out", out, "-refused", refused)
	assert.Equal(t, StatusRefused, status, stderr)
	assert.Contains(t, stderr, "no -journal")
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	var want string
	for _, id := range []string{"c0", "c1", "c2", "c3", "c5"} {
		want += `{"id":"` + id + `","value":7}` + "\n"
	}
	assert.Equal(t, want, string(text))
	text, err = os.ReadFile(refused)
	require.NoError(t, err)
	var l lost
	require.NoError(t, json.Unmarshal(text, &l))
	assert.Equal(t, "c4", l.ID)
	assert.Len(t, l.Trail, 3)
	assert.Equal(t, "many", l.Trail[2].Output)
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	require.NoError(t, err)
	assert.Empty(t, left, "no temporary files")
}

// A provider that refuses the key ends the run; one that is away fails cases that the next run tries again.
func TestProviderFails(t *testing.T) {
	status := http.StatusUnauthorized
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"error":{"message":"no"}}`))
	}))
	defer server.Close()
	got, _, stderr := remote(t, server.URL)
	assert.Equal(t, StatusProvider, got)
	assert.Contains(t, stderr, "the provider refuses")
	status = http.StatusServiceUnavailable
	got, stdout, _ := remote(t, server.URL)
	assert.Equal(t, StatusProvider, got)
	assert.Contains(t, stdout, "provider_unavailable 6")
}

// A file that cannot be written is not a success.
func TestCannotWrite(t *testing.T) {
	for _, flag := range []string{"-html", "-json", "-journal"} {
		flags := []string{"-sample", "classification", "-strategy", "none", "-html", filepath.Join(t.TempDir(), "p.html")}
		status, _, stderr := run(t, append(flags, flag, filepath.Join(t.TempDir(), "none", "x"))...)
		if flag == "-html" {
			assert.Equal(t, StatusOK, status, "the folder of the page is made: %s", stderr)
			continue
		}
		assert.Equal(t, StatusBroken, status, flag)
		assert.Contains(t, stderr, "no such file")
	}
}
