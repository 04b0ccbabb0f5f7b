// Stream shows what a stream function gets when the first answer is refused: by default the accepted answer alone; on
// request everything at once, with a word when what was shown is void.
//
//	go run ./examples/stream
//
// The model is played in this process; langchaingo's own openai client talks to it.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/llmretry/langchaingo-llmretry/internal/loopback"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/llmretry/langchaingo-llmretry/reaskprompt"
)

// Recipe is what we want to be told.
type Recipe struct {
	Dish    string `json:"dish"`
	Minutes int    `json:"minutes"`
}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "stream:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer) error {
	server, err := loopback.Start(played)
	if err != nil {
		return err
	}
	defer server.Close()
	client, err := openai.New(openai.WithBaseURL(server.URL), openai.WithToken("none"), openai.WithModel("small-q4"), openai.WithHTTPClient(loopback.Client()))
	if err != nil {
		return err
	}
	model, err := llmretry.New(client, llmretry.WithReask(llmretry.Must(reaskprompt.Template("{{issues .}}"))))
	if err != nil {
		return err
	}

	fmt.Fprintln(w, "held until accepted")
	if err := tell(ctx, w, model); err != nil {
		return err
	}
	live, err := model.With(llmretry.WithStreamReset(func(_ context.Context, attempt int) {
		fmt.Fprintf(w, "  -- void, attempt %d begins\n", attempt)
	}))
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "live, with resets")
	return tell(ctx, w, live)
}

func tell(ctx context.Context, w io.Writer, model *llmretry.Model) error {
	result, err := llmretry.Generate(ctx, model, llmretry.Must(outputparser.JSON[Recipe]()),
		[]llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "A dish and its minutes, as JSON.")},
		llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
			_, err := fmt.Fprintf(w, "  chunk %q\n", chunk)
			return err
		}))
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "  value %+v after %d attempts\n", result.Value, len(result.Report.Attempts))
	return nil
}

func played(r loopback.Request) loopback.Answer {
	if r.Says("/minutes") {
		return loopback.Says(`{"dish": "pasta", "minutes": 20}`)
	}
	return loopback.Says(`{"dish": "pasta", "minutes": "about 20"}`)
}
