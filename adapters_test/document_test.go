package adapters_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write what the tests measured into docs/providers.md")

var providersDoc = filepath.Join("..", "docs", "providers.md")

// documentMu: several tests write into the one file.
var documentMu sync.Mutex

// document holds a part of docs/providers.md against what was measured, or with -update writes it. A part stands
// between two comments with its name.
func document(t *testing.T, name, text string) {
	t.Helper()
	if t.Failed() {
		return // what failed is not what the document should say
	}
	documentMu.Lock()
	defer documentMu.Unlock()
	data, err := os.ReadFile(providersDoc)
	require.NoError(t, err)
	begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
	before, rest, found := strings.Cut(string(data), begin)
	require.True(t, found, "docs/providers.md has no part %s", name)
	old, after, found := strings.Cut(rest, end)
	require.True(t, found, "docs/providers.md: the part %s has no end", name)
	if old == text {
		return
	}
	if *update {
		require.NoError(t, os.WriteFile(providersDoc, []byte(before+begin+text+end+after), 0o644))
		return
	}
	assert.Equal(t, text, old, "docs/providers.md is stale: go test ./adapters_test -update")
}
