package samples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/strategy"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/samples"
)

// Every case can be asked, and its schema accepts what is expected: Read has looked.
func TestCases(t *testing.T) {
	all, err := samples.Cases(samples.Names...)
	require.NoError(t, err)
	assert.Len(t, all, 120+120+80)
	for _, c := range all {
		require.NotNil(t, c.Expected, c.ID)
	}
	_, err = samples.Cases("nothing")
	require.Error(t, err)
}

func TestStrategies(t *testing.T) {
	text, err := samples.Strategies()
	require.NoError(t, err)
	set, err := strategy.Read(text, 0)
	require.NoError(t, err)
	assert.Equal(t, []string{"none", "blind replay", "hotter", "reask", "reask, hotter", "fresh restart", "bigger model"}, set.Names())
	assert.True(t, set.NeedsBigger())
}

// What is committed is what the generator makes.
func TestGenerated(t *testing.T) {
	dir := t.TempDir()
	out, err := exec.Command("go", "run", "./generate", dir).CombinedOutput()
	require.NoError(t, err, string(out))
	for _, name := range samples.Names {
		want, err := os.ReadFile(filepath.Join(dir, name+".jsonl"))
		require.NoError(t, err)
		got, err := os.ReadFile(name + ".jsonl")
		require.NoError(t, err)
		assert.True(t, string(want) == string(got), "%s: run go generate", name)
		assert.NotContains(t, string(got), "{place}")
		assert.LessOrEqual(t, strings.Count(string(got), "\n"), 200)
	}
}
