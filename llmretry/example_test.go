package llmretry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// answers is a model for the examples: it gives one answer after the other and shows what it was asked with.
func answers(list ...any) llms.Model {
	n := 0
	return modelFunc(func(ctx context.Context, messages []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
		var o llms.CallOptions
		for _, opt := range opts {
			opt(&o)
		}
		answer := list[n]
		n++
		if err, ok := answer.(error); ok {
			return nil, err
		}
		content, truncated := strings.CutSuffix(answer.(string), "...")
		reason := "stop"
		if truncated {
			reason = "length"
		}
		if o.StreamingFunc != nil {
			if err := o.StreamingFunc(ctx, []byte(content)); err != nil {
				return nil, err
			}
		}
		return stops(content, reason).response, nil
	})
}

// ask and parse keep the examples short.
var prompt = []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "A colour, please.")}

var colour = llmretry.ParserFunc[string](func(text string) (string, error) {
	var v struct{ Colour string }
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return "", llmretry.Issues{{Code: "syntax", Message: "the answer is not JSON"}}
	}
	if v.Colour == "" {
		return "", llmretry.Issues{{Path: "/Colour", Code: "required", Message: "/Colour is missing"}}
	}
	return v.Colour, nil
})

func correct(_ context.Context, f llmretry.Failure) (string, error) {
	return "Wrong: " + f.ErrorMessage + ". Once more.", nil
}

// A model that answers wrongly is asked again, with its own answer and the caller's correction.
func ExampleNew() {
	model, err := llmretry.New(answers("blue", `{"Color": "blue"}`, `{"Colour": "blue"}`),
		llmretry.WithParser(colour),
		llmretry.WithReask(correct),
	)
	if err != nil {
		panic(err)
	}
	response, err := model.GenerateContent(context.Background(), prompt)
	fmt.Println(response.Choices[0].Content, err)
	// Output: {"Colour": "blue"} <nil>
}

// Bad configuration is one error that names each problem.
func ExampleNew_invalid() {
	_, err := llmretry.New(nil, llmretry.WithMaxAttempts(0), llmretry.WithReask(nil))
	fmt.Println(err)
	fmt.Println(errors.Is(err, llmretry.ErrInvalidOption))
	// Output:
	// llmretry: invalid option: New: nil model
	// llmretry: invalid option: WithMaxAttempts(0): want at least 1, the first call counts
	// llmretry: invalid option: WithReask: nil builder
	// true
}

// The typed entry returns the value, the response it came from, and every attempt.
func ExampleGenerate() {
	model := llmretry.Must(llmretry.New(answers("blue", `{"Colour": "blue"}`), llmretry.WithReask(correct)))
	result, err := llmretry.Generate(context.Background(), model, colour, prompt)
	fmt.Println(result.Value, err)
	for _, a := range result.Report.Attempts {
		fmt.Printf("%d %q %q\n", a.Index, a.Category, a.Output)
	}
	// Output:
	// blue <nil>
	// 0 "structured_output_invalid" "blue"
	// 1 "" "{\"Colour\": \"blue\"}"
}

// With returns a derived decorator; the first one is unchanged.
func ExampleModel_With() {
	base := llmretry.Must(llmretry.New(answers(errDown, errDown, `{"Colour": "blue"}`), llmretry.WithBackoff(llmretry.Constant(0))))
	patient := llmretry.Must(base.With(llmretry.WithMaxAttempts(5)))
	fmt.Println(patient.Call(context.Background(), "A colour, please."))
	// Output: {"Colour": "blue"} <nil>
}

// Retries get hotter: the same request at temperature 0 gets the same wrong answer again.
func ExampleWithPerAttemptOverride() {
	model := llmretry.Must(llmretry.New(answers("blue", "blue", `{"Colour": "blue"}`), llmretry.WithReask(correct),
		llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.3, 0.6)...)))
	result, _ := llmretry.Generate(context.Background(), model, colour, prompt, llms.WithTemperature(0))
	for _, a := range result.Report.Attempts {
		fmt.Println(a.Index, a.Sent()["temperature"])
	}
	// Output:
	// 0 0
	// 1 0.3
	// 2 0.6
}

