package adapters_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// casesDir holds our own cases.
const casesDir = "testdata/conformance"

func ownFixtures(t testing.TB) []*fixture {
	t.Helper()
	fixtures, err := loadFixtures(casesDir)
	require.NoError(t, err)
	return fixtures
}

// calls are the file's, complete: a single call has the file's expectation, and retry_middleware is inherited.
func (f *fixture) calls() []*fixtureCall {
	var list []*fixtureCall
	if f.Call != nil {
		c := *f.Call
		c.Expected = f.Expected
		list = append(list, &c)
	}
	for _, c := range f.Calls {
		list = append(list, &c)
	}
	for _, c := range list {
		if c.RetryMiddleware == nil {
			c.RetryMiddleware = f.RetryMiddleware
		}
	}
	return list
}

// TestConformance plays the published cases, in this project's own words: docs/conformance.md.
func TestConformance(t *testing.T) {
	t.Parallel()
	playAll(t, casesDir)
}

// TestConformanceFixturesDir plays every *.yaml of FIXTURES_DIR, a path relative to the module root.
func TestConformanceFixturesDir(t *testing.T) {
	t.Parallel()
	dir, given := os.LookupEnv("FIXTURES_DIR")
	if !given {
		t.Skip("FIXTURES_DIR is not set")
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join("..", dir)
	}
	playAll(t, dir)
}

// playAll makes a subtest of each file, also of one that cannot be read.
func playAll(t *testing.T, dir string) {
	t.Helper()
	paths, err := caseFiles(dir)
	require.NoError(t, err)
	for _, path := range paths {
		t.Run(caseName(path), func(t *testing.T) {
			t.Parallel()
			f, err := loadFixture(path)
			require.NoError(t, err)
			playFile(t, f)
		})
	}
}

// playFile plays a file's calls one after the other. They share the provider: each call goes on with the responses
// that the calls before it left.
func playFile(t *testing.T, f *fixture) {
	t.Helper()
	servers, calls := map[string]*recordingServer{}, f.calls()
	for _, v := range f.variants() {
		servers[v.name] = v.server(t, f.MockProvider.Responses)
	}
	for i, c := range calls {
		run := func(t *testing.T) {
			for _, d := range deviationsOf(f, c) {
				t.Logf("deviation %s: %s", d.name, d.reason)
			}
			for _, v := range f.variants() {
				t.Run(v.name, func(t *testing.T) { check(t, c, play(t, f, c, servers[v.name], v)) })
			}
		}
		if len(calls) == 1 {
			run(t)
		} else {
			t.Run(callName(i, c), run)
		}
	}
}

func callName(i int, c *fixtureCall) string {
	if c.Name != "" {
		return c.Name
	}
	return "call-" + strconv.Itoa(i)
}
