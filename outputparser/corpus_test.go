package outputparser_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// corpusRow is one output and what a strict and a lenient parser must make of it.
type corpusRow struct {
	ID       string
	Kind     string
	Parser   json.RawMessage
	Input    string
	InputB64 string `json:"input_b64"`
	Schema   json.RawMessage
	Strict   string
	Lenient  string
	Value    json.RawMessage
}

// TestCorpus runs the project's own corpus, and the one that CORPUS names: a path relative to the module's root.
func TestCorpus(t *testing.T) {
	files := []string{filepath.Join("testdata", "corpus.jsonl")}
	if path := os.Getenv("CORPUS"); path != "" {
		if !filepath.IsAbs(path) {
			path = filepath.Join("..", path)
		}
		files = append(files, path)
	}
	for _, file := range files {
		rows := readCorpus(t, file)
		require.NotEmpty(t, rows, file)
		for _, row := range rows {
			t.Run(row.ID, func(t *testing.T) { checkRow(t, row) })
		}
	}
}

func readCorpus(t *testing.T, path string) (rows []corpusRow) {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var row corpusRow
		require.NoError(t, json.Unmarshal(lines.Bytes(), &row), path)
		if row.InputB64 != "" {
			input, err := base64.StdEncoding.DecodeString(row.InputB64)
			require.NoError(t, err, row.ID)
			row.Input = string(input)
		}
		rows = append(rows, row)
	}
	require.NoError(t, lines.Err())
	return rows
}

func checkRow(t *testing.T, row corpusRow) {
	for _, mode := range []struct {
		name, verdict string
		opts          []outputparser.Option
	}{
		{"strict", row.Strict, []outputparser.Option{outputparser.Strict()}},
		{"lenient", row.Lenient, nil},
	} {
		value, err := parseRow(t, row, mode.opts)
		switch mode.verdict {
		case "accept":
			require.NoError(t, err, mode.name)
			if row.Value != nil {
				requireValue(t, row.Value, value, mode.name)
			}
		case "reject":
			require.Error(t, err, "%s: got %v", mode.name, value)
			var issues llmretry.Issues
			require.ErrorAs(t, err, &issues, mode.name)
			require.NotEmpty(t, issues, mode.name)
			for _, issue := range issues {
				require.NotEmpty(t, issue.Code, mode.name)
				require.NotEmpty(t, issue.Message, mode.name)
			}
			t.Logf("%s: %v", mode.name, err)
		default:
			t.Fatalf("unknown verdict %q", mode.verdict)
		}
	}
}

func requireValue(t *testing.T, want json.RawMessage, got any, mode string) {
	t.Helper()
	raw, err := json.Marshal(got)
	require.NoError(t, err)
	var w, g any
	require.NoError(t, json.Unmarshal(want, &w))
	require.NoError(t, json.Unmarshal(raw, &g))
	require.Equal(t, w, g, mode)
}

// parseRow parses the row's input with the parser it is about.
func parseRow(t *testing.T, row corpusRow, opts []outputparser.Option) (any, error) {
	t.Helper()
	if row.Kind == "tool_args" && opts == nil {
		return parseToolArguments(t, row)
	}
	var spec struct {
		Type, Pattern, Sep string
		Values, Tools      []string
	}
	if row.Parser != nil {
		require.NoError(t, json.Unmarshal(row.Parser, &spec))
	}
	switch spec.Type {
	case "":
		p, err := outputparser.FromSchema(row.Schema, opts...)
		require.NoError(t, err)
		return p.Parse(row.Input)
	case "bool":
		p, err := outputparser.Bool(opts...)
		require.NoError(t, err)
		return p.Parse(row.Input)
	case "enum", "one_of", "oneof":
		p, err := outputparser.OneOf(spec.Values, opts...)
		require.NoError(t, err)
		return p.Parse(row.Input)
	case "list":
		p, err := outputparser.List(spec.Sep, opts...)
		require.NoError(t, err)
		return p.Parse(row.Input)
	case "regexp", "regex":
		p, err := outputparser.Regexp[map[string]string](spec.Pattern, opts...)
		require.NoError(t, err)
		return p.Parse(row.Input)
	case "react":
		p, err := outputparser.ReActStep(spec.Tools, opts...)
		require.NoError(t, err)
		step, err := p.Parse(row.Input)
		if err != nil {
			return nil, err
		}
		return stepValue(step, row.Value), nil
	}
	t.Fatalf("unknown parser type %q", spec.Type)
	return nil, nil
}

// stepValue writes a step as the corpus does: tool and input, or one text under whatever name it is expected.
func stepValue(step outputparser.Step, want json.RawMessage) any {
	if step.Tool != "" {
		return map[string]string{"tool": step.Tool, "input": step.Input}
	}
	var fields map[string]string
	if json.Unmarshal(want, &fields) == nil && len(fields) == 1 {
		for name := range fields {
			return map[string]string{name: step.FinalAnswer}
		}
	}
	return step.FinalAnswer
}

func parseToolArguments(t *testing.T, row corpusRow) (any, error) {
	t.Helper()
	tool := llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: "f", Parameters: row.Schema}}
	validate, err := outputparser.ToolArguments([]llms.Tool{tool})
	require.NoError(t, err)
	err = validate(context.Background(), &llms.ContentResponse{Choices: []*llms.ContentChoice{{ToolCalls: []llms.ToolCall{{
		Type: "function", FunctionCall: &llms.FunctionCall{Name: "f", Arguments: row.Input},
	}}}}})
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(row.Input) == "" {
		return map[string]any{}, nil
	}
	return json.RawMessage(row.Input), nil
}
