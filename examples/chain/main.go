// Chain puts a decorated model under two chains: one whose output is a Go value, and one that writes a letter with it.
//
//	go run ./examples/chain
//
// The parser is given once and serves the model and the chain, so that the chain's own parse cannot fail. The model is
// played in this process; langchaingo's own openai client talks to it.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms/openai"
	"github.com/tmc/langchaingo/prompts"

	"github.com/llmretry/langchaingo-llmretry/internal/loopback"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/compose"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/llmretry/langchaingo-llmretry/reaskprompt"
)

// Ticket is what we want to know about a mail.
type Ticket struct {
	Customer    string `json:"customer"`
	Order       int    `json:"order"`
	RefundCents int    `json:"refund_cents"`
}

const (
	read       = "Read the mail and answer with JSON that satisfies {{.schema}}\n\n{{.mail}}"
	write      = "Write to {{.ticket.Customer}} that {{.ticket.RefundCents}} cents are refunded for order {{.ticket.Order}}."
	correction = "That was refused:\n{{issues .}}\nAnswer with the corrected JSON only."
	mail       = "This is Ada Lovelace. The lamp of order 4711 came broken. I want my 49.99 back!"
)

// letters is the pipeline: a mail in, a letter out.
func letters(model *llmretry.Model) (chains.Chain, error) {
	parser, err := outputparser.JSON[Ticket]()
	if err != nil {
		return nil, err
	}
	prompt := prompts.NewPromptTemplate(read, []string{"mail"})
	prompt.PartialVariables = map[string]any{"schema": parser.GetFormatInstructions()}
	reader, err := compose.LLMChain(model, parser, prompt)
	if err != nil {
		return nil, err
	}
	reader.OutputKey = "ticket"
	writer := chains.NewLLMChain(model, prompts.NewPromptTemplate(write, []string{"ticket"}))
	return chains.NewSequentialChain([]chains.Chain{reader, writer}, []string{"mail"}, []string{"text"})
}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "chain:", err)
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
	model, err := llmretry.New(client, llmretry.WithReask(llmretry.Must(reaskprompt.Template(correction))))
	if err != nil {
		return err
	}
	chain, err := letters(model)
	if err != nil {
		return err
	}

	ctx, reports := llmretry.CaptureReports(ctx)
	letter, err := chains.Run(ctx, chain, mail, chains.WithTemperature(0))
	loopback.Print(w, server.Requests())
	for i, r := range reports() {
		fmt.Fprintf(w, "model call %d of the chain: %d attempts\n", i, len(r.Attempts))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s\n", letter)
	return nil
}

// played is a small model that takes an amount for a text until it is told.
func played(r loopback.Request) loopback.Answer {
	switch {
	case r.Says("Write to"):
		return loopback.Says("Dear Ada Lovelace, the 49.99 for order 4711 are on their way back to you.")
	case r.Says("/refund_cents"):
		return loopback.Says(`{"customer": "Ada Lovelace", "order": 4711, "refund_cents": 4999}`)
	}
	return loopback.Says(`{"customer": "Ada Lovelace", "order": 4711, "refund_cents": "49.99"}`)
}
