package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/llmretry/langchaingo-llmretry/reaskprompt"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
)

type Person struct{ Name, Country string }

func main() {
	web := &http.Client{Transport: llmretry.NewTransport(nil)}                                 // clients lose status and Retry-After; it keeps them
	model := llmretry.Must(llmretry.New(llmretry.Must(openai.New(openai.WithHTTPClient(web))), // the model you have
		llmretry.WithReask(llmretry.Must(reaskprompt.Template("That was refused: {{issues .}}. Try again."))),
		llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.3, 0.6)...)))
	result, err := llmretry.Generate(context.Background(), model, llmretry.Must(outputparser.JSON[Person]()),
		[]llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "Who wrote the first program? JSON with Name and Country.")})
	fmt.Println(result.Value, err)
}
