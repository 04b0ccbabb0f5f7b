package llmretry_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/llmretry/langchaingo-llmretry/internal/golden"
)

// TestErrorsDoc keeps docs/errors.md the table that TestEndings asserts.
func TestErrorsDoc(t *testing.T) {
	names := map[string]string{"structured": "*StructuredOutputError", "attempts": "*AttemptsError", "provider": "*ProviderError", "panic": "*PanicError"}
	var b strings.Builder
	b.WriteString(`# What an error matches

For each way a call can end: its category, which sentinels ` + "`errors.Is`" + ` finds, and which types ` + "`errors.As`" + ` finds. Generated from the test that asserts it
(` + "`go test ./llmretry -run ErrorsDoc -update`" + `). The provider's own error is always found too; a call that fails by itself in the only attempt it may make returns it
as the very value.

| how the call ends | category | errors.Is | errors.As |
| --- | --- | --- | --- |
`)
	for _, e := range endings() {
		var is, as []string
		for _, name := range slices.Sorted(maps.Keys(sentinels)) {
			if slices.Contains(e.is, sentinels[name]) {
				is = append(is, map[bool]string{true: own[name], false: name}[own[name] != ""])
			}
		}
		for _, name := range strings.Fields(e.as) {
			as = append(as, "`"+names[name]+"`")
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", e.name, e.category, strings.Join(is, ", "), strings.Join(as, ", "))
	}
	golden.Check(t, "../../docs/errors.md", b.String())
}

// own says what the test's own errors stand for.
var own = map[string]string{
	"errDown": "the provider's own", "errBad": "the provider's own", "errGone": "the panic's or stream function's own",
	"errWords": "the builder's own", "errLeft": "the cancel cause",
}
