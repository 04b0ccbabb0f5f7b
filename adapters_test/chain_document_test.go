package adapters_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

type llmsResponse = llms.ContentResponse

var composeDoc = filepath.Join("..", "docs", "compose.md")

// composeDocument holds a part of docs/compose.md against what was measured, or with -update writes it. A part stands
// between two comments with its name.
func composeDocument(t *testing.T, name, text string) {
	t.Helper()
	if t.Failed() {
		return // what failed is not what the document should say
	}
	documentMu.Lock()
	defer documentMu.Unlock()
	data, err := os.ReadFile(composeDoc)
	require.NoError(t, err)
	begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
	before, rest, found := strings.Cut(string(data), begin)
	require.True(t, found, "docs/compose.md has no part %s", name)
	old, after, found := strings.Cut(rest, end)
	require.True(t, found, "docs/compose.md: the part %s has no end", name)
	if old == text {
		return
	}
	if *update {
		require.NoError(t, os.WriteFile(composeDoc, []byte(before+begin+text+end+after), 0o644))
		return
	}
	assert.Equal(t, text, old, "docs/compose.md is stale: go test ./adapters_test -update")
}

// fate is what became of a chain or agent: a row of docs/compose.md.
type fate struct {
	sees       string
	iterations int // of the executor; 0 for a chain
	calls      int // of the model
	scratchpad string
	memory     string
}

func fateHeader(what string) []string {
	row := []string{what, "the model's first answer", "decorator", "the user sees"}
	if what == "agent" {
		row = append(row, "iterations")
	}
	row = append(row, "model calls")
	if what == "agent" {
		row = append(row, "scratchpad")
	}
	return append(row, "memory")
}

func (f fate) row(what, failure, side string) []string {
	row := []string{what, failure, side, cell(f.sees)}
	if f.iterations > 0 {
		row = append(row, fmt.Sprint(f.iterations))
	}
	row = append(row, fmt.Sprint(f.calls))
	if f.iterations > 0 {
		row = append(row, cell(f.scratchpad))
	}
	return append(row, cell(or(f.memory, "empty")))
}

// seen is what the user of a chain is left with.
func seen(output string, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return fmt.Sprintf("%q", output)
}

// cell is a text as a cell of a table: one line, not too long.
func cell(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\n", " / "), "|", "\\|")
	if r := []rune(s); len(r) > 150 {
		s = string(r[:147]) + "..."
	}
	return s
}
