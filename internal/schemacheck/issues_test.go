package schemacheck

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAllAtOnceInOrder(t *testing.T) {
	s := compiled(t, `{"type":"object","properties":{"status":{"enum":["draft","open"]},"items":{"items":{"properties":{"qty":{"minimum":1}},
		"required":["qty"]}},"customer":{"required":["email"]}},"additionalProperties":false}`)
	for range 50 {
		issues := check(t, s, `{"zzz":1,"status":"lost","customer":{},"items":[{"qty":0},{},{},{},{},{},{},{},{},{},{"qty":0}]}`)
		var paths []string
		for _, issue := range issues {
			paths = append(paths, issue.Path+" "+issue.Code)
		}
		require.Equal(t, []string{
			"/customer/email required", "/items/0/qty minimum", "/items/1/qty required", "/items/2/qty required", "/items/3/qty required",
			"/items/4/qty required", "/items/5/qty required", "/items/6/qty required", "/items/7/qty required",
			"/items/8/qty required", "/items/9/qty required", "/items/10/qty minimum", "/status enum", "/zzz additional",
		}, paths)
	}
}

func TestManyIssues(t *testing.T) {
	s := compiled(t, `{"type":"array","items":{"type":"integer"}}`)
	issues := check(t, s, "["+strings.Repeat(`"x",`, 9999)+`"x"]`)
	require.Len(t, issues, DefaultMaxIssues+1)
	require.Equal(t, "/0", issues[0].Path)
	require.Equal(t, "/49", issues[49].Path)
	require.Equal(t, "output: 9950 more issues are left out", issues[50].Message)
}

// TestTooLargeToListFaults keeps memory in bounds where the validator would hold every fault with its whole path.
func TestTooLargeToListFaults(t *testing.T) {
	s := compiled(t, `{"items":{"$ref":"#"},"type":"array"}`)
	deep := strings.Repeat("[", 9000) + "1" + strings.Repeat("]", 9000)
	require.Equal(t, "schema", check(t, s, deep)[0].Code)
	wide := compiled(t, `{"items":{"type":"string"}}`)
	require.Equal(t, "schema", check(t, wide, "["+strings.Repeat("1,", maxErrorNodes)+"1]")[0].Code)
	require.Nil(t, check(t, wide, "["+strings.Repeat(`"",`, maxErrorNodes)+`""]`))
}

func TestHostileNumbers(t *testing.T) {
	s := compiled(t, `{"items":{"type":"integer","minimum":1,"multipleOf":3}}`)
	long := "[" + strings.Repeat("1e-300,", 2000) + "1e300]"
	require.NotEmpty(t, check(t, s, long))
}
