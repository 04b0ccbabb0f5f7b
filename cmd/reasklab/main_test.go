package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/internal/loopback"
)

// binary is the program, built once: only a process can be killed.
var binary string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "reasklab-test-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		binary = filepath.Join(dir, "reasklab")
		if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
			panic(string(out))
		}
		return m.Run()
	}())
}

// program is a command whose output is kept.
type program struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
}

func prepare(t *testing.T, args ...string) *program {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	p := &program{Cmd: exec.CommandContext(ctx, binary, args...)}
	p.Dir = t.TempDir()
	p.Env = append(os.Environ(), "OPENAI_API_KEY=none", "TMPDIR="+p.Dir)
	p.Stdout, p.Stderr = &p.stdout, &p.stderr
	return p
}

// status runs the program to its end.
func (p *program) status(t *testing.T) int {
	t.Helper()
	err := p.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return p.ProcessState.ExitCode()
}

// The first thing that anybody does: a table and a page, and in them that blind replay heals nothing while asking again
// with the correction and a bigger model do.
func TestOffline(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	p := prepare(t, "-offline")
	require.Zero(t, p.status(t), p.stderr.String())
	assert.Less(t, time.Since(begin), time.Minute)
	table := p.stdout.String()
	lines := strings.Split(table, "\n")
	row := func(name string) []string {
		i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, name+"  ") })
		require.GreaterOrEqual(t, i, 0, "%s in\n%s", name, table)
		return strings.Fields(strings.TrimPrefix(lines[i], name))
	}
	healed := func(name string) (n int) {
		f := row(name) // cases, valid@1 %, valid@k %, k, low to high %, n of m
		_, err := fmt.Sscan(f[10], &n)
		require.NoError(t, err, "%q", f)
		return n
	}
	assert.Zero(t, healed("none"))
	assert.Zero(t, healed("blind replay"), "the determinism trap")
	assert.Greater(t, healed("reask"), 100)
	assert.Greater(t, healed("bigger model"), 100)
	assert.Equal(t, "bigger", strings.Fields(lines[1])[0], "ranked")
	assert.Contains(t, lines[0], "95 % interval")
	assert.Contains(t, table, "McNemar's exact test")
	assert.Contains(t, table, "func New(inner llms.Model) (*llmretry.Model, error) {")
	assert.Contains(t, p.stderr.String(), "nothing about any real model")

	pages, err := filepath.Glob(filepath.Join(p.Dir, "reasklab-*", "reasklab.html"))
	require.NoError(t, err)
	require.Len(t, pages, 1)
	assert.Contains(t, table, "page: "+pages[0])
	page, err := os.ReadFile(pages[0])
	require.NoError(t, err)
	assert.Contains(t, string(page), "</html>")
}

// Two runs say the same, to the byte.
func TestOfflineIsDeterministic(t *testing.T) {
	t.Parallel()
	var said [2]string
	for i, parallel := range []string{"1", "8"} {
		p := prepare(t, "-offline", "-sample", "classification", "-parallel", parallel, "-html", "p.html", "-json", "r.json")
		require.Zero(t, p.status(t), p.stderr.String())
		raw, err := os.ReadFile(filepath.Join(p.Dir, "r.json"))
		require.NoError(t, err)
		page, err := os.ReadFile(filepath.Join(p.Dir, "p.html"))
		require.NoError(t, err)
		said[i] = p.stdout.String() + string(raw) + string(page)
	}
	assert.True(t, said[0] == said[1])
}

const (
	cases      = 60
	strategies = `
correction: "Wrong: {{issues .}}"
attempts: 3
strategies:
  - {name: replay, on_refusal: replay}
  - {name: reask, on_refusal: reask}
`
	schema = `{"type": "integer"}`
)

