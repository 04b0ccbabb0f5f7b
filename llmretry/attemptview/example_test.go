package attemptview_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/attemptview"
)

// flaky is a model that is down the first time.
type flaky struct{ calls int }

func (f *flaky) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	if f.calls++; f.calls == 1 {
		return nil, errors.New("API returned unexpected status code: 503: down")
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "Ask ada@example.org.", StopReason: "stop"}}}, nil
}

func (f *flaky) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, f, prompt, opts...)
}

// The reports of some calls, as a file to open in a browser, without the one thing that must not be in it.
func ExampleWriteHTML() {
	model := llmretry.Must(llmretry.New(&flaky{}, llmretry.WithBackoff(llmretry.Constant(0))))
	ctx, reports := llmretry.CaptureReports(context.Background())
	_, _ = model.Call(ctx, "Whom do I ask?")

	file, err := os.Create(filepath.Join(os.TempDir(), "attempts.html"))
	if err != nil {
		panic(err)
	}
	defer os.Remove(file.Name())
	err = attemptview.WriteHTML(file, reports(), attemptview.Title("Whom to ask"), attemptview.Redact(func(text string) string {
		return strings.ReplaceAll(text, "ada@example.org", "[address]")
	}))
	err = errors.Join(err, file.Close())

	page, _ := os.ReadFile(file.Name())
	fmt.Println(err, strings.Count(string(page), `<li class="attempt`), strings.Contains(string(page), "Ask [address]."))
	// Output: <nil> 2 true
}