// The last attempt goes to a bigger model, on another provider if you like.
func ExampleUse() {
	bigger := llmretry.Use(answers(`{"Colour": "blue"}`), llms.WithMaxTokens(500))
	bigger.Name = "bigger"
	model := llmretry.Must(llmretry.New(answers("blue", "blue"), llmretry.WithReask(correct), llmretry.WithModelName("small"),
		llmretry.WithPerAttemptOverride(llmretry.Set(llms.WithTemperature(0.5)), bigger)))
	result, _ := llmretry.Generate(context.Background(), model, colour, prompt)
	for _, a := range result.Report.Attempts {
		fmt.Println(a.Index, a.Model, a.Sent())
	}
	// Output:
	// 0 small map[]
	// 1 small map[temperature:0.5]
	// 2 bigger map[max_tokens:500]
}

// An answer that was cut gets more room instead of a correction.
func ExampleWithTruncationOverride() {
	model := llmretry.Must(llmretry.New(answers(`{"Col...`, `{"Colour": "blue"}`), llmretry.WithBackoff(llmretry.Constant(0)),
		llmretry.WithTruncationOverride(llmretry.Set(llms.WithMaxTokens(400)))))
	result, err := llmretry.Generate(context.Background(), model, colour, prompt, llms.WithMaxTokens(4))
	fmt.Println(result.Value, err)
	for _, a := range result.Report.Attempts {
		fmt.Println(a.Index, a.Category, a.FinishReason, len(a.Messages), a.Sent()["max_tokens"])
	}
	// Output:
	// blue <nil>
	// 0 truncated length 1 4
	// 1  stop 1 400
}

// A classifier of your own can widen the default, which you may call.
func ExampleWithClassifier() {
	model := llmretry.Must(llmretry.New(answers(errors.New("weights are being swapped"), `{"Colour": "blue"}`),
		llmretry.WithBackoff(llmretry.Constant(0)),
		llmretry.WithClassifier(func(err error, s llmretry.State) bool {
			return llmretry.DefaultClassifier(err, s) || err.Error() == "weights are being swapped"
		})))
	fmt.Println(model.Call(context.Background(), "A colour, please."))
	// Output: {"Colour": "blue"} <nil>
}

// A hook sees each retry before its wait.
func ExampleWithOnRetry() {
	model := llmretry.Must(llmretry.New(answers(errDown, `{"Colour": "blue"}`), llmretry.WithBackoff(llmretry.Constant(time.Millisecond)),
		llmretry.WithOnRetry(func(_ context.Context, err error, attempt int) {
			fmt.Println("attempt", attempt, llmretry.Category(err))
		})))
	_, _ = model.Call(context.Background(), "A colour, please.")
	// Output: attempt 0 provider_unavailable
}

// A validator judges the whole response, after the parser.
func ExampleWithValidator() {
	notRed := func(_ context.Context, r *llms.ContentResponse) error {
		if strings.Contains(r.Choices[0].Content, "red") {
			return llmretry.Issues{{Path: "/Colour", Code: "check", Message: "/Colour must not be red"}}
		}
		return nil
	}
	model := llmretry.Must(llmretry.New(answers(`{"Colour": "red"}`, `{"Colour": "blue"}`), llmretry.WithReask(correct), llmretry.WithValidator(notRed)))
	result, err := llmretry.Generate(context.Background(), model, colour, prompt)
	fmt.Println(result.Value, err)
	// Output: blue <nil>
}

// Tool calls pass unjudged unless a tool validator was given.
func ExampleWithToolValidator() {
	call := func(arguments string) *llms.ContentResponse {
		return &llms.ContentResponse{Choices: []*llms.ContentChoice{{ToolCalls: []llms.ToolCall{callsTool("1", "paint", arguments)}}}}
	}
	replies := []*llms.ContentResponse{call(`{colour: blue}`), call(`{"colour": "blue"}`)}
	inner := modelFunc(func(_ context.Context, messages []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
		r := replies[0]
		replies = replies[1:]
		return r, nil
	})
	model := llmretry.Must(llmretry.New(inner, llmretry.WithReask(correct),
		llmretry.WithToolValidator(func(_ context.Context, r *llms.ContentResponse) error {
			if !json.Valid([]byte(r.Choices[0].ToolCalls[0].FunctionCall.Arguments)) {
				return errors.New("the arguments are not JSON")
			}
			return nil
		})))
	ctx, reports := llmretry.CaptureReports(context.Background())
	response, _ := model.GenerateContent(ctx, prompt)
	fmt.Println(response.Choices[0].ToolCalls[0].FunctionCall.Arguments)
	for _, m := range reports()[0].Attempts[1].Messages[1:] {
		fmt.Println(m.Role, m.Parts[0])
	}
	// Output:
	// {"colour": "blue"}
	// ai {"name": "paint", "arguments": "{colour: blue}"}
	// human Wrong: the arguments are not JSON. Once more.
}

