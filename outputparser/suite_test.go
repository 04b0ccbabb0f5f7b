package outputparser_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/stretchr/testify/require"
)

// TestJSONTestSuite runs the files of a checkout's test_parsing directory, named by JSON_TEST_SUITE: y_ must be
// accepted, n_ refused, i_ either, by a strict parser. What is stricter than the standard is told by its code.
func TestJSONTestSuite(t *testing.T) {
	dir := os.Getenv("JSON_TEST_SUITE")
	if dir == "" {
		t.Skip("JSON_TEST_SUITE is not set")
	}
	p, err := outputparser.FromSchema([]byte(`true`), outputparser.Strict())
	require.NoError(t, err)
	lenient, err := outputparser.FromSchema([]byte(`true`))
	require.NoError(t, err)
	files := suiteFiles(t, dir)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		name := filepath.Base(file)
		_, err = p.Parse(string(raw))
		switch name[0] {
		case 'y':
			if stricter(err) {
				continue
			}
			require.NoError(t, err, name)
		case 'n':
			require.Error(t, err, name)
		}
		if _, looseErr := lenient.Parse(string(raw)); err == nil {
			require.NoError(t, looseErr, name)
		}
	}
	t.Logf("%d files", len(files))
}

// stricter reports a refusal that the standard does not ask for: it only says what should be avoided.
func stricter(err error) bool {
	var issues llmretry.Issues
	if !errors.As(err, &issues) {
		return false
	}
	switch issues[0].Code {
	case "duplicate_key", "encoding", "number", "too_deep":
		return true
	}
	return false
}

func suiteFiles(t *testing.T, dir string) (files []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".json") {
			files = append(files, path)
		}
		return err
	}))
	require.NotEmpty(t, files, "no files in %s", dir)
	return files
}

// TestJSONSchemaTestSuite runs a draft's directory of the official suite, named by JSON_SCHEMA_TEST_SUITE. Schemas
// that refer to other documents must be refused by the constructor.
func TestJSONSchemaTestSuite(t *testing.T) {
	dir := os.Getenv("JSON_SCHEMA_TEST_SUITE")
	if dir == "" {
		t.Skip("JSON_SCHEMA_TEST_SUITE is not set")
	}
	refused, run := 0, 0
	for _, file := range suiteFiles(t, dir) {
		if strings.Contains(file, "optional") && !strings.Contains(file, "bignum") { // formats and regexp dialects are the validator's
			continue
		}
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		var groups []struct {
			Description string
			Schema      json.RawMessage
			Tests       []struct {
				Description string
				Data        json.RawMessage
				Valid       bool
			}
		}
		require.NoError(t, json.Unmarshal(raw, &groups), file)
		for _, g := range groups {
			p, err := outputparser.FromSchema(withDraft(t, dir, g.Schema), outputparser.Strict())
			if err != nil {
				refused++
				t.Logf("refused: %s: %s: %v", filepath.Base(file), g.Description, err)
				continue
			}
			for _, test := range g.Tests {
				run++
				_, err := p.Parse(string(test.Data))
				if stricter(err) || formatsAsserted(err) {
					continue
				}
				require.Equal(t, test.Valid, err == nil, "%s: %s: %s: %v", filepath.Base(file), g.Description, test.Description, err)
			}
		}
	}
	t.Logf("%d tests run, %d schemas refused", run, refused)
}

// formatsAsserted: the suite takes formats as annotations from draft 2019-09 on, this package asserts them.
func formatsAsserted(err error) bool {
	var issues llmretry.Issues
	return errors.As(err, &issues) && issues[0].Code == "format"
}

// withDraft names the draft in a schema that does not, as the suite's older files do not.
func withDraft(t *testing.T, dir string, schema json.RawMessage) []byte {
	t.Helper()
	urls := map[string]string{
		"draft4": "http://json-schema.org/draft-04/schema#", "draft6": "http://json-schema.org/draft-06/schema#",
		"draft7": "http://json-schema.org/draft-07/schema#", "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
	}
	url := urls[filepath.Base(dir)]
	var m map[string]json.RawMessage
	if url == "" || json.Unmarshal(schema, &m) != nil || m["$schema"] != nil {
		return schema
	}
	m["$schema"], _ = json.Marshal(url)
	raw, err := json.Marshal(m)
	require.NoError(t, err)
	return raw
}
