package schemacheck

import (
	"strings"
	"testing"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/stretchr/testify/require"
)

func TestPointer(t *testing.T) {
	known := func(token string) bool { return strings.HasPrefix(token, "n") }
	long := strings.Repeat("k", 10_000)
	k46 := strings.Repeat("k", 46) + "..."
	for want, path := range map[string][]string{
		"":                             nil,
		"/":                            {""},
		"/next/0/a~1b":                 {"next", "0", "a/b"},
		"/" + k46:                      {long},
		"/" + k46 + "/" + k46:          {long, long},
		"/" + k46 + "/.../" + k46:      {long, long, "x", long},
		"/next/" + k46 + "/.../" + k46: {"next", long, long, long},
		"/" + k46 + "/name":            {long, "name"},
		"/n" + k46[1:]:                 {"n" + strings.Repeat("k", 200)},
		"/next\u202ex":                 {"next\u202ex"},
		`/\u202e\u202e\u202e\u202e\u202e\u202e\u202e\u20...`: {strings.Repeat("\u202e", 60)},
	} {
		require.Equal(t, want, Pointer(path, known))
	}
}

// TestModelTextIsBounded: at most 200 bytes of what the model wrote are in one issue, whatever it is and however deep.
func TestModelTextIsBounded(t *testing.T) {
	long := strings.Repeat("k", 10_000)
	for _, schema := range []string{
		`{"additionalProperties":{"$ref":"#"},"items":{"$ref":"#"},"type":["object","array"]}`,
		`{"properties":{"next":{"$ref":"#"},"` + long + `":{"$ref":"#"}},"additionalProperties":{"$ref":"#"},"items":{"$ref":"#"},"type":["object","array"]}`,
	} {
		s := compiled(t, schema)
		for _, key := range []string{long, "next", "1234", "\u202e", "/~", "a\nb", strings.Repeat("\u202e", 90)} {
			for _, depth := range []int{1, 2, 3, 30, 300} {
				open := "{" + string(jsontext.Quote(key, 1<<20)) + ":"
				issues := check(t, s, strings.Repeat(open, depth)+jsontext.Quote(long, 1<<20)+strings.Repeat("}", depth))
				require.Len(t, issues, 1)
				require.LessOrEqual(t, len(Place(issues[0].Path)), maxPlace)
				require.LessOrEqual(t, len(issues[0].Message), maxPlace+maxGot+60)
				if !s.names[key] {
					require.LessOrEqual(t, len(Place(issues[0].Path))+len(issues[0].Got), 200, key)
				}
			}
		}
		issues := check(t, s, strings.Repeat("[", 300)+"1"+strings.Repeat("]", 300))
		require.Len(t, issues, 1)
		require.LessOrEqual(t, len(issues[0].Path), maxPlace)
	}
}
