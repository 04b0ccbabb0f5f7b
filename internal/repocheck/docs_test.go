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
	assert.LessOrEqual(t, strings.Count(program, "\n")+1, 26)
}

// TestObservabilityCode keeps the code of the guide and of the documents about observation and testing compiled and run:
// each piece is lines of an example's.
func TestObservabilityCode(t *testing.T) {
	for doc, examples := range map[string][]string{
		"docs/observability.md": {"llmretry/otelretry/example_test.go", "examples/observe/main.go", "examples/observe/telemetry.go"},
		"docs/compose.md":       {"llmretry/compose/example_test.go"},
		"docs/guide.md":         {"llmretry/example_guide_test.go"},
		"docs/testing.md":       {"llmretry/retrytest/example_test.go"},
		"docs/attempt_page.md":  {"llmretry/example_shown_test.go", "llmretry/attemptview/example_test.go", "llmretry/callbackretry/example_test.go"},
	} {
		var compiled strings.Builder
		for _, name := range examples {
			compiled.WriteString(unindented(read(t, name)))
		}
		blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(read(t, doc), -1)
		assert.NotEmpty(t, blocks, doc)
		for _, block := range blocks {
			assert.True(t, strings.Contains(compiled.String(), unindented(block[1])), "%s: in no example: %s", doc, block[1])
		}
	}
}

func unindented(text string) string {
	return regexp.MustCompile(`(?m)^[ \t]+`).ReplaceAllString(text, "")
}

// TestDocLinks keeps the relative links of the documents alive.
func TestDocLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	code := regexp.MustCompile("(?ms)^```.*?^```") // a generic function's call looks like a link
	walk(t, ".md", func(path string) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(string(data), ""), -1) {
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
