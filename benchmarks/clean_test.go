package benchmarks

import (
	"context"
	"testing"
	"time"

	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/prompts"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// BenchmarkClean is a call that succeeds at once. Targets are differences to the bare row of the same case.
func BenchmarkClean(b *testing.B) {
	ctx := context.Background()
	var bare llms.Model = answers{says("a")}
	calls := func(name string, ctx context.Context, generate generate, opts ...llms.CallOption) {
		loop(b, name, func() error {
			_, err := generate(ctx, hello, opts...)
			return err
		})
	}
	for _, p := range retryPeers {
		calls("options=0/"+p.name, ctx, p.wrap(bare, 3))
	}
	loop(b, "options=0/eino", eino(0))
	loop(b, "options=0/fantasy-retry", fantasyRetry(0))
	chain := chains.NewLLMChain(bare, prompts.NewPromptTemplate("hello {{.name}}", []string{"name"}))
	loop(b, "options=0/langchaingo-LLMChain", func() error {
		_, err := chains.Call(ctx, chain, map[string]any{"name": "you"})
		return err
	})
	for _, p := range retryPeers {
		calls("options=5/"+p.name, ctx, p.wrap(bare, 3), five...)
	}

	soon, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	full := decorate(b, bare, llmretry.WithOnRetry(func(context.Context, error, int) {}),
		llmretry.WithClassifier(llmretry.DefaultClassifier), llmretry.WithReask(fix))
	calls("deadline+policies/bare", soon, bare.GenerateContent)
	calls("deadline+policies/llmretry", soon, full.GenerateContent)
	calls("options=5+deadline+policies/bare", soon, bare.GenerateContent, five...)
	calls("options=5+deadline+policies/llmretry", soon, full.GenerateContent, five...)

	done := func(context.Context, *llmretry.Report, error) {}
	start := func(ctx context.Context, _ llmretry.AttemptStart) (context.Context, func(llmretry.Attempt)) {
		return ctx, nil
	}
	calls("observer/bare", ctx, bare.GenerateContent)
	calls("observer/llmretry-Done", ctx, decorate(b, bare, llmretry.WithObserver(llmretry.Observer{Done: done})).GenerateContent)
	calls("observer/llmretry-Attempt", ctx, decorate(b, bare, llmretry.WithObserver(llmretry.Observer{Attempt: start, Done: done})).GenerateContent)
}

// fix is a builder whose text costs nothing.
func fix(context.Context, llmretry.Failure) (string, error) { return "fix it", nil }
