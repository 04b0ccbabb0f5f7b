package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const output = `goos: linux
goarch: amd64
cpu: Some Processor
BenchmarkClean/options=0/bare-2         	100	         4.0 ns/op	       0 B/op	       0 allocs/op
BenchmarkClean/options=0/llmretry-2     	100	        30.0 ns/op	       0 B/op	       0 allocs/op
BenchmarkClean/options=0/llmretry-2     	100	        50.0 ns/op	       0 B/op	       0 allocs/op
BenchmarkClean/options=0/llmretry-2     	100	        99.0 ns/op	       0 B/op	       0 allocs/op
BenchmarkParallel/untyped/bare          	100	        40.0 ns/op
BenchmarkParallel/untyped/bare-2        	100	        20.0 ns/op
BenchmarkParallel/untyped/llmretry      	100	        40.0 ns/op
BenchmarkParallel/untyped/llmretry-2    	100	        30.0 ns/op
BenchmarkTyped/schema/llmretry-2        	100	       100.0 ns/op
BenchmarkTyped/schema/fantasy-2         	100	      1300.0 ns/op
BenchmarkOther-2                        	100	      1300.0 ns/op
`

func sample(t *testing.T) *results {
	name := filepath.Join(t.TempDir(), "results")
	require.NoError(t, os.WriteFile(name, []byte(output), 0o600))
	rs, err := read([]string{name})
	require.NoError(t, err)
	return rs
}

// A row's figure is the median of its samples; a name without a suffix is one processor's.
func TestRead(t *testing.T) {
	rs := sample(t)
	assert.Equal(t, "Some Processor", rs.cpu)
	ns, ok := rs.median(key{"Clean", "options=0", "llmretry", "2"}, "ns/op")
	assert.True(t, ok)
	assert.Equal(t, 50.0, ns)
	ns, _ = rs.median(key{"Parallel", "untyped", "bare", "1"}, "ns/op")
	assert.Equal(t, 40.0, ns)
	assert.Empty(t, rs.rows("Other"), "no group, no row")
}

func TestNothingToRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "results")
	require.NoError(t, os.WriteFile(name, []byte("PASS\n"), 0o600))
	_, err := read([]string{name})
	assert.ErrorContains(t, err, "no benchmark results")
}

// What was not measured is not met.
func TestTargets(t *testing.T) {
	rs := sample(t)
	for _, tt := range []struct {
		target func(*results) (string, bool)
		seen   string
		met    bool
	}{
		{overBare("options=0", 60), "46 ns, 0 allocs", true},
		{overBare("options=0", 45), "46 ns, 0 allocs", false},
		{overBare("options=5", 100), "NaN ns, NaN allocs", false},
		{faster("fantasy", 12), "13.0x", true},
		{faster("genkit", 60), "not run", false},
		{speedUp, "1.33x (bare: 2.00x)", false},
	} {
		seen, met := tt.target(rs)
		assert.Equal(t, tt.seen, seen)
		assert.Equal(t, tt.met, met, seen)
	}
	for _, target := range targets {
		assert.NotPanics(t, func() { target.seen(rs) }, target.name)
	}
}

func TestTable(t *testing.T) {
	var b bytes.Buffer
	table := newTable("a", "b")
	table.row("1 µs", count(1234567))
	table.write(&b)
	assert.Equal(t, "| a    | b         |\n| ---- | --------- |\n| 1 µs | 1 234 567 |\n\n", b.String())
	assert.Equal(t, []string{"4.0 ns", "12 ns", "1.2 µs", "3.4 ms"}, []string{duration(4), duration(12), duration(1200), duration(3.4e6)})
}

// Writing twice leaves one copy, and what is around the marks as it was.
func TestInsert(t *testing.T) {
	name := filepath.Join(t.TempDir(), "doc.md")
	require.NoError(t, os.WriteFile(name, []byte("before\n"+begin+"\nold\n"+end+"\nafter\n"), 0o600))
	require.NoError(t, insert(name, "new\n"))
	require.NoError(t, insert(name, "newer\n"))
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "before\n"+begin+"\n\nnewer\n\n"+end+"\nafter\n", string(got))

	require.NoError(t, os.WriteFile(name, []byte("no marks\n"), 0o600))
	assert.ErrorContains(t, insert(name, "new\n"), "benchmarks/run writes from here")
}
