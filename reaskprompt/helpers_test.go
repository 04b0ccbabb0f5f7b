package reaskprompt_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// refusal is the failure most tests render: two fields wrong, one issue without a message.
func refusal() llmretry.Failure {
	const output = `{"priority":"urgent","refund_cents":"4999"}`
	issues := llmretry.Issues{
		{Path: "/priority", Code: "enum", Want: "low or high", Got: `"urgent"`, Message: `/priority: want low or high, got "urgent"`},
		{Path: "/refund_cents", Code: "type", Want: "integer", Got: `"4999"`},
	}
	return llmretry.Failure{
		OutputContent: output,
		ErrorMessage:  issues.Error(),
		Issues:        issues,
		Err:           issues,
		Attempt:       1,
		Remaining:     2,
		FinishReason:  llmretry.FinishStop,
		Usage:         llmretry.Usage{Input: llmretry.Count{N: 31, Known: true}},
		Schema:        json.RawMessage(`{"type":"object"}`),
		Response:      &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: output, StopReason: "stop"}}},
		Earlier:       []llmretry.TrailEntry{{Step: "extract", Attempt: 0, Error: "syntax", Raw: "{", Count: 3}},
	}
}

// foreign is a failure of a parser that gives nothing but an error.
func foreign() llmretry.Failure {
	err := errors.New("parsing outputs: no key priority\nin the text")
	return llmretry.Failure{
		OutputContent: "no idea",
		ErrorMessage:  err.Error(),
		Err:           err,
		Remaining:     1,
		FinishReason:  llmretry.FinishStop,
		Response:      &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "no idea"}}},
	}
}

func build(t testing.TB, b llmretry.Builder, f llmretry.Failure) string {
	t.Helper()
	text, err := b(context.Background(), f)
	require.NoError(t, err)
	return text
}