// With a parser, nothing of a refused attempt reaches the stream function, unless the caller asks for live chunks and
// a reset.
func ExampleWithStreamReset() {
	model := llmretry.Must(llmretry.New(answers("blue", `{"Colour": "blue"}`), llmretry.WithParser(colour), llmretry.WithReask(correct),
		llmretry.WithStreamReset(func(_ context.Context, attempt int) { fmt.Println("-- attempt", attempt) })))
	_, _ = model.GenerateContent(context.Background(), prompt, llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
		fmt.Println(string(chunk))
		return nil
	}))
	// Output:
	// blue
	// -- attempt 1
	// {"Colour": "blue"}
}

// Options can travel by context, through a chain that knows nothing of them.
func ExampleNewContext() {
	model := llmretry.Must(llmretry.New(answers(errDown)))
	ctx := llmretry.NewContext(context.Background(), llmretry.WithMaxAttempts(1))
	_, err := model.Call(ctx, "A colour, please.")
	fmt.Println(err)
	// Output: API returned unexpected status code: 503: down
}

// Reports of successes too, from however many calls something makes.
func ExampleCaptureReports() {
	model := llmretry.Must(llmretry.New(answers(errDown, "blue", "red"), llmretry.WithBackoff(llmretry.Constant(0))))
	ctx, reports := llmretry.CaptureReports(context.Background())
	for range 2 {
		_, _ = model.Call(ctx, "A colour, please.")
	}
	for _, r := range reports() {
		usage, complete := r.Usage()
		fmt.Println(len(r.Attempts), usage.Total, complete)
	}
	// Output:
	// 2 14 true
	// 1 13 true
}

// A ceiling bounds what a chain, an agent or a whole request may spend, retries included.
func ExampleLimitModelCalls() {
	model := llmretry.Must(llmretry.New(answers(errDown, errDown), llmretry.WithMaxAttempts(9), llmretry.WithBackoff(llmretry.Constant(0))))
	_, err := model.Call(llmretry.LimitModelCalls(context.Background(), 2), "A colour, please.")
	fmt.Println(errors.Is(err, llmretry.ErrMaxModelCalls), errors.Is(err, llmretry.ErrExhausted), llmretry.Category(err))
	// Output: true true provider_unavailable
}

// What failed is in the error: the output, the reason, the finish reason, the usage, and all attempts.
func ExampleStructuredOutputError() {
	model := llmretry.Must(llmretry.New(answers("blue", "red"), llmretry.WithMaxAttempts(2), llmretry.WithParser(colour), llmretry.WithReask(correct)))
	_, err := model.GenerateContent(context.Background(), prompt)
	var refused *llmretry.StructuredOutputError
	if errors.As(err, &refused) {
		fmt.Println(refused.OutputContent, "/", refused.ErrorMessage, "/", refused.FinishReason, "/", refused.Usage.Total)
	}
	var attempts *llmretry.AttemptsError
	if errors.As(err, &attempts) {
		fmt.Println(len(attempts.Report.Attempts), errors.Is(attempts.Stop, llmretry.ErrMaxAttempts))
	}
	fmt.Println(err)
	// Output:
	// red / the answer is not JSON / stop / 13
	// 2 true
	// llmretry: failed after 2 attempts (llmretry: exhausted: no attempts left): structured output invalid: output: syntax
}

// An observer sees every attempt and can give it a context of its own.
func ExampleWithObserver() {
	model := llmretry.Must(llmretry.New(answers(errDown, "blue"), llmretry.WithBackoff(llmretry.Constant(0)), llmretry.WithObserver(llmretry.Observer{
		Attempt: func(ctx context.Context, s llmretry.AttemptStart) (context.Context, func(llmretry.Attempt)) {
			fmt.Printf("start %d of %d %q\n", s.Index, s.Max, s.Reason)
			return ctx, func(a llmretry.Attempt) { fmt.Printf("end %d %q\n", a.Index, a.Category) }
		},
		Done: func(_ context.Context, r *llmretry.Report, err error) { fmt.Println("done", len(r.Attempts), err) },
	})))
	_, _ = model.Call(context.Background(), "A colour, please.")
	// Output:
	// start 0 of 3 ""
	// end 0 "provider_unavailable"
	// start 1 of 3 "transient"
	// end 1 ""
	// done 2 <nil>
}

