package repocheck

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	module      = "github.com/llmretry/langchaingo-llmretry/"
	langchaingo = "github.com/tmc/langchaingo/"
)

// allowed says which packages outside the standard library a package may import, tests left out. The direction is
// outputparser, reaskprompt -> llmretry; langchaingo's heavy packages and its providers only in llmretry/compose, which
// nothing else imports, and in examples and tests.
var allowed = map[string][]string{
	"llmretry": {langchaingo + "llms", langchaingo + "schema"},
	"llmretry/compose": {module + "llmretry", module + "outputparser", module + "internal/jsontext", langchaingo + "agents", langchaingo + "chains",
		langchaingo + "llms", langchaingo + "llms/openai", langchaingo + "prompts", langchaingo + "schema", langchaingo + "tools"},
	"llmretry/otelretry": {module + "llmretry", langchaingo + "llms", "go.opentelemetry.io/otel", "go.opentelemetry.io/otel/attribute", "go.opentelemetry.io/otel/codes",
		"go.opentelemetry.io/otel/metric", "go.opentelemetry.io/otel/trace", "go.opentelemetry.io/otel/semconv/"},
	"llmretry/callbackretry": {module + "llmretry", langchaingo + "callbacks", langchaingo + "llms", langchaingo + "schema"},
	"llmretry/attemptview":   {module + "llmretry", module + "internal/extract", module + "internal/jsontext", langchaingo + "llms"},
	"llmretry/retrytest":     {module + "llmretry", langchaingo + "llms"},
	"reaskprompt":            {module + "llmretry", langchaingo + "llms"},
	"outputparser":           {module + "llmretry", module + "internal/", langchaingo + "llms", langchaingo + "schema", "github.com/invopop/jsonschema"},
	"internal/schemacheck":   {module + "llmretry", module + "internal/", "github.com/santhosh-tekuri/jsonschema/v6", "github.com/santhosh-tekuri/jsonschema/v6/"},
	"internal/browser":       {"github.com/chromedp/chromedp", "github.com/chromedp/cdproto/", "github.com/stretchr/testify/require"},
	"internal":               {module + "llmretry", module + "internal/"},
	"examples":               {module, langchaingo},
	"examples/observe":       {module, langchaingo, "go.opentelemetry.io/"},
	"benchmarks":             {"golang.org/x/perf/"}, // a module of its own: peers in its tests only
	"cmd/reasklab": {module + "llmretry", module + "llmretry/attemptview", module + "llmretry/retrytest", module + "outputparser", module + "reaskprompt",
		module + "internal/jsontext", module + "cmd/reasklab/", langchaingo + "llms", langchaingo + "llms/anthropic", langchaingo + "llms/ollama",
		langchaingo + "llms/openai", "go.yaml.in/yaml/v3"},
}

// TestImportDirection keeps the layout: what is imported from where.
func TestImportDirection(t *testing.T) {
	walk(t, ".go", func(path string) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		require.NoError(t, err)
		rules, ok := rulesOf(filepath.ToSlash(rel))
		if !assert.True(t, ok, "%s: which rule is for this folder?", rel) {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
				continue // standard library
			}
			assert.True(t, slices.ContainsFunc(rules, func(rule string) bool {
				return imported == rule || strings.HasSuffix(rule, "/") && strings.HasPrefix(imported, rule) ||
					strings.HasPrefix(rel, "examples") && strings.HasPrefix(imported, rule)
			}), "%s imports %s", path, imported)
		}
	})
}

// rulesOf returns the rules of the longest folder name that matches.
func rulesOf(folder string) ([]string, bool) {
	for folder != "." {
		if rules, ok := allowed[folder]; ok {
			return rules, true
		}
		folder = filepath.ToSlash(filepath.Dir(folder))
	}
	return nil, false
}
