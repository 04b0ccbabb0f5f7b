// Quickstart heals one structured-output call and shows how: every attempt, what it sent, and why it was refused.
//
//	go run ./examples/quickstart
//
// asks a small model that runs in this process behind an OpenAI-compatible server. It needs no key and no network.
//
//	go run ./examples/quickstart -provider ollama -model llama3.2
//
// asks a real one. Nothing but the model's constructor differs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/llmretry/langchaingo-llmretry/reaskprompt"
)

// Ticket is what we want to know about a mail. Its tags are the schema the answer must satisfy.
type Ticket struct {
	Customer    string `json:"customer" jsonschema:"minLength=1"`
	Order       int    `json:"order"`
	Priority    string `json:"priority" jsonschema:"enum=low,enum=normal,enum=high"`
	RefundCents int    `json:"refund_cents" jsonschema:"minimum=0"`
}

// All words the model reads are ours: these, and nothing of the library's.
const (
	instruction = "Read the mail and answer with one JSON object that satisfies this schema:\n"
	mail        = "This is Ada Lovelace. The lamp of order 4711 came broken, again. I want my 49.99 back, today!"
	correction  = "Your answer was refused:\n{{issues .}}\nAnswer again with the corrected JSON object only."
)

// ask is the whole use of the library: decorate a model, and ask it for a value.
func ask(ctx context.Context, inner llms.Model) (llmretry.Result[Ticket], error) {
	parser := llmretry.Must(outputparser.JSON[Ticket]())
	model, err := llmretry.New(inner,
		llmretry.WithMaxAttempts(4),
		llmretry.WithReask(llmretry.Must(reaskprompt.Template(correction))),
		llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.3, 0.6)...),
		llmretry.WithBackoff(llmretry.FullJitter(100*time.Millisecond, time.Second)), // a server's Retry-After is waited for when it is longer
	)
	if err != nil {
		return llmretry.Result[Ticket]{}, err
	}
	messages := []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, instruction+parser.GetFormatInstructions()),
		llms.TextParts(llms.ChatMessageTypeHuman, mail),
	}
	return llmretry.Generate(ctx, model, parser, messages, llms.WithTemperature(0), llms.WithMaxTokens(200))
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // the call failed
	exitUsage  = 2 // bad flags, or a provider that is not set up
)

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	flags.SetOutput(stderr)
	provider := flags.String("provider", "", "openai, anthropic or ollama; without it, a model in this process")
	name := flags.String("model", "", "the provider's model")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage // Parse has said why
	case flags.NArg() > 0:
		return complain(stderr, exitUsage, fmt.Errorf("unexpected argument %q", flags.Arg(0)))
	}

	// The Transport tells the decorator what langchaingo's clients leave out of their errors: status and Retry-After.
	client := &http.Client{Transport: llmretry.NewTransport(nil)}
	defer client.CloseIdleConnections()

	var model llms.Model
	var offline *server
	var err error
	if *provider == "" {
		if *name != "" {
			return complain(stderr, exitUsage, errors.New("-model needs -provider"))
		}
		if offline, err = startServer(busyOnce); err != nil {
			return complain(stderr, exitFailed, err)
		}
		defer offline.Close()
		model, err = offlineModel(offline, client)
	} else {
		model, err = providerModel(*provider, *name, client)
	}
	if err != nil {
		return complain(stderr, exitUsage, err)
	}

	result, err := ask(ctx, model)
	printAttempts(stdout, result.Report)
	if offline != nil {
		printWire(stdout, offline.Exchanges())
	}
	if err != nil {
		return complain(stderr, exitFailed, err)
	}
	fmt.Fprintf(stdout, "\n%+v\n", result.Value)
	return exitOK
}

func complain(stderr io.Writer, code int, err error) int {
	fmt.Fprintln(stderr, "quickstart:", err)
	return code
}
