package llmretry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// %+v of a report is one line per attempt, fit for a log: lengths, and of issues what the schema says. The issue's Got
// is the model's word and not in it.
func ExampleReport_Format() {
	r := &llmretry.Report{Attempts: []llmretry.Attempt{
		{Model: "small", Category: llmretry.CategoryStructuredOutputInvalid, Err: &llmretry.StructuredOutputError{
			Failure: llmretry.Failure{Issues: llmretry.Issues{{Path: "/age", Code: "type", Want: "integer", Got: `"old"`}}},
		}},
		{Index: 1, Reason: llmretry.ReasonReask, Model: "large"},
	}}
	fmt.Printf("%v\n\n%+v\n", r, r)
	// Output:
	// 2 attempts, accepted, 0s
	//
	// 2 attempts, accepted, 0s
	//   attempt 0 of "small": structured_output_invalid, 0 messages sent, 0s
	//     /age: type, want integer
	//   attempt 1 reask of "large": ok, 0 messages sent, 0s
}

// JSON is for those who were given a report on purpose: unlike a log line it has the contents.
func ExampleReport_MarshalJSON() {
	ctx, reports := llmretry.CaptureReports(context.Background())
	model := llmretry.Must(llmretry.New(answers("blue")))
	_, _ = model.Call(ctx, "A colour, please.")
	report := reports()[0]
	report.Attempts[0].Latency = 0
	data, err := json.MarshalIndent(report, "", " ")
	fmt.Printf("%s %v\n", data, err)
	// Output:
	// {
	//  "attempts": [
	//   {
	//    "index": 0,
	//    "judged": false,
	//    "error": null,
	//    "finish_reason": "stop",
	//    "usage": {
	//     "input": 10,
	//     "output": 4,
	//     "total": 14
	//    },
	//    "latency_ms": 0,
	//    "wait_ms": 0,
	//    "messages": [
	//     {
	//      "role": "human",
	//      "text": "A colour, please."
	//     }
	//    ],
	//    "output": "blue"
	//   }
	//  ],
	//  "choice": 0,
	//  "error": null,
	//  "usage": {
	//   "input": 10,
	//   "output": 4,
	//   "total": 14,
	//   "complete": true
	//  }
	// } <nil>
}

// An error given to slog as a value becomes figures, not its text: what providers say stays out of the log.
func ExampleProviderError_LogValue() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: untimed}))
	err := &llmretry.ProviderError{Category: llmretry.CategoryRateLimit, Status: 429, Err: errDown}
	logger.Error("no answer", "error", err)
	// Output: msg="no answer" error.category=provider_rate_limit error.status=429 error.type=*errors.errorString
}

// A service that answers for its retries elsewhere: only calls that failed are worth a line, at warn.
func ExampleSlogLevels() {
	quiet := llmretry.SlogLevels{Failed: slog.LevelDebug, Done: slog.LevelDebug, DoneFailed: slog.LevelWarn}
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{Level: slog.LevelInfo, ReplaceAttr: untimed}))
	model := llmretry.Must(llmretry.New(answers(errDown, "blue"), llmretry.WithBackoff(llmretry.Constant(0)), llmretry.WithObserver(quiet.Observer(logger))))
	text, _ := model.Call(context.Background(), "A colour, please.")
	fmt.Println(text)
	// Output: blue
}
