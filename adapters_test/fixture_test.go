package adapters_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The shape of a conformance case. docs/conformance.md describes it; every key that is not here fails the case by
// name. Fields of type yaml.Node are those for which null and absent mean different things.

type fixture struct {
	Name            string           `yaml:"name"` // labels, without effect
	Description     string           `yaml:"description"`
	MockProvider    mockProvider     `yaml:"mock_provider"`
	Call            *fixtureCall     `yaml:"call"`
	Calls           []fixtureCall    `yaml:"calls"`
	RetryMiddleware *retryMiddleware `yaml:"retry_middleware"` // of every call that has none of its own
	Expected        *expectation     `yaml:"expected"`         // of call; each of calls has its own

	file string
}

type mockProvider struct {
	Responses []mockResponse `yaml:"responses"`
}

type mockResponse struct {
	Status int `yaml:"status"`
	Body   any `yaml:"body"` // text is sent as it is, anything else as JSON
}

type fixtureCall struct {
	Name            string           `yaml:"name"`
	Description     string           `yaml:"description"`
	Operation       string           `yaml:"operation"`
	Messages        []fixtureMessage `yaml:"messages"`
	Config          config           `yaml:"config"`
	ResponseSchema  any              `yaml:"response_schema"`
	Tools           []fixtureTool    `yaml:"tools"`
	Retry           *retryRecord     `yaml:"retry"`
	RetryMiddleware *retryMiddleware `yaml:"retry_middleware"`
	Expected        *expectation     `yaml:"expected"`
}

// fixtureMessage is a message of the caller's, of a request, or of a response.
type fixtureMessage struct {
	Role            string            `yaml:"role"`
	Content         yaml.Node         `yaml:"content"`
	ContentContains texts             `yaml:"content_contains"` // of a request's only
	ToolCalls       []fixtureToolCall `yaml:"tool_calls"`
	ToolCallID      string            `yaml:"tool_call_id"`
	Name            string            `yaml:"name"` // of the tool that role tool answers for
}

type fixtureToolCall struct {
	ID        string         `yaml:"id"`
	Name      string         `yaml:"name"`
	Arguments map[string]any `yaml:"arguments"`
}

// fixtureTool is a function, plain or in the provider's wrapping {type: function, function: ...}.
type fixtureTool struct {
	Name        string         `yaml:"name"`
	Description string         `yaml:"description"`
	Parameters  map[string]any `yaml:"parameters"`
	Type        string         `yaml:"type"`
	Function    *fixtureTool   `yaml:"function"`
}

type retryRecord struct {
	MaxAttempts        *int           `yaml:"max_attempts"`
	Backoff            *backoffRecord `yaml:"backoff"`
	Classifier         yaml.Node      `yaml:"classifier"`
	PerAttemptOverride []config       `yaml:"per_attempt_override"`
	Reask              *reaskRecord   `yaml:"reask"`
}

type backoffRecord struct {
	Type    string  `yaml:"type"`
	Seconds float64 `yaml:"seconds"`
}

type reaskRecord struct {
	Template string `yaml:"template"`
}

type retryMiddleware struct {
	MaxAttempts *int      `yaml:"max_attempts"`
	Classifier  yaml.Node `yaml:"classifier"`
}

type expectation struct {
	Response          *expectedResponse `yaml:"response"`
	Raises            *expectedError    `yaml:"raises"`
	ProviderCallCount *int              `yaml:"provider_call_count"`
	WireRequests      []wireRequest     `yaml:"wire_requests"`
	LLMSpans          []llmSpan         `yaml:"llm_spans"`
	Invariants        yaml.Node         `yaml:"invariants"`
}

type expectedResponse struct {
	ID           string          `yaml:"id"`
	Message      *fixtureMessage `yaml:"message"`
	FinishReason yaml.Node       `yaml:"finish_reason"`
	Usage        yaml.Node       `yaml:"usage"`
	Parsed       yaml.Node       `yaml:"parsed"`
}

type expectedError struct {
	Category string           `yaml:"category"`
	Message  string           `yaml:"message"`
	Carries  *expectedSurface `yaml:"carries"`
}

type expectedSurface struct {
	ResponseSchemaPresent *bool     `yaml:"response_schema_present"`
	OutputContent         *string   `yaml:"output_content"`
	ErrorMessagePresent   *bool     `yaml:"error_message_present"`
	ErrorMessageMentions  texts     `yaml:"error_message_mentions"`
	FinishReason          yaml.Node `yaml:"finish_reason"`
	Usage                 yaml.Node `yaml:"usage"`
}

// wireRequest is what one attempt sends. A list that is absent is not looked at; an empty one must be empty.
type wireRequest struct {
	Sampling         map[string]any   `yaml:"sampling"`
	AppendedMessages []fixtureMessage `yaml:"appended_messages"`
	Messages         []fixtureMessage `yaml:"messages"`
}

type llmSpan struct {
	AttemptIndex     *int           `yaml:"attempt_index"`
	Attributes       map[string]any `yaml:"attributes"`
	AttributesAbsent []string       `yaml:"attributes_absent"`
	ErrorCategory    yaml.Node      `yaml:"error_category"`
}

// texts is one text or a list of them.
type texts []string

func (t *texts) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*t = texts{n.Value}
		return nil
	}
	return n.Decode((*[]string)(t))
}

// isSet reports whether the key of a yaml.Node field is there at all.
func isSet(n yaml.Node) bool { return n.Kind != 0 }

// valueOf is the value of a yaml.Node field, nil for null and absent.
func valueOf(n yaml.Node) any {
	var v any
	if isSet(n) {
		_ = n.Decode(&v) // what cannot be decoded failed the file already
	}
	return v
}

// loadFixture reads a case; unknown keys are errors that name them.
func loadFixture(path string) (*fixture, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, err := parseFixture(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	f.file = caseName(path)
	return f, nil
}

func parseFixture(data []byte) (*fixture, error) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	f := new(fixture)
	if err := d.Decode(f); err != nil {
		return nil, err
	}
	if err := d.Decode(new(any)); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one YAML document in the file")
	}
	return f, f.validate()
}

func caseName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".yaml") }

// caseFiles are the *.yaml of a directory. No directory and no file are errors: a suite that plays nothing must not
// pass.
func caseFiles(dir string) ([]string, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("no *.yaml in %s", dir)
	}
	return paths, err
}

func loadFixtures(dir string) ([]*fixture, error) {
	paths, err := caseFiles(dir)
	if err != nil {
		return nil, err
	}
	fixtures := make([]*fixture, len(paths))
	for i, path := range paths {
		if fixtures[i], err = loadFixture(path); err != nil {
			return nil, err
		}
	}
	return fixtures, nil
}
