package command

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/cases"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/strategy"
)

// The document names flags, statuses and formats that there are.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/lab.md")
	require.NoError(t, err)
	doc := string(text)

	_, _, help := run(t, "-h")
	for _, m := range regexp.MustCompile("[` ](-[a-z-]{3,})\\b").FindAllStringSubmatch(doc, -1) {
		assert.Contains(t, help, "\n  "+m[1], "the document names %s", m[1])
	}
	for _, status := range []int{
		StatusOK, StatusBroken, StatusUsage, StatusRefused, StatusCeiling, StatusProvider, StatusJournal, StatusInterrupted,
	} {
		assert.Contains(t, doc, fmt.Sprintf("\n| %d | ", status))
	}
	block := func(language string) string {
		_, rest, found := strings.Cut(doc, "```"+language+"\n")
		require.True(t, found)
		code, _, _ := strings.Cut(rest, "```")
		return code
	}
	all, err := cases.Read(strings.NewReader(block("jsonl")), []byte(`{"type":"object"}`))
	require.NoError(t, err)
	assert.Len(t, all, 2)
	set, err := strategy.Read([]byte(block("yaml")), 0)
	require.NoError(t, err)
	assert.Equal(t, []string{"none", "replay", "reask"}, set.Names())
}
