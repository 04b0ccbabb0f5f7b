package attemptview

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/internal/golden"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

func pageOf(t testing.TB, reports []*llmretry.Report, opts ...Option) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, WriteHTML(&out, reports, opts...))
	return out.String()
}

// unstyled leaves out what is the same on every page.
func unstyled(html string) string {
	return strings.NewReplacer(style, "", template.HTMLEscapeString(policy), "").Replace(html)
}

func TestPages(t *testing.T) {
	for name, reports := range map[string][]*llmretry.Report{
		"healed": {healed()}, "nested": {nested()}, "hostile": {hostile()}, "none": {nil}, "several": {healed(), nil, nested(), hostile(), {}},
	} {
		t.Run(name, func(t *testing.T) { golden.Check(t, name+".html", unstyled(pageOf(t, reports))) })
	}
}

// The page asks for nothing: no script, no address but those within it.
func TestPageIsSelfContained(t *testing.T) {
	html := pageOf(t, []*llmretry.Report{healed(), nested(), long()})
	assert.NotContains(t, html, "<script")
	assert.NotContains(t, html, "http://")
	assert.NotContains(t, html, "https://")
	assert.NotContains(t, style, "url(")
	assert.NotContains(t, style, "@import")
	assert.NotContains(t, html, " style=", "the policy forbids it")
	assert.Contains(t, html, `content="default-src &#39;none&#39;; style-src &#39;sha256-`)
}

// Every text of a call goes through the redaction, whatever it is.
func TestRedact(t *testing.T) {
	const secret = "S3CR3T"
	err := refusal(`{"a": "`+secret+`"}`, llmretry.Issue{Path: "/" + secret, Code: secret, Want: secret, Got: secret, Message: secret})
	below := &llmretry.Report{Err: errors.New(secret), Attempts: []llmretry.Attempt{{Err: errors.New(secret), Category: llmretry.CategoryUnavailable}}}
	response := &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: secret, ReasoningContent: secret}}}
	r := &llmretry.Report{Attempts: []llmretry.Attempt{{
		Model: secret, Err: err, Category: llmretry.CategoryStructuredOutputInvalid, Output: err.OutputContent, Response: response,
		Dropped: []string{secret}, Warnings: []error{errors.New(secret)},
		Options: []llms.CallOption{llms.WithModel(secret), llms.WithMetadata(map[string]any{secret: secret}), llms.WithStopWords([]string{secret})},
		Messages: []llms.MessageContent{{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{
			llms.TextContent{Text: secret}, llms.ImageURLContent{URL: "http://x/" + secret},
			llms.ToolCall{FunctionCall: &llms.FunctionCall{Name: secret, Arguments: secret}}, llms.ToolCallResponse{Content: secret},
			llms.BinaryContent{MIMEType: "text/" + secret, Data: []byte(secret)},
		}}, {Role: secret}},
	}, {Err: errors.New(secret), Category: llmretry.CategoryUnavailable, Response: response, Nested: []*llmretry.Report{below}}}}
	r.Err = &llmretry.AttemptsError{Report: r, Err: err, Stop: errors.New(secret)}
	plain := pageOf(t, []*llmretry.Report{r})
	redacted := pageOf(t, []*llmretry.Report{r}, Redact(func(s string) string { return strings.ReplaceAll(s, secret, "***") }))
	assert.Greater(t, strings.Count(plain, secret), 25)
	assert.Zero(t, strings.Count(redacted, secret))
	assert.Contains(t, redacted, `<mark id="c1-a0-m1" data-n="1" class="absent">`, "the path is looked for in what is shown")
	assert.Equal(t, plain, pageOf(t, []*llmretry.Report{r}, Redact(nil), nil))
}

// What is large is cut, the page says so, and the place of an issue beyond the cut is still shown.
func TestPageIsBounded(t *testing.T) {
	html := pageOf(t, []*llmretry.Report{long()})
	assert.Less(t, len(html), 60_000)
	assert.Contains(t, html, "179.8 kB of 200.0 kB not shown")
	assert.Contains(t, html, `<mark id="c1-a0-m1" data-n="1">&#34;old&#34;</mark>`)

	var many []*llmretry.Report
	for range 400 {
		many = append(many, long(), healed())
	}
	html = pageOf(t, many, MaxPage(500_000))
	assert.Less(t, len(html), 2_000_000)
	assert.Contains(t, html, "more not shown: the page is full.")
	assert.Contains(t, html, "<span>800 calls</span>")

	small := pageOf(t, []*llmretry.Report{healed()}, MaxText(0), MaxPage(-1))
	assert.Contains(t, small, "2 more attempts not shown")
	one := pageOf(t, []*llmretry.Report{healed()}, MaxText(1))
	assert.Contains(t, one, "not shown")
}

// Decorators in each other are shown as deep as anybody stacks them.
func TestPageOfDeepNesting(t *testing.T) {
	r := &llmretry.Report{Attempts: []llmretry.Attempt{{}}}
	for range 20 {
		r = &llmretry.Report{Attempts: []llmretry.Attempt{{Nested: []*llmretry.Report{r}}}}
	}
	assert.Equal(t, maxNesting, strings.Count(pageOf(t, []*llmretry.Report{r}), "Call below 1"))
}

type broken struct{ after int }

func (b *broken) Write(p []byte) (int, error) {
	if b.after -= len(p); b.after < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

// Errors are those of the writer, wherever they come.
func TestWriteHTMLError(t *testing.T) {
	for _, after := range []int{0, 5000, 20_000} {
		assert.ErrorContains(t, WriteHTML(&broken{after}, []*llmretry.Report{healed(), healed()}), "disk full", fmt.Sprint(after))
	}
}
