package adapters_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// deviation is something the shape can say that cannot be had through langchaingo's openai client. It is logged by
// every call that says it and listed, word for word, in docs/conformance.md.
type deviation struct {
	name, reason string
	in           func(f *fixture, c *fixtureCall) bool
}

var deviations = []deviation{
	{
		"body_root_extras", "llms.CallOptions has no field for parameters it does not know. They travel as its Metadata, which the client writes into the body's metadata object and not into its root; that is where they are looked for.",
		func(_ *fixture, c *fixtureCall) bool {
			return anySampling(c, func(name string, v any) bool { return v != nil && slices.Contains(extras, name) })
		},
	},
	{
		"explicit_zero", "The client leaves out a seed, a limit, a penalty or n of 0 and an empty stop list (omitempty). The 0 is looked for among the options of the attempt, and its absence in the body is checked.",
		func(_ *fixture, c *fixtureCall) bool {
			return anySampling(c, func(name string, v any) bool {
				return v != nil && samplingFields[canonical(name)].omitsZero && isZero(v)
			})
		},
	},
	{
		"max_tokens_name", "The client writes max_tokens as max_completion_tokens. It is looked for under that name.",
		func(_ *fixture, c *fixtureCall) bool {
			return anySampling(c, func(name string, v any) bool { return canonical(name) == "max_tokens" })
		},
	},
	{
		"null_content", "A null content becomes the empty string in llms.ContentChoice, so null is compared as \"\".",
		func(_ *fixture, c *fixtureCall) bool {
			m := c.Expected.Response
			return m != nil && m.Message != nil && isSet(m.Message.Content) && valueOf(m.Message.Content) == nil
		},
	},
	{
		"null_finish_reason", "A finish reason that is null becomes the empty string, which counts as unknown; null is compared as that.",
		func(_ *fixture, c *fixtureCall) bool {
			e := c.Expected
			return e.Response != nil && isSet(e.Response.FinishReason) && valueOf(e.Response.FinishReason) == nil ||
				e.Raises != nil && e.Raises.Carries != nil && isSet(e.Raises.Carries.FinishReason) && valueOf(e.Raises.Carries.FinishReason) == nil
		},
	},
	{
		"response_format", "There is no option for a JSON schema per call, only one for the whole client, and its type cannot hold every schema. A response_schema judges the answer and is not sent.",
		func(_ *fixture, c *fixtureCall) bool { return c.ResponseSchema != nil },
	},
	{
		"response_identity", "llms.ContentResponse keeps neither the id nor the model of a response. Expectations about them are not compared.",
		func(_ *fixture, c *fixtureCall) bool {
			return c.Expected.Response != nil && c.Expected.Response.ID != "" ||
				slices.ContainsFunc(c.Expected.LLMSpans, func(s llmSpan) bool {
					return slices.ContainsFunc(responseIdentity, func(name string) bool { _, ok := s.Attributes[name]; return ok })
				})
		},
	},
	{
		"response_role", "llms.ContentChoice has no role: an answer is always the assistant's. An expected role is held against that.",
		func(_ *fixture, c *fixtureCall) bool {
			m := c.Expected.Response
			return m != nil && m.Message != nil && m.Message.Role != ""
		},
	},
	{
		"unsent_fields", "The client has no place for top_p, top_k and repetition_penalty and drops them in silence. They are looked for among the options of the attempt, and their absence in the body is checked.",
		func(_ *fixture, c *fixtureCall) bool {
			return anySampling(c, func(name string, v any) bool {
				f, ok := samplingFields[canonical(name)]
				return v != nil && ok && f.wire == ""
			})
		},
	},
	{
		"unset_temperature", "The client sends a temperature of 0 when none is set. An expected null is held against the options of the attempt.",
		func(_ *fixture, c *fixtureCall) bool {
			return slices.ContainsFunc(c.Expected.WireRequests, func(w wireRequest) bool {
				v, ok := w.Sampling["temperature"]
				return ok && v == nil
			})
		},
	},
}

// anySampling looks at everything the call says about sampling.
func anySampling(c *fixtureCall, is func(name string, v any) bool) bool {
	all := []map[string]any{c.Config}
	if c.Retry != nil {
		for _, entry := range c.Retry.PerAttemptOverride {
			all = append(all, entry)
		}
	}
	for _, w := range c.Expected.WireRequests {
		all = append(all, w.Sampling)
	}
	for _, m := range all {
		for name, v := range m {
			if is(name, v) {
				return true
			}
		}
	}
	return false
}

func deviationsOf(f *fixture, c *fixtureCall) (list []deviation) {
	for _, d := range deviations {
		if d.in(f, c) {
			list = append(list, d)
		}
	}
	return list
}

var deviationRow = regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (.+) \\|$")

// TestConformanceDeviations keeps docs/conformance.md and the code equal, and every deviation alive in one of our cases.
func TestConformanceDeviations(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(filepath.Join("..", "docs", "conformance.md"))
	require.NoError(t, err)
	_, section, found := strings.Cut(string(doc), "\n## Deviations\n")
	require.True(t, found, "docs/conformance.md has no section Deviations")
	section, _, _ = strings.Cut(section, "\n## ")
	var documented, coded []string
	for _, row := range deviationRow.FindAllStringSubmatch(section, -1) {
		documented = append(documented, row[1]+": "+row[2])
	}
	used := map[string]bool{}
	for _, f := range ownFixtures(t) {
		for _, c := range f.calls() {
			for _, d := range deviationsOf(f, c) {
				used[d.name] = true
			}
		}
	}
	for _, d := range deviations {
		coded = append(coded, d.name+": "+d.reason)
		assert.True(t, used[d.name], "no case deviates by %s", d.name)
	}
	assert.Equal(t, coded, documented)
}
