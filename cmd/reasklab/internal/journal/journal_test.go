package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

func count(n int) llmretry.Count { return llmretry.Count{N: n, Known: true} }

func sample(id string) Record {
	yes := true
	return Record{
		Case: id, Strategy: "reask", Valid: true, Value: []byte(`{"a":"<b>"}`), Matches: &yes,
		Attempts: []Attempt{
			{Output: "{", Class: "syntax", Issues: llmretry.Issues{{Code: "syntax", Message: "cut"}}, In: count(10), Out: count(1), Requests: 2},
			{Reason: llmretry.ReasonReask, Output: "{}", In: count(20), Requests: 1, Millis: 1.5},
		},
	}
}

func open(t *testing.T, name string) *Journal {
	t.Helper()
	j, err := Open(name, "hash")
	require.NoError(t, err)
	t.Cleanup(func() { _ = j.Close() })
	return j
}

func TestReopened(t *testing.T) {
	name := filepath.Join(t.TempDir(), "j")
	j := open(t, name)
	require.NoError(t, j.Append(sample("a")))
	require.NoError(t, j.Waste(5))
	require.Error(t, j.Append(sample("a")), "a case is run once")
	require.NoError(t, j.Close())

	j = open(t, name)
	assert.Equal(t, 1, j.Len())
	assert.Equal(t, 36, j.Tokens())
	r, ok := j.Done(Key{"a", "reask"})
	assert.True(t, ok)
	assert.Equal(t, sample("a"), r)
	_, ok = j.Done(Key{"a", "none"})
	assert.False(t, ok)
	assert.Zero(t, j.Cut())
}

// A record of a provider's failure gives way to that of the next run; its tokens stay spent.
func TestTriedAgain(t *testing.T) {
	name := filepath.Join(t.TempDir(), "j")
	j := open(t, name)
	failed := sample("a")
	failed.Valid, failed.Again = false, true
	require.NoError(t, j.Append(failed))
	require.NoError(t, j.Append(failed))
	require.NoError(t, j.Append(sample("a")))
	require.Error(t, j.Append(sample("a")))
	assert.Equal(t, 3*31, j.Tokens())
	require.NoError(t, j.Close())

	j = open(t, name)
	assert.Equal(t, 1, j.Len())
	assert.Equal(t, 3*31, j.Tokens())
	r, _ := j.Done(Key{"a", "reask"})
	assert.True(t, r.Valid)
}

// Wherever the last line is torn, what stood before it is kept, and appending goes on at its end.
func TestTornLine(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "whole")
	j := open(t, name)
	require.NoError(t, j.Append(sample("a")))
	require.NoError(t, j.Append(sample("b")))
	require.NoError(t, j.Close())
	whole, err := os.ReadFile(name)
	require.NoError(t, err)

	for n := range len(whole) {
		torn := filepath.Join(dir, fmt.Sprint(n))
		require.NoError(t, os.WriteFile(torn, whole[:n], 0o600))
		lines := strings.Count(string(whole[:n]), "\n")
		j, err := Open(torn, "hash")
		require.NoError(t, err, "cut after %d bytes", n)
		require.Equal(t, max(lines-1, 0), j.Len())
		for _, id := range []string{"a", "b"} {
			if _, ok := j.Done(Key{id, "reask"}); !ok {
				require.NoError(t, j.Append(sample(id)))
			}
		}
		require.NoError(t, j.Close())
		got, err := os.ReadFile(torn)
		require.NoError(t, err)
		require.Equal(t, string(whole), string(got), "cut after %d bytes", n)
	}
}

func TestNotTheJournalOfThisRun(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) string {
		name := filepath.Join(dir, "j")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	const head = `{"format":"reasklab journal 1","inputs":"hash"}` + "\n"
	_, err := Open(write(strings.Replace(head, "hash", "other", 1)), "hash")
	require.ErrorIs(t, err, ErrOtherInputs)
	var other *OtherInputsError
	require.ErrorAs(t, err, &other)
	assert.Equal(t, OtherInputsError{Journal: "other", Run: "hash"}, *other)

	record := `{"record":{"case":"a","strategy":"s","valid":false,"attempts":[]}}` + "\n"
	for _, text := range []string{
		"a diary",
		"{}\n",
		"# notes\n" + head,
		head + "{\"record\":{\"ca\n" + record, // not at the end: somebody else's doing
		head + record + record,
		head + `{"wat":1}` + "\n",
	} {
		name := write(text)
		_, err := Open(name, "hash")
		require.ErrorIs(t, err, ErrCorrupt, text)
		kept, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, text, string(kept), "nothing of it is touched")
	}
}

func TestOneWriter(t *testing.T) {
	name := filepath.Join(t.TempDir(), "j")
	j := open(t, name)
	_, err := Open(name, "hash")
	require.ErrorIs(t, err, ErrInUse)
	require.NoError(t, j.Close())
	open(t, name)
}

func TestConcurrentAppends(t *testing.T) {
	name := filepath.Join(t.TempDir(), "j")
	j := open(t, name)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() { assert.NoError(t, j.Append(sample(fmt.Sprint(i)))) })
	}
	wg.Wait()
	require.NoError(t, j.Close())
	assert.Equal(t, 50, open(t, name).Len())
}

func TestMemory(t *testing.T) {
	j := Memory()
	require.NoError(t, j.Append(sample("a")))
	assert.Equal(t, 1, j.Len())
	require.NoError(t, j.Close())
}

// A full disk: the run ends with the error, and nothing is written behind half a line.
func TestFailedWrite(t *testing.T) {
	j := open(t, filepath.Join(t.TempDir(), "j"))
	require.NoError(t, j.file.Close())
	err := j.Append(sample("a"))
	require.Error(t, err)
	assert.Equal(t, err, j.Append(sample("b")))
	assert.Zero(t, j.Len())
}
