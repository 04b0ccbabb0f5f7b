package repocheck

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the generated parts of docs/")

// root is the module's, seen from this folder.
const root = "../.."

// rules are the ids of semantics, by section.
var rules = func() (ids []string) {
	for _, s := range []struct {
		section     string
		first, last int
	}{{"A", 1, 8}, {"B", 1, 8}, {"C", 1, 7}, {"D", 1, 9}, {"E", 1, 14}, {"F", 1, 10}, {"G", 1, 2}, {"H", 1, 4}, {"I", 1, 5}, {"J", 0, 2}, {"K", 1, 10}} {
		for i := s.first; i <= s.last; i++ {
			ids = append(ids, s.section+strconv.Itoa(i))
		}
	}
	return ids
}()

// TestSemanticsTable keeps docs/semantics.md true: a row per rule, and in it the tests whose name or comments name the
// rule. Run it with -update after naming a rule in a test.
func TestSemanticsTable(t *testing.T) {
	tests := testsByRule(t)
	file := filepath.Join(root, "docs", "semantics.md")
	doc, err := os.ReadFile(file)
	require.NoError(t, err)
	row := regexp.MustCompile(`(?m)^\| ([A-K]\d+) \| ([^|]*) \|[^|\n]*\|$`)
	var listed []string
	want := row.ReplaceAllStringFunc(string(doc), func(line string) string {
		m := row.FindStringSubmatch(line)
		listed = append(listed, m[1])
		return fmt.Sprintf("| %s | %s | %s |", m[1], m[2], strings.Join(tests[m[1]], ", "))
	})
	assert.Equal(t, rules, listed, "one row per rule, in order")
	for _, id := range rules {
		assert.NotEmpty(t, tests[id], "no test names rule %s", id)
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
		return
	}
	assert.True(t, want == string(doc), "docs/semantics.md is stale: go test ./internal/repocheck -update")
}

// testsByRule reads every test file of the module.
func testsByRule(t *testing.T) map[string][]string {
	found := map[string][]string{}
	walk(t, "_test.go", func(path string) {
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || !regexp.MustCompile(`^(Test|Fuzz)`).MatchString(fn.Name.Name) {
				continue
			}
			text := fn.Name.Name + "\n" + fn.Doc.Text()
			for _, c := range f.Comments {
				if c.Pos() >= fn.Pos() && c.End() <= fn.End() {
					text += "\n" + c.Text()
				}
			}
			rel, err := filepath.Rel(root, filepath.Dir(path))
			require.NoError(t, err)
			name := filepath.ToSlash(rel) + "." + fn.Name.Name
			for _, id := range idsIn(text) {
				if !slices.Contains(found[id], name) {
					found[id] = append(found[id], name)
				}
			}
		}
	})
	for _, names := range found {
		slices.Sort(names)
	}
	return found
}

// idsIn finds rule ids, ranges ("E4 to E6") and ids in camel case names (TestA5Final) included.
func idsIn(text string) (ids []string) {
	id := regexp.MustCompile(`(?:\b|Test|[a-z])([A-K])(\d{1,2})(?: to ([A-K])(\d{1,2}))?(?:\b|[A-Z])`)
	for _, m := range id.FindAllStringSubmatch(text, -1) {
		first, _ := strconv.Atoi(m[2])
		last := first
		if m[3] == m[1] && m[4] != "" {
			last, _ = strconv.Atoi(m[4])
		}
		for i := first; i <= last; i++ {
			if name := m[1] + strconv.Itoa(i); slices.Contains(rules, name) {
				ids = append(ids, name)
			}
		}
	}
	return ids
}

// walk visits the module's files with the suffix, hidden folders and testdata left out.
func walk(t *testing.T, suffix string, visit func(path string)) {
	n := 0
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return filepath.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, suffix):
			n++
			visit(path)
		}
		return nil
	}))
	require.NotZero(t, n, "no file ends in %s", suffix)
}

func TestIdsIn(t *testing.T) {
	assert.Equal(t, []string{"A5"}, idsIn("TestA5FinalError"))
	assert.Equal(t, []string{"E4", "E5", "E6", "J2"}, idsIn("Semantics E4 to E6, J2: text"))
	assert.Empty(t, idsIn("UTF8 SHA256 A12 F100 x"))
}
