package repocheck

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWorkflow keeps the public CI pinned, actions by commit and tools by version, and on the oldest Go that go.mod allows.
func TestWorkflow(t *testing.T) {
	workflow := read(t, ".github/workflows/ci.yml")
	uses := regexp.MustCompile(`(?m)^ *-? *uses: (.*)$`).FindAllStringSubmatch(workflow, -1)
	require.NotEmpty(t, uses)
	for _, u := range uses {
		assert.Regexp(t, `^[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`, u[1])
	}
	assert.NotContains(t, workflow, "@latest")
	assert.NotContains(t, workflow, "-latest\n", "a runner's image by its version")

	oldest := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "go.mod"))
	require.NotNil(t, oldest)
	assert.True(t, strings.Contains(workflow, `go-version: "`+oldest[1]+`.x"`), "no job for Go %s", oldest[1])
	assert.Contains(t, workflow, "run: .ci/run\n")
}