// server answers some cases at once, some when they are corrected, and some never. Every answer takes a while.
func server(t *testing.T) *loopback.Server {
	t.Helper()
	s, err := loopback.Start(func(r loopback.Request) loopback.Answer {
		time.Sleep(4 * time.Millisecond)
		var n int
		_, err := fmt.Sscanf(r.Messages[0].Content, "Number %d?", &n)
		switch {
		case err != nil:
			return loopback.Answer{Status: 400}
		case n%10 == 0, n%3 == 1 && len(r.Messages) == 1:
			return loopback.Says("many")
		}
		return loopback.Says(fmt.Sprint(n))
	})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// files writes the inputs of a run and returns the flags that name them.
func files(t *testing.T, s *loopback.Server) []string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	var lines strings.Builder
	for i := 1; i <= cases; i++ {
		fmt.Fprintf(&lines, `{"id":"c%02d","prompt":"Number %d?","expected":%d}`+"\n", i, i, i)
	}
	return []string{
		"-cases", write("cases.jsonl", lines.String()), "-schema", write("schema.json", schema),
		"-strategies", write("strategies.yaml", strategies),
		"-provider", "openai", "-base-url", s.URL, "-model", "m", "-want", "0",
	}
}

// records reads what a journal says, without what differs from run to run, by case and strategy.
func records(t *testing.T, file string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(string(text), "\n"), "whole lines only")
	all := make(map[string]string)
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		var l struct {
			Record map[string]any
			Wasted int
		}
		require.NoError(t, json.Unmarshal([]byte(line), &l), line)
		if l.Record == nil {
			continue
		}
		for _, a := range l.Record["attempts"].([]any) {
			delete(a.(map[string]any), "ms")
		}
		key := fmt.Sprint(l.Record["case"], " ", l.Record["strategy"])
		require.NotContains(t, all, key, "run twice")
		kept, err := json.Marshal(l.Record)
		require.NoError(t, err)
		all[key] = string(kept)
	}
	return all
}

// whole runs without an interrupt and returns its records and the number of requests that takes.
func whole(t *testing.T, s *loopback.Server, flags []string) (map[string]string, int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "whole.jsonl")
	p := prepare(t, append(flags, "-journal", file)...)
	require.Zero(t, p.status(t), p.stderr.String())
	all := records(t, file)
	require.Len(t, all, 2*cases)
	return all, len(s.Requests())
}

// until waits for a journal to have some lines.
func until(t *testing.T, file string, lines int) {
	t.Helper()
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(file)
		return err == nil && bytes.Count(text, []byte("\n")) >= lines
	}, 30*time.Second, time.Millisecond)
}

// The first signal: what is in flight comes to its end, the next run does the rest, and nothing is asked twice.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	s := server(t)
	flags := files(t, s)
	want, requests := whole(t, s, flags)

	file := filepath.Join(t.TempDir(), "journal.jsonl")
	flags = append(flags, "-journal", file)
	p := prepare(t, flags...)
	require.NoError(t, p.Start())
	until(t, file, 20)
	require.NoError(t, p.Process.Signal(os.Interrupt))
	require.Error(t, p.Wait())
	assert.Equal(t, 130, p.ProcessState.ExitCode(), p.stderr.String())
	assert.Contains(t, p.stderr.String(), "interrupted")
	assert.Contains(t, p.stdout.String(), "valid@k", "what there is is shown")
	some := records(t, file)
	assert.Less(t, len(some), 2*cases, "it was in the middle")

	p = prepare(t, flags...)
	require.Zero(t, p.status(t), p.stderr.String())
	assert.Contains(t, p.stderr.String(), fmt.Sprintf("has %d of %d runs", len(some), 2*cases))
	assert.Equal(t, want, records(t, file))
	assert.Len(t, s.Requests(), 2*requests, "nothing was paid twice")

	p = prepare(t, flags...)
	require.Zero(t, p.status(t), p.stderr.String())
	assert.Len(t, s.Requests(), 2*requests, "nothing is left to do")
}

