// Reasklab runs prompts under several strategies for refused answers and says which one heals your model: how many answers
// are valid, after how many attempts, for how many tokens, and how sure that is.
//
//	go run ./cmd/reasklab -offline
//
// needs no key and no network. docs/lab.md says how to run it on prompts and models of your own.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/command"
)

func main() {
	os.Exit(run())
}

// run lets the first signal end the run when nothing is in flight any more, and the second one at once.
func run() int {
	ctx, breakOff := context.WithCancel(context.Background())
	defer breakOff()
	drain, stop := context.WithCancel(ctx)
	defer stop()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		<-signals
		stop()
		<-signals
		breakOff()
	}()
	return command.Run(ctx, drain, os.Args[1:], os.Stdout, os.Stderr)
}
