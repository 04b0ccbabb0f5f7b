package repocheck

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestArchitecture keeps docs/architecture.md true as far as names go: what its tables of the loop name is declared in
// llmretry, files it names are there, and its map has the packages there are.
func TestArchitecture(t *testing.T) {
	doc := read(t, "docs/architecture.md")
	packages, call, _ := strings.Cut(doc, "## A call")
	call, lines, _ := strings.Cut(call, "## Where a new line belongs")

	names := declaredIn(t, "llmretry")
	for _, quoted := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(call, -1) {
		name := strings.TrimPrefix(quoted[1], "(*config).")
		name = strings.TrimPrefix(strings.TrimPrefix(name, "(*call)."), "Model.")
		if !strings.HasSuffix(name, ".go") {
			assert.True(t, names[name], "%s is nothing in llmretry", quoted[1])
		}
	}
	for _, file := range regexp.MustCompile("`([a-z_]+\\.go)`").FindAllStringSubmatch(call+lines, -1) {
		_, err := os.Stat(filepath.Join(root, "llmretry", file[1]))
		assert.NoError(t, err)
	}
	for _, path := range golist(t, "./internal/...", "./llmretry/...", "./outputparser", "./reaskprompt", "./adapters_test", "./cmd/reasklab") {
		name := strings.TrimPrefix(path, module)
		assert.True(t, strings.Contains(packages, "| `"+name+"` |"), "%s is not in the map of packages", name)
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(packages, -1) {
		_, err := os.Stat(filepath.Join(root, filepath.FromSlash(row[1])))
		assert.NoError(t, err)
	}
}

// declaredIn returns the names of a package: functions, methods, types, fields, constants, variables.
func declaredIn(t *testing.T, folder string) map[string]bool {
	names := make(map[string]bool)
	files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				names[d.Name.Name] = true
			case *ast.GenDecl:
				ast.Inspect(d, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.TypeSpec:
						names[n.Name.Name] = true
					case *ast.ValueSpec:
						for _, name := range n.Names {
							names[name.Name] = true
						}
					case *ast.Field:
						for _, name := range n.Names {
							names[name.Name] = true
						}
					}
					return true
				})
			}
		}
	}
	return names
}