// Killed again and again, at any moment: nothing is lost but what was in flight, and the file is never corrupt.
func TestKilled(t *testing.T) {
	t.Parallel()
	s := server(t)
	flags := files(t, s)
	want, requests := whole(t, s, flags)

	const parallel, attempts = 4, 3
	file := filepath.Join(t.TempDir(), "journal.jsonl")
	flags = append(flags, "-journal", file, "-parallel", fmt.Sprint(parallel))
	kills := 0
	for lines := 15; lines < 90; lines += 30 {
		p := prepare(t, flags...)
		require.NoError(t, p.Start())
		until(t, file, lines)
		require.NoError(t, p.Process.Signal(syscall.SIGKILL))
		require.Error(t, p.Wait())
		kills++
	}
	// A kill in the middle of a write is rare: here is one.
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, text[:len(text)-7], 0o600))

	p := prepare(t, flags...)
	require.Zero(t, p.status(t), p.stderr.String())
	assert.Contains(t, p.stderr.String(), "ended in the middle of a line")
	assert.Equal(t, want, records(t, file))
	assert.LessOrEqual(t, len(s.Requests()), 2*requests+(kills*parallel+1)*attempts, "only what was in flight is asked again")
}

// Other inputs, and the journal is not theirs.
func TestOtherInputs(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "journal.jsonl")
	run := func(args ...string) (int, string) {
		p := prepare(t, append([]string{"-offline", "-sample", "classification", "-html", "p.html", "-journal", file}, args...)...)
		status := p.status(t)
		return status, p.stderr.String()
	}
	status, said := run("-strategy", "none")
	require.Zero(t, status, said)
	status, said = run("-strategy", "none", "-parallel", "2", "-price", "1,2", "-max-tokens-total", "1000000", "-want", "0")
	require.Zero(t, status, said)
	for _, other := range [][]string{{"-strategy", "reask"}, {"-strategy", "none", "-seed", "2"}} {
		status, said = run(other...)
		assert.Equal(t, 6, status)
		assert.Contains(t, said, "the journal is that of other inputs")
	}
}

// A batch that was interrupted and taken up again writes the same files as one that was not.
func TestBatch(t *testing.T) {
	t.Parallel()
	s := server(t)
	flags := append(files(t, s), "-strategy", "reask")
	run := func(journal string) (p *program, files func() string) {
		p = prepare(t, append(flags, "-journal", journal, "-out", "valid.jsonl", "-refused", "refused.jsonl")...)
		return p, func() string {
			valid, err := os.ReadFile(filepath.Join(p.Dir, "valid.jsonl"))
			require.NoError(t, err)
			refused, err := os.ReadFile(filepath.Join(p.Dir, "refused.jsonl"))
			require.NoError(t, err)
			var kept []string
			for _, line := range strings.Split(strings.TrimSpace(string(refused)), "\n") {
				var l map[string]any
				require.NoError(t, json.Unmarshal([]byte(line), &l))
				for _, a := range l["trail"].([]any) {
					delete(a.(map[string]any), "ms")
				}
				text, err := json.Marshal(l)
				require.NoError(t, err)
				kept = append(kept, string(text))
			}
			return string(valid) + strings.Join(kept, "\n")
		}
	}
	p, got := run(filepath.Join(t.TempDir(), "whole"))
	assert.Equal(t, 3, p.status(t), "some are refused: %s", p.stderr.String())
	want := got()
	assert.Contains(t, want, `{"id":"c01","value":1}`+"\n"+`{"id":"c02","value":2}`+"\n")
	assert.Contains(t, want, `"id":"c10"`)
	assert.Contains(t, want, `"class":"no_value"`)

	journal := filepath.Join(t.TempDir(), "interrupted")
	p, _ = run(journal)
	require.NoError(t, p.Start())
	until(t, journal, 15)
	require.NoError(t, p.Process.Signal(os.Interrupt))
	require.Error(t, p.Wait())
	assert.Equal(t, 130, p.ProcessState.ExitCode())
	p, got = run(journal)
	assert.Equal(t, 3, p.status(t), p.stderr.String())
	assert.Equal(t, want, got())
}

// The ceiling ends the run with a status of its own, and a higher one goes on.
func TestCeiling(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "journal.jsonl")
	flags := []string{"-offline", "-sample", "classification", "-strategy", "reask", "-html", "p.html", "-journal", file}
	p := prepare(t, append(flags, "-max-tokens-total", "5000")...)
	assert.Equal(t, 4, p.status(t), p.stderr.String())
	assert.Contains(t, p.stderr.String(), "incomplete")
	p = prepare(t, flags...)
	assert.Zero(t, p.status(t), p.stderr.String())
}