func ExampleSlogObserver() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "latency" {
			return slog.Attr{}
		}
		return a
	}}))
	model := llmretry.Must(llmretry.New(answers(errDown, "blue"), llmretry.WithBackoff(llmretry.Constant(0)), llmretry.WithObserver(llmretry.SlogObserver(logger))))
	_, _ = model.Call(context.Background(), "A colour, please.")
	// Output:
	// level=WARN msg="llm attempt" attempt=0 category=provider_unavailable status=503 messages=1 output_bytes=0
	// level=INFO msg="llm call" attempts=2 ok=true input_tokens=10 output_tokens=4 total_tokens=14 usage_complete=true
}

// The transport tells the decorator what a client leaves out of its errors: status, Retry-After, the true network
// error. One value serves any number of clients.
func ExampleNewTransport() {
	client := &http.Client{Transport: llmretry.NewTransport(nil)}
	llm, err := openai.New(openai.WithToken("key"), openai.WithHTTPClient(client))
	if err != nil {
		panic(err)
	}
	model, err := llmretry.New(llm, llmretry.WithMaxRetryAfter(20*time.Second))
	fmt.Println(model.Unwrap() == llm, err)
	// Output: true <nil>
}

func ExampleCategory() {
	for _, err := range []error{
		errors.New("API returned unexpected status code: 429: slow down"),
		errors.New("project 123429 rejected after 500ms"),
		fmt.Errorf("step 3: %w", context.DeadlineExceeded),
	} {
		fmt.Printf("%q\n", llmretry.Category(err))
	}
	// Output:
	// "provider_rate_limit"
	// ""
	// "canceled"
}

// Base options reach the model through chains that have no such option; the call's own win.
func ExampleWithCallOptions() {
	model := llmretry.Must(llmretry.New(answers("{}"), llmretry.WithCallOptions(llms.WithJSONMode(), llms.WithTemperature(0.7))))
	ctx, reports := llmretry.CaptureReports(context.Background())
	_, _ = model.Call(ctx, "A colour, please.", llms.WithTemperature(0))
	fmt.Println(reports()[0].Attempts[0].Sent())
	// Output: map[json:true temperature:0]
}

// Providers that read only the first message get the whole conversation in it.
func ExampleWithFlattenedTranscript() {
	model := llmretry.Must(llmretry.New(answers("blue", `{"Colour": "blue"}`), llmretry.WithParser(colour), llmretry.WithReask(correct), llmretry.WithFlattenedTranscript(nil)))
	ctx, reports := llmretry.CaptureReports(context.Background())
	_, _ = model.GenerateContent(ctx, prompt)
	for _, m := range reports()[0].Attempts[1].Messages {
		fmt.Println(m.Role, m.Parts[0])
	}
	// Output:
	// human A colour, please.
	//
	// blue
	//
	// Wrong: the answer is not JSON. Once more.
}

// A tool or a cache below can tell which attempt it serves.
func ExampleAttemptFromContext() {
	inner := modelFunc(func(ctx context.Context, _ []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
		fmt.Printf("%+v\n", llmretry.AttemptFromContext(ctx))
		return nil, errDown
	})
	model := llmretry.Must(llmretry.New(inner, llmretry.WithMaxAttempts(2), llmretry.WithBackoff(llmretry.Constant(0))))
	_, _ = model.Call(context.Background(), "A colour, please.")
	// Output:
	// {Index:0 Max:0 Reason:}
	// {Index:1 Max:2 Reason:transient}
}

// A call may spend a number of tokens; a valid answer is never discarded because of it.
func ExampleWithTokenBudget() {
	model := llmretry.Must(llmretry.New(answers("blue", "red"), llmretry.WithMaxAttempts(9), llmretry.WithReask(correct), llmretry.WithTokenBudget(20)))
	result, err := llmretry.Generate(context.Background(), model, colour, prompt)
	usage, _ := result.Report.Usage()
	fmt.Println(errors.Is(err, llmretry.ErrTokenBudget), usage.Total)
	// Output: true 27
}

func ExampleWithAttemptTimeout() {
	stuck := modelFunc(func(ctx context.Context, _ []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	model := llmretry.Must(llmretry.New(stuck, llmretry.WithMaxAttempts(2), llmretry.WithAttemptTimeout(time.Millisecond), llmretry.WithBackoff(llmretry.Constant(0))))
	_, err := model.Call(context.Background(), "A colour, please.")
	fmt.Println(errors.Is(err, llmretry.ErrAttemptTimeout), errors.Is(err, context.DeadlineExceeded))
	// Output: true false
}
