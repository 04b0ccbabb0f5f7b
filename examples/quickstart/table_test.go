package main

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

func TestPrintAttempts(t *testing.T) {
	refused := &llmretry.StructuredOutputError{Failure: llmretry.Failure{
		Issues: llmretry.Issues{{Message: "/a: one"}, {Message: "/b: two"}},
	}}
	var w bytes.Buffer
	printAttempts(&w, &llmretry.Report{Attempts: []llmretry.Attempt{
		{Category: llmretry.CategoryStructuredOutputInvalid, Err: refused, FinishReason: llmretry.FinishStop, Latency: 12345 * time.Microsecond,
			Response: &llms.ContentResponse{}, Usage: llmretry.Usage{Total: llmretry.Count{N: 40, Known: true}}},
		{Index: 1, Reason: llmretry.ReasonReask, Category: llmretry.CategoryInvalidRequest, Err: errors.New("two\nlines"), Wait: time.Second,
			Options: []llms.CallOption{llms.WithTemperature(0), llms.WithSeed(7)}},
		{Index: 2, Response: &llms.ContentResponse{}},
	}})
	assert.Equal(t, `ATTEMPT  REASON  SENT                  MESSAGES  CATEGORY                   FINISH  TOKENS  LATENCY  WAIT  REFUSED BECAUSE
0        -       -                     0         structured_output_invalid  stop    40      12.3ms   -     /a: one
                                                                                                           /b: two
1        reask   seed=7 temperature=0  0         provider_invalid_request   -       -       -        1s    two lines
2        -       -                     0         -                          -       -       -        -     -

attempts: 3, tokens: 40 at least
`, w.String())

	w.Reset()
	printAttempts(&w, nil)
	assert.Empty(t, w.String(), "a call that was never made has no report")
}

func TestPrintWire(t *testing.T) {
	var w bytes.Buffer
	printWire(&w, []exchange{{Temperature: 0.3, Messages: make([]message, 2), Status: 503}, {Status: 200, Answer: "a\nb"}})
	assert.Equal(t, `
REQUEST  TEMPERATURE  MESSAGES  STATUS  ANSWER
0        0.3          2         503     -
1        0            0         200     a b
`, w.String())
}
