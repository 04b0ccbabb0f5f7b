package llmretry_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/llmretry/langchaingo-llmretry/internal/golden"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Semantics H2: %v is one short line and %+v several; neither prints a prompt or an output. A provider's and a panic's
// own text is theirs, and the only thing here that may quote.
func TestFormat(t *testing.T) {
	r := shownReport()
	refusal := r.LastRefused()
	values := map[string]any{
		"report": r, "attempt": r.Attempts[1], "failure": refusal.Failure,
		"entry": llmretry.TrailEntry{Step: "triage", Attempt: 1, Error: private, Raw: private, Count: 2},
	}
	for name, err := range shownErrors() {
		values["error "+name] = err
	}
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v := values[name]
		fmt.Fprintf(&all, "== %s\n%v\n%+v\n", name, v, v)
		assert.Equal(t, fmt.Sprintf("%+v", v), fmt.Sprintf("%#v", v), name)
		assert.NotContains(t, fmt.Sprintf("%v", v), "\n", name)
	}
	quoting := strings.NewReplacer("you said "+private, "", "builder: "+private, "", "panic: "+private, "")
	assert.NotContains(t, quoting.Replace(all.String()), private)
	golden.Check(t, "format.golden", all.String())
}

func TestFormatVerbs(t *testing.T) {
	err := &llmretry.ProviderError{Category: llmretry.CategoryRateLimit, Status: 429}
	for _, format := range []string{"%v", "%s", "%q", "%40v|", "%-40s|", "%.8v", "%x", "%d"} {
		want := format
		if format == "%40v|" || format == "%.8v" || format == "%v" {
			want = strings.Replace(format, "v", "s", 1)
		}
		assert.Equal(t, fmt.Sprintf(want, err.Error()), fmt.Sprintf(format, err), format)
	}
	for _, none := range []any{
		(*llmretry.Report)(nil), (*llmretry.StructuredOutputError)(nil), (*llmretry.AttemptsError)(nil), (*llmretry.ProviderError)(nil),
		(*llmretry.PanicError)(nil), (*llmretry.ExhaustedError)(nil),
	} {
		assert.Equal(t, "<nil>", fmt.Sprintf("%v", none), "%T", none)
	}
}

// A path holds names that a model made up: they cannot begin a line of their own or turn the text around.
func TestFormatNamesStayOnTheirLine(t *testing.T) {
	is := llmretry.Issues{{Path: "/a\nlevel=ERROR \u202e", Code: "type"}}
	assert.Equal(t, "1 issue\n  /a\\nlevel=ERROR \\u202e: type", fmt.Sprintf("%+v", is))
}

// An error page of a proxy is not all of a log line.
func TestErrorTextIsBounded(t *testing.T) {
	page := fmt.Errorf("%s", strings.Repeat("<p>", 1<<20))
	for _, err := range []error{
		&llmretry.ProviderError{Err: page}, &llmretry.AttemptsError{Err: page, Stop: page}, &llmretry.PanicError{Value: page},
		&llmretry.StructuredOutputError{Failure: llmretry.Failure{ErrorMessage: page.Error()}},
	} {
		assert.Less(t, len(fmt.Sprintf("%+v", err)), 5000, "%T", err)
	}
}
