package attemptview

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

func tokenCount(in, out int) llmretry.Usage {
	return llmretry.Usage{
		Input: llmretry.Count{N: in, Known: true}, Output: llmretry.Count{N: out, Known: true}, Total: llmretry.Count{N: in + out, Known: true},
	}
}

func refusal(output string, issues ...llmretry.Issue) *llmretry.StructuredOutputError {
	is := llmretry.Issues(issues)
	return &llmretry.StructuredOutputError{Failure: llmretry.Failure{OutputContent: output, Issues: is, Err: is, ErrorMessage: is.Error()}}
}

func replied(output string) *llms.ContentResponse {
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: output}}}
}

func messages(texts ...string) []llms.MessageContent {
	roles := []llms.ChatMessageType{llms.ChatMessageTypeSystem, llms.ChatMessageTypeHuman}
	var list []llms.MessageContent
	for i, text := range texts {
		role := llms.ChatMessageTypeHuman
		if i < len(roles) {
			role = roles[i]
		} else if i%2 == 0 {
			role = llms.ChatMessageTypeAI
		}
		list = append(list, llms.TextParts(role, text))
	}
	return list
}

// healed is a call that was refused, met a busy server, and was accepted.
func healed() *llmretry.Report {
	first := "Sure! Here is the invoice you asked for:\n\n```json\n{\n  \"number\": \"2024-0117\",\n  \"customer\": {\"name\": \"Meyer & Söhne\", \"country\": \"Germany\"},\n" +
		"  \"lines\": [\n    {\"item\": \"Bolts M8\", \"quantity\": \"forty\", \"price\": 0.12},\n    {\"item\": \"Nuts M8\", \"quantity\": 40}\n  ]\n}\n```\nLet me know if you need anything else."
	second := "{\"number\": \"2024-0117\", \"customer\": {\"name\": \"Meyer & Söhne\", \"country\": \"DE\"}, \"lines\": [{\"item\": \"Bolts M8\", \"quantity\": 40, \"price\": 0.12}, {\"item\": \"Nuts M8\", \"quantity\": 40, \"price\": 0.08}]}"
	issues := []llmretry.Issue{
		{Path: "/customer/country", Code: "max_length", Want: "at most 2 characters", Got: `"Germany"`, Message: "/customer/country: want at most 2 characters, got \"Germany\""},
		{Path: "/lines/0/quantity", Code: "type", Want: "an integer", Got: `"forty"`, Message: "/lines/0/quantity: want an integer, got \"forty\""},
		{Path: "/lines/1/price", Code: "required", Want: "a number", Message: "/lines/1/price: is missing, want a number"},
	}
	sent := messages("Extract the invoice as JSON.", "Invoice 2024-0117 for Meyer & Söhne, Germany: forty bolts M8 at 0.12 and 40 nuts M8 at 0.08.")
	again := append(sent[:2:2], llms.TextParts(llms.ChatMessageTypeAI, first), llms.TextParts(llms.ChatMessageTypeHuman,
		"That was refused:\n- /customer/country: want at most 2 characters\n- /lines/0/quantity: want an integer\n- /lines/1/price: is missing\nOnly the JSON, please."))
	busy := &llmretry.ProviderError{Category: llmretry.CategoryRateLimit, Status: 429, RetryAfter: 2 * time.Second, Err: errors.New("API returned unexpected status code: 429: Rate limit reached, try again in 2s")}
	return &llmretry.Report{Attempts: []llmretry.Attempt{
		{
			Model: "qwen2.5:3b-instruct-q4", Category: llmretry.CategoryStructuredOutputInvalid, Err: refusal(first, issues...), FinishReason: llmretry.FinishStop,
			Usage: tokenCount(212, 131), Latency: 1830 * time.Millisecond, Output: first, Messages: sent, Response: replied(first),
			Options: []llms.CallOption{llms.WithTemperature(0), llms.WithMaxTokens(400), llms.WithSeed(7)},
		},
		{
			Index: 1, Reason: llmretry.ReasonReask, Model: "qwen2.5:3b-instruct-q4", Category: llmretry.CategoryRateLimit, Err: busy,
			Latency: 90 * time.Millisecond, Wait: 2 * time.Second, Messages: again,
			Options: []llms.CallOption{llms.WithTemperature(0.3), llms.WithMaxTokens(400), llms.WithSeed(7)},
		},
		{
			Index: 2, Reason: llmretry.ReasonTransient, Model: "qwen2.5:14b", FinishReason: llmretry.FinishStop, Usage: tokenCount(377, 96),
			Latency: 2410 * time.Millisecond, Output: second, Messages: again, Response: replied(second), Warnings: []error{errors.New("lines: the prices are low")},
			Options: []llms.CallOption{llms.WithTemperature(0.6), llms.WithMaxTokens(400), llms.WithModel("qwen2.5:14b"), llms.WithJSONMode()},
		},
	}}
}

