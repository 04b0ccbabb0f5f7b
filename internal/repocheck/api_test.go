package repocheck

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// public are the packages whose exported names are a promise.
var public = []string{"./llmretry/...", "./outputparser/...", "./reaskprompt/..."}

// TestAPISnapshot keeps testdata/api.txt the exported API, so that no change of it goes unseen.
func TestAPISnapshot(t *testing.T) {
	const file = "testdata/api.txt"
	got := api(t)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(strings.Join(got, "\n")+"\n"), 0o644))
	}
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	want := strings.Split(strings.TrimSpace(string(data)), "\n")
	if changed := difference(want, got); len(changed) > 0 {
		t.Errorf("the exported API changed:\n%s\n\nIf that is meant, say so in CHANGELOG.md under [Unreleased], then run go test ./internal/repocheck -run APISnapshot -update",
			strings.Join(changed, "\n"))
	}
}

// TestAPIDifference keeps the message of a changed API telling what changed.
func TestAPIDifference(t *testing.T) {
	before := []string{"p, func A()", "p, func B()", "p, func C()"}
	assert.Empty(t, difference(before, before))
	assert.Equal(t, []string{"- p, func B()", "+ p, func B(n int)"}, difference(before, []string{"p, func A()", "p, func B(n int)", "p, func C()"}))
	assert.Equal(t, []string{"+ p, func A()"}, difference(nil, before[:1]))
	assert.Equal(t, []string{"  in another order"}, difference(before[:2], []string{"p, func B()", "p, func A()"}))
}

// difference lists the lines that went and those that came.
func difference(before, after []string) (changed []string) {
	for _, line := range before {
		if !slices.Contains(after, line) {
			changed = append(changed, "- "+line)
		}
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			changed = append(changed, "+ "+line)
		}
	}
	if len(changed) == 0 && !slices.Equal(before, after) {
		changed = append(changed, "  in another order")
	}
	return changed
}

// api returns the exported API, a line per name, field and method. It reads what the compiler exports, so that types
// nobody wrote down are known too.
func api(t *testing.T) (lines []string) {
	compiled := make(map[string]string)
	for _, line := range golist(t, append([]string{"-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, public...)...) {
		path, file, _ := strings.Cut(line, " ")
		compiled[path] = file
	}
	compiler := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if compiled[path] == "" {
			return nil, fmt.Errorf("%s is not compiled", path)
		}
		return os.Open(compiled[path])
	})
	for _, path := range golist(t, public...) {
		if strings.Contains(path, "/internal/") {
			continue
		}
		pkg, err := compiler.Import(path)
		require.NoError(t, err)
		for _, name := range pkg.Scope().Names() {
			if token.IsExported(name) {
				for _, line := range declared(pkg.Scope().Lookup(name)) {
					lines = append(lines, strings.TrimPrefix(path, module)+", "+line)
				}
			}
		}
	}
	require.NotEmpty(t, lines)
	return lines
}

// golist runs go list in the module's folder and returns its lines.
func golist(t *testing.T, args ...string) []string {
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = root
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "go list %v: %s", args, stderr.String())
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// declared describes one exported name. Parameter names are in it: they are what a reader of the documentation sees.
func declared(o types.Object) []string {
	local := func(p *types.Package) string {
		if p == o.Pkg() {
			return ""
		}
		return p.Name()
	}
	switch o := o.(type) {
	case *types.Const:
		return []string{fmt.Sprintf("const %s %s = %s", o.Name(), types.TypeString(o.Type(), local), o.Val().ExactString())}
	case *types.TypeName:
		return described(o, local)
	default:
		return []string{types.ObjectString(o, local)}
	}
}

// described is a type with its exported fields and all methods it has, promoted ones too.
func described(o *types.TypeName, local types.Qualifier) (lines []string) {
	if alias, ok := o.Type().(*types.Alias); ok {
		return []string{"type " + o.Name() + " = " + types.TypeString(alias.Rhs(), local)}
	}
	head := "type " + types.TypeString(o.Type(), local) // with type parameters
	if s, ok := o.Type().Underlying().(*types.Struct); ok {
		lines = append(lines, head+" struct")
		for _, field := range fields(s, local) {
			lines = append(lines, "type "+o.Name()+" struct, "+field)
		}
	} else {
		lines = append(lines, head+" "+types.TypeString(o.Type().Underlying(), local))
	}
	if types.IsInterface(o.Type()) {
		return lines // its methods are in its type
	}
	values := types.NewMethodSet(o.Type())
	for method := range types.NewMethodSet(types.NewPointer(o.Type())).Methods() {
		if f := method.Obj(); f.Exported() {
			receiver := "*" + o.Name()
			if values.Lookup(f.Pkg(), f.Name()) != nil {
				receiver = o.Name()
			}
			signature := strings.TrimPrefix(types.TypeString(f.Type(), local), "func")
			lines = append(lines, fmt.Sprintf("method (%s) %s%s", receiver, f.Name(), signature))
		}
	}
	return lines
}

// fields lists the fields that other packages can name, and says whether there are others.
func fields(s *types.Struct, local types.Qualifier) (list []string) {
	hidden := false
	for i := range s.NumFields() {
		f := s.Field(i)
		embedded, isStruct := f.Type().Underlying().(*types.Struct)
		switch {
		case f.Exported():
			line := f.Name() + " " + types.TypeString(f.Type(), local)
			if f.Embedded() {
				line = "embedded " + types.TypeString(f.Type(), local)
			}
			if tag := s.Tag(i); tag != "" {
				line += " `" + tag + "`"
			}
			list = append(list, line)
		case f.Embedded() && isStruct:
			hidden = true
			list = append(list, fields(embedded, local)...)
		default:
			hidden = true
		}
	}
	if hidden {
		list = append(list, "unexported fields")
	}
	return list
}
