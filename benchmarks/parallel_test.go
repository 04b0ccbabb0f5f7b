package benchmarks

import (
	"context"
	"testing"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

// BenchmarkParallel is to be run with -cpu 1,2: what a second processor brings. The bare row says what this machine
// allows.
func BenchmarkParallel(b *testing.B) {
	ctx := context.Background()
	var bare llms.Model = answers{says("a")}
	for _, p := range retryPeers {
		generate := p.wrap(bare, 3)
		parallel(b, "untyped/"+p.name, func() error {
			_, err := generate(ctx, hello)
			return err
		})
	}
	parser, err := outputparser.JSON[orderT]()
	check(b, err)
	model := decorate(b, answers{says(order)})
	parallel(b, "schema/llmretry", func() error {
		_, err := llmretry.Generate(ctx, model, parser, hello)
		return err
	})
	byHand := byHandTyped(b, answers{says(order)}, parser.Schema())
	parallel(b, "schema/by-hand", func() error {
		_, err := byHand()
		return err
	})
}

func parallel(b *testing.B, name string, f func() error) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := f(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	})
}