// hostile is a call whose texts try to break out of the page.
func hostile() *llmretry.Report {
	output := hostileText
	err := refusal(output, llmretry.Issue{Path: "/a", Code: "type", Got: "</li><script>alert(2)</script>", Message: "</p><img src=x onerror=alert(3)>"})
	r := &llmretry.Report{Choice: -1, Attempts: []llmretry.Attempt{{
		Model: `"><svg onload=alert(4)>`, Category: llmretry.CategoryStructuredOutputInvalid, Err: err, Output: output, Response: replied(output), Latency: time.Second,
		Messages: messages("<style>*{display:none}</style>", "{{.}} &lt;b&gt; &amp; ${x}"),
		Options:  []llms.CallOption{llms.WithStopWords([]string{"</dd><script>alert(5)</script>"})},
	}}}
	r.Err = &llmretry.AttemptsError{Report: r, Err: err, Stop: errors.New("</title></style><script>alert(6)</script>")}
	return r
}

const hostileText = "</pre></script><script>alert(1)</script><img src=\"http://evil.example/x.png\" onerror=alert(1)>\n" +
	"<!-- &amp; &lt;b&gt; --> \u202egnp.exe\u202c \u2066isolated\u2069 null\x00 bell\x07 bad\xff\xfe bom\ufeff zero\u200bwidth\r\n{\"a\": \"</mark>\u202e\"}"

// nested is a call of a decorator above another one, that the second ended by a cancellation.
func nested() *llmretry.Report {
	down := errors.New("API returned unexpected status code: 503: overloaded")
	sent := messages("You classify tickets.", "The printer is on fire.")
	below := &llmretry.Report{Choice: -1, Attempts: []llmretry.Attempt{
		{Model: "small", Category: llmretry.CategoryUnavailable, Err: down, Latency: 300 * time.Millisecond, Wait: time.Second, Messages: sent},
		{Index: 1, Reason: llmretry.ReasonTransient, Model: "small", Category: llmretry.CategoryUnavailable, Err: down, Latency: 250 * time.Millisecond, Messages: sent},
	}}
	below.Err = &llmretry.AttemptsError{Report: below, Err: down, Stop: llmretry.ErrMaxAttempts}
	image := append(sent[:2:2], llms.MessageContent{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{
		llms.BinaryContent{MIMEType: "image/png", Data: make([]byte, 48213)}, llms.TextContent{Text: "This one."},
	}})
	output := `{"name": "file_ticket", "arguments": "{\"title\": \"Fire\", \"urgency\": \"very\"}"}`
	err := refusal(output, llmretry.Issue{Path: "/urgency", Code: "enum", Want: `"low" or "high"`, Got: `"very"`, Message: `tool call 0 (file_ticket): /urgency: want "low" or "high", got "very"`})
	r := &llmretry.Report{Choice: -1, Attempts: []llmretry.Attempt{
		{Category: llmretry.CategoryUnavailable, Err: below.Err, Latency: 1550 * time.Millisecond, Messages: sent, Nested: []*llmretry.Report{below}},
		{Index: 1, Reason: llmretry.ReasonTransient, Category: llmretry.CategoryStructuredOutputInvalid, Err: err, FinishReason: llmretry.FinishToolCalls,
			Output: output, Response: &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: output, ReasoningContent: "A burning printer is very urgent."}}}, Latency: 700 * time.Millisecond, Messages: image},
		{Index: 2, Reason: llmretry.ReasonReask, Category: llmretry.CategoryCanceled, Err: context.Canceled, Latency: 20 * time.Millisecond, Messages: image, Dropped: []string{"temperature"}},
	}}
	r.Err = &llmretry.AttemptsError{Report: r, Err: err, Stop: context.Canceled}
	return r
}

// long is a call whose output is one line of 200 kB with an issue far inside.
func long() *llmretry.Report {
	output := `{"pad": "` + strings.Repeat("x", 200_000) + `", "age": "old"}`
	err := refusal(output, llmretry.Issue{Path: "/age", Code: "type"})
	return &llmretry.Report{Choice: -1, Err: err, Attempts: []llmretry.Attempt{{
		Category: llmretry.CategoryStructuredOutputInvalid, Err: err, Output: output, Response: replied(output), Messages: messages("x"),
	}}}
}
