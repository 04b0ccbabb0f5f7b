// Toolcalls lets a model call two tools. A call with wrong arguments is asked for again before any tool runs, and a reply
// that is none is asked for again before the model sees it.
//
//	go run ./examples/toolcalls
//
// Model and tools are played in this process; langchaingo's own openai client talks to the model.
package main

import (
	"context"
	"encoding/json"
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

const (
	question   = "What will the weather be in Rome for three days, and is the service well?"
	correction = "No tool was run: {{issues .}}"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "toolcalls:", err)
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

	kit := toolkit()
	arguments, err := outputparser.ToolArguments(kit)
	if err != nil {
		return err
	}
	model, err := llmretry.New(client,
		llmretry.WithToolValidator(arguments),
		llmretry.WithReask(llmretry.Must(reaskprompt.Template(correction))),
		llmretry.WithNativeToolReplay(), // this provider takes refused calls back as calls, each of them answered
	)
	if err != nil {
		return err
	}

	answer, err := converse(ctx, w, model, kit, new(service))
	fmt.Fprintln(w)
	loopback.Print(w, server.Requests())
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s\n", answer)
	return nil
}

// converse asks, runs what the model calls, and goes on until it answers. It need not look at arguments: they are valid.
func converse(ctx context.Context, w io.Writer, model llms.Model, kit []llms.Tool, s *service) (string, error) {
	messages := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, question)}
	for {
		response, err := model.GenerateContent(ctx, messages, llms.WithTools(kit))
		if err != nil {
			return "", err
		}
		choice := response.Choices[0]
		if len(choice.ToolCalls) == 0 {
			return choice.Content, nil
		}
		said := llms.MessageContent{Role: llms.ChatMessageTypeAI}
		for _, call := range choice.ToolCalls {
			said.Parts = append(said.Parts, call)
		}
		messages = append(messages, said)
		for _, call := range choice.ToolCalls {
			fmt.Fprintf(w, "run %s(%s)\n", call.FunctionCall.Name, call.FunctionCall.Arguments)
			result, err := s.use(ctx, w, call.FunctionCall)
			if err != nil {
				return "", err
			}
			messages = append(messages, llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{
				llms.ToolCallResponse{ToolCallID: call.ID, Name: call.FunctionCall.Name, Content: result},
			}})
		}
	}
}

// use runs one call. A reply of the weather server is checked like a model's, and asked for again.
func (s *service) use(ctx context.Context, w io.Writer, call *llms.FunctionCall) (string, error) {
	if call.Name == "health" {
		return `{"ok": true}`, nil
	}
	first, err := s.weather(ctx, call.Arguments)
	if err != nil {
		return "", err
	}
	forecast, err := llmretry.SchemaRetry[Forecast]{
		Prompt:   call.Arguments,
		Validate: llmretry.Must(outputparser.JSON[Forecast](outputparser.Strict())).Parse,
		AskAgain: func(ctx context.Context, request string) (string, error) {
			fmt.Fprintf(w, "  again, since its reply was refused\n")
			return s.weather(ctx, request)
		},
		Compose: func(request string, _ []llmretry.TrailEntry) string { return request }, // the server reads no errors
	}.Run(ctx, first)
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(forecast)
	return string(data), err
}
