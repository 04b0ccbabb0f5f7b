package llmretry_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/internal/golden"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

func written(t testing.TB, v any) string {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	require.NoError(t, enc.Encode(v))
	return out.String()
}

// Semantics G2: a report in JSON is all attempts with what was sent and what came back, although it holds functions and
// its error holds it.
func TestReportJSON(t *testing.T) {
	r := shownReport()
	golden.Check(t, "report.json", written(t, r))
	assert.Equal(t, "null\n", written(t, (*llmretry.Report)(nil)))

	var errs strings.Builder
	all := shownErrors()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if name != "attempts" { // the report again
			errs.WriteString(name + " " + written(t, all[name]))
		}
	}
	golden.Check(t, "errors.json.golden", errs.String())
}

// An attempt by itself has all its messages; in a report those of the attempt before are not repeated.
func TestAttemptJSON(t *testing.T) {
	r := shownReport()
	var got struct {
		Messages []struct{ Role string }
		Before   int `json:"messages_before"`
	}
	require.NoError(t, json.Unmarshal([]byte(written(t, r.Attempts[1])), &got))
	assert.Len(t, got.Messages, 4)
	assert.Zero(t, got.Before)
}

// The document is bounded, and says what it leaves out.
func TestReportJSONIsBounded(t *testing.T) {
	huge := strings.Repeat("é", 5<<20)
	var many []llms.MessageContent
	for range 200_000 {
		many = append(many, llms.TextParts(llms.ChatMessageTypeHuman, "x"))
	}
	response := &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: huge}}}
	r := &llmretry.Report{}
	for range 300 {
		r.Attempts = append(r.Attempts, llmretry.Attempt{
			Output: huge, Response: response, Messages: []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, huge)},
			Options: []llms.CallOption{llms.WithStopWords([]string{huge})}, Err: errors.New(huge), Model: huge,
		})
	}
	data := written(t, r)
	assert.Less(t, len(data), 6<<20)
	assert.Contains(t, data, `"attempts_omitted"`)
	assert.Contains(t, data, `"bytes": 10485760`)
	assert.Contains(t, data, `"stop_words": "[]string"`)
	assert.NotContains(t, data, "\ufffd", "characters are not torn")

	data = written(t, &llmretry.Report{Attempts: []llmretry.Attempt{{Messages: many}}})
	assert.Less(t, len(data), 32<<20)
	assert.Contains(t, data, `"messages_omitted"`)
}

// An Error method that panics, and one on a nil pointer in an error, are said and not passed on.
func TestReportJSONWithPanickingError(t *testing.T) {
	var none *failing
	r := &llmretry.Report{Attempts: []llmretry.Attempt{{Err: none}}, Err: none}
	assert.Contains(t, written(t, r), "its Error method panics")
}

type failing struct{ text string }

func (f *failing) Error() string { return f.text }

// FuzzReportJSON: marshalling a report never fails and is valid JSON, whatever the texts are.
func FuzzReportJSON(f *testing.F) {
	f.Add("out", "msg", "/a", 3, 1.0, true)
	f.Add("\xff\xfe", "\u202e</script>", "/~2", -1, 0.5, false)
	f.Fuzz(func(t *testing.T, output, text, path string, tokens int, temperature float64, known bool) {
		refusal := &llmretry.StructuredOutputError{Failure: llmretry.Failure{
			OutputContent: output, ErrorMessage: text, Issues: llmretry.Issues{{Path: path, Got: output}}, Schema: json.RawMessage(text),
		}}
		r := &llmretry.Report{Choice: tokens, Attempts: []llmretry.Attempt{{
			Index: tokens, Model: text, Output: output, Err: refusal, Usage: llmretry.Usage{Total: llmretry.Count{N: tokens, Known: known}},
			Messages: []llms.MessageContent{llms.TextParts(llms.ChatMessageType(path), text, output)},
			Options:  []llms.CallOption{llms.WithTemperature(temperature), llms.WithMetadata(map[string]any{text: output, path: temperature})},
			Response: &llms.ContentResponse{},
		}}}
		r.Err = &llmretry.AttemptsError{Report: r, Err: refusal, Stop: errors.New(text)}
		for _, v := range []any{r, r.Err, refusal, refusal.Failure, r.Attempts[0], &llmretry.ExhaustedError{Step: path, Err: refusal}} {
			data, err := json.Marshal(v)
			require.NoError(t, err)
			require.True(t, json.Valid(data))
		}
	})
}
