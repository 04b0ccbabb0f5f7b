// Package repocheck holds the rules of this repository as tests.
package repocheck

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func read(t *testing.T, name string) string {
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(data)
}

// TestReadmeProgram keeps the README's program the one that is compiled and run in examples/readme, and short.
func TestReadmeProgram(t *testing.T) {
	program := strings.TrimSpace(read(t, "examples/readme/main.go"))
	assert.Contains(t, read(t, "README.md"), "```go\n"+program+"\n```")
	assert.Less(t, strings.Count(program, "\n")+1, 25)
}

// TestDocLinks keeps the relative links of the documents alive.
func TestDocLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	walk(t, ".md", func(path string) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(string(data), -1) {
			_, err := os.Stat(filepath.Join(filepath.Dir(path), filepath.FromSlash(m[1])))
			assert.NoError(t, err, "%s links to %s", path, m[1])
		}
	})
}

// TestDocsNamedInCode keeps the documents alive that comments send a reader to.
func TestDocsNamedInCode(t *testing.T) {
	named := regexp.MustCompile(`docs/[a-z_]+\.md`)
	walk(t, ".go", func(path string) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, doc := range named.FindAllString(string(data), -1) {
			_, err := os.Stat(filepath.Join(root, filepath.FromSlash(doc)))
			assert.NoError(t, err, "%s names %s", path, doc)
		}
	})
}

// TestDependenciesHaveReasons keeps docs/dependencies.md complete: every module that go.mod requires directly, with
// its version.
func TestDependenciesHaveReasons(t *testing.T) {
	doc := read(t, "docs/dependencies.md")
	for _, line := range strings.Split(read(t, "go.mod"), "\n") {
		m := regexp.MustCompile(`^\s+(\S+\.\S+/\S+) (v\S+)$`).FindStringSubmatch(line)
		if m != nil {
			assert.Contains(t, doc, "| "+m[1]+" | "+m[2]+" |")
		}
	}
}

// TestChangelog keeps the changelog in its form.
func TestChangelog(t *testing.T) {
	log := read(t, "CHANGELOG.md")
	assert.Contains(t, log, "## [Unreleased]")
	assert.Contains(t, log, "### Behaviour changes")
}
