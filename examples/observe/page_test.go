package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRunWithPage(t *testing.T) {
	name := filepath.Join(t.TempDir(), "page.html")
	var w bytes.Buffer
	require.NoError(t, run(t.Context(), &w, settings{page: name}))
	assert.True(t, strings.HasSuffix(w.String(), "The attempts as a page: "+name+"\n"))
	page, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, 6, strings.Count(string(page), `<li class="attempt`), "of two calls")
	assert.Contains(t, string(page), "[redacted]&#39;s pasta: dish and minutes, as JSON.")
	assert.Contains(t, string(page), `<mark `)
	assert.NotContains(t, string(page), "grandmother")
	info, err := os.Stat(name)
	require.NoError(t, err)
	assert.Zero(t, info.Mode().Perm()&0o077)

	require.ErrorIs(t, run(t.Context(), &w, settings{page: filepath.Join(filepath.Dir(name), "none", "x")}), os.ErrNotExist)
}
