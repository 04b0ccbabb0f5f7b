package adapters_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestConformanceTranslated plays the cases through langchaingo's anthropic and ollama clients, in the bodies of those
// providers. What they cannot carry is in docs/conformance.md, and is taken out of the case by wireForm.reduce.
func TestConformanceTranslated(t *testing.T) {
	t.Parallel()
	dirs := []string{casesDir}
	if dir, given := os.LookupEnv("FIXTURES_DIR"); given {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join("..", dir)
		}
		dirs = append(dirs, dir)
	}
	doc, err := os.ReadFile(filepath.Join("..", "docs", "conformance.md"))
	require.NoError(t, err)
	for _, form := range []*wireForm{anthropicForm, ollamaForm} {
		played, left := 0, 0
		for _, dir := range dirs {
			paths, err := caseFiles(dir)
			require.NoError(t, err)
			for _, path := range paths {
				f, err := loadFixture(path)
				require.NoError(t, err)
				if !form.fits(f) {
					left++
					t.Logf("%s: %s has tool calls", form.name, f.file)
					if dir == casesDir {
						assert.True(t, strings.Contains(string(doc), "| `"+f.file+"` |"), "docs/conformance.md does not name %s", f.file)
					}
					continue
				}
				played++
				t.Run(form.name+"/"+f.file, func(t *testing.T) { form.playFile(t, f) })
			}
		}
		t.Logf("%s: %d cases played, %d left out", form.name, played, left)
		assert.Greater(t, played, 2*left)
	}
}

func (w *wireForm) playFile(t *testing.T, f *fixture) {
	t.Helper()
	calls := f.calls()
	for _, c := range calls {
		w.reduce(c)
	}
	for _, v := range f.variants() {
		if w.blind && !v.transport {
			continue
		}
		v.form = w
		server := v.server(t, f.MockProvider.Responses)
		for i, c := range calls {
			t.Run(v.name+"/"+callName(i, c), func(t *testing.T) { check(t, c, play(t, f, c, server, v)) })
		}
	}
}
