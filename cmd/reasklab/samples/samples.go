// Package samples holds what the lab works on when nobody gives it anything: cases, their schemas, and strategies.
package samples

//go:generate go run ./generate .

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/cases"
)

//go:embed *.jsonl *.schema.json strategies.yaml
var files embed.FS

// Names are those of the sets of cases.
var Names = []string{"extraction", "classification", "nested"}

// Cases reads the sets of these names, one after the other.
func Cases(names ...string) ([]cases.Case, error) {
	var all []cases.Case
	for _, name := range names {
		if !slices.Contains(Names, name) {
			return nil, fmt.Errorf("%w: there is no sample %q; there are %s", cases.ErrInvalid, name, strings.Join(Names, ", "))
		}
		schema, err := files.ReadFile(name + ".schema.json")
		if err != nil {
			return nil, err
		}
		file, err := files.Open(name + ".jsonl")
		if err != nil {
			return nil, err
		}
		set, err := cases.Read(file, schema)
		if err != nil {
			return nil, fmt.Errorf("sample %s: %w", name, err)
		}
		if err := file.Close(); err != nil {
			return nil, err
		}
		all = append(all, set...)
	}
	return all, nil
}

// Strategies is the file of strategies. Its words are an example and the samples' own.
func Strategies() ([]byte, error) { return files.ReadFile("strategies.yaml") }
