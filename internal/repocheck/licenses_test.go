package repocheck

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLicenses keeps docs/licenses.md the modules that the public packages are built with, each with the licence that
// its own files are under. A licence that is not recognised is a failure, not a blank.
func TestLicenses(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Licences

The modules that a build of the public packages takes code from, on Linux, macOS or Windows, tests left out. Generated from the
licence files in the modules themselves (` + "`go test ./internal/repocheck -run Licenses -update`" + `); a text that is not
recognised fails the test. It names what was found, and is no legal advice. "llmretry" in the last column means every package:
all import it. Why each direct one is there: [dependencies.md](dependencies.md).

| module | version | licence | needed by |
| --- | --- | --- | --- |
`)
	modules := buildModules(t)
	require.NotEmpty(t, modules)
	for _, m := range modules {
		license, err := licenseOf(m.Dir)
		if !assert.NoError(t, err, "%s %s", m.Path, m.Version) {
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", m.Path, m.Version, license, strings.Join(m.neededBy, ", "))
	}
	file := filepath.Join(root, "docs", "licenses.md")
	if *update && !t.Failed() {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	assert.True(t, b.String() == read(t, "docs/licenses.md"), "docs/licenses.md is stale: go test ./internal/repocheck -run Licenses -update")
}

// TestLicenseTexts keeps the matching honest: a text counts for a licence only with the sentences that make it that one.
func TestLicenseTexts(t *testing.T) {
	const (
		mit    = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY`
		bsd2   = "Redistribution and use in source and binary forms, with or\n// without modification, are permitted. THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS \"AS IS\""
		apache = "Apache License\n  Version 2.0, January 2004\nTERMS AND CONDITIONS FOR USE"
	)
	for _, c := range []struct{ text, want string }{
		{mit, "MIT"},
		{bsd2, "BSD-2-Clause"},
		{bsd2 + " Neither the name of X nor the names of its contributors", "BSD-3-Clause"},
		{apache, "Apache-2.0"},
		{mit + apache, "Apache-2.0 and MIT"},
		{"MIT License", ""},
		{"", ""},
		{"GNU GENERAL PUBLIC LICENSE Version 3", ""},
		{mit + " Commons Clause", ""},
		{"Mozilla Public License Version 2.0", ""},
	} {
		assert.Equal(t, c.want, strings.Join(recognised(c.text), " and "), c.text)
	}
}

type buildModule struct {
	Path, Version, Dir string
	neededBy           []string // "llmretry" when all need it
}

// buildModules returns the modules that any public package is built with on any of the systems it is tested on.
func buildModules(t *testing.T) []buildModule {
	type listed struct {
		ImportPath string
		Deps       []string
		Module     *struct {
			Path, Version, Dir string
			Main               bool
		}
	}
	found := make(map[string]*buildModule)
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", append([]string{"list", "-deps", "-json=ImportPath,Deps,Module"}, public...)...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		require.NoError(t, err, stderr.String())
		of := make(map[string]*buildModule) // by package
		var ours []listed
		for d := json.NewDecoder(strings.NewReader(string(out))); ; {
			var p listed
			if err := d.Decode(&p); err == io.EOF {
				break
			} else {
				require.NoError(t, err)
			}
			switch {
			case p.Module == nil: // the standard library
			case p.Module.Main:
				ours = append(ours, p)
			default:
				m := found[p.Module.Path]
				if m == nil {
					m = &buildModule{Path: p.Module.Path, Version: p.Module.Version, Dir: p.Module.Dir}
					found[m.Path] = m
				}
				of[p.ImportPath] = m
			}
		}
		for _, p := range ours {
			name := strings.TrimPrefix(p.ImportPath, module)
			if strings.Contains(p.ImportPath, "/internal/") {
				continue
			}
			for _, dep := range p.Deps {
				if m := of[dep]; m != nil && !slices.Contains(m.neededBy, name) {
					m.neededBy = append(m.neededBy, name)
				}
			}
		}
	}
	var list []buildModule
	for _, m := range found {
		slices.Sort(m.neededBy)
		if slices.Contains(m.neededBy, "llmretry") {
			m.neededBy = []string{"llmretry"} // and so by everything that imports it
		}
		list = append(list, *m)
	}
	slices.SortFunc(list, func(a, b buildModule) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// licenseOf recognises the licence files in a module's folder, every one of them.
func licenseOf(dir string) (string, error) {
	if dir == "" {
		return "", fmt.Errorf("not in the module cache")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var all []string
	for _, e := range entries {
		if e.IsDir() || !regexp.MustCompile(`(?i)^(licen[sc]e|copying|unlicense)([.-].*)?$`).MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		names := recognised(string(text))
		if len(names) == 0 {
			return "", fmt.Errorf("%s: a licence this test does not know", e.Name())
		}
		all = append(all, names...)
	}
	if len(all) == 0 {
		return "", fmt.Errorf("no licence file in %s", dir)
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " and "), nil
}

// recognised names the licences in a text, nil when there is none or one that is not known.
func recognised(text string) (names []string) {
	text = strings.ToLower(regexp.MustCompile(`[\s/#*]+`).ReplaceAllString(text, " "))
	has := func(sentences ...string) bool {
		return !slices.ContainsFunc(sentences, func(s string) bool { return !strings.Contains(text, s) })
	}
	for _, other := range []string{"gnu general public", "gnu lesser", "gnu affero", "mozilla public", "commons clause", "business source", "eclipse public", "creative commons"} {
		if has(other) {
			return nil
		}
	}
	if has("apache license", "version 2.0") {
		names = append(names, "Apache-2.0")
	}
	if has("redistribution and use in source and binary forms", "are permitted", `"as is"`) {
		if has("neither the name of") {
			names = append(names, "BSD-3-Clause")
		} else {
			names = append(names, "BSD-2-Clause")
		}
	}
	if has("permission is hereby granted, free of charge, to any person obtaining a copy", `"as is", without warranty`) {
		names = append(names, "MIT")
	}
	return names
}
