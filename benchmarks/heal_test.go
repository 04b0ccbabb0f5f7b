package benchmarks

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

var errBad = errors.New("not good")

// good is a check that costs next to nothing, so that what is left is the machinery.
func good(text string) error {
	if text != "good" {
		return errBad
	}
	return nil
}

var goodParser = llmretry.ParserFunc[string](func(text string) (string, error) { return text, good(text) })

// now is a backoff without a wait: no timer is in any figure.
func now(int) (none time.Duration) { return none }

// BenchmarkTransient is 1 and 3 failures as a provider's client words them, before an answer. The libraries retry any
// error; llmretry reads it first.
func BenchmarkTransient(b *testing.B) {
	for _, n := range []int{1, 3} {
		for _, p := range retryPeers[1:] {
			generate := p.wrap(&stumbles{times: n, err: errDown, good: says("a")}, 4)
			loop(b, fmt.Sprintf("failures=%d/%s", n, p.name), func() error {
				_, err := generate(context.Background(), hello)
				return err
			})
		}
		loop(b, fmt.Sprintf("failures=%d/eino", n), eino(n))
		loop(b, fmt.Sprintf("failures=%d/fantasy-retry", n), fantasyRetry(n))
	}
}

// BenchmarkClassify is the decision about one error, by its text and by its fields.
func BenchmarkClassify(b *testing.B) {
	for name, err := range map[string]error{
		"text":  errDown,
		"typed": &llmretry.ProviderError{Status: 503, Category: llmretry.CategoryUnavailable, Err: errDown},
	} {
		loop(b, "503/"+name, func() error {
			if !llmretry.DefaultClassifier(err, llmretry.State{}) {
				return errBad
			}
			return nil
		})
	}
}

// BenchmarkReask is refused outputs before an accepted one: the machinery alone, with a check and a correction that
// cost nothing. No retry library has reasks; by-hand is the careful loop.
func BenchmarkReask(b *testing.B) {
	for n := range 5 {
		reasks(b, fmt.Sprintf("reasks=%d", n), n, hello)
	}
}

func reasks(b *testing.B, name string, n int, messages []llms.MessageContent) {
	model := func() llms.Model { return &stumbles{times: n, bad: says("bad"), good: says("good")} }
	m := decorate(b, model(), llmretry.WithMaxAttempts(n+1), llmretry.WithParser(goodParser), llmretry.WithReask(fix))
	byHand := byHandReask(model(), n+1, good)
	loop(b, name+"/llmretry", func() error {
		_, err := m.GenerateContent(context.Background(), messages)
		return err
	})
	loop(b, name+"/by-hand", func() error {
		_, err := byHand(context.Background(), messages)
		return err
	})
}

// BenchmarkTranscript: what a reask costs does not depend on what was sent before it, nor on how many came before.
func BenchmarkTranscript(b *testing.B) {
	image := []llms.MessageContent{{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{
		llms.BinaryContent{MIMEType: "image/png", Data: make([]byte, 5<<20)}, llms.TextContent{Text: "hello"},
	}}}
	for _, first := range []struct {
		name     string
		messages []llms.MessageContent
	}{{"1KB", asks(strings.Repeat("a", 1<<10))}, {"100KB", asks(strings.Repeat("a", 100<<10))}, {"5MB", image}} {
		for _, n := range []int{1, 2, 4, 8, 16} {
			reasks(b, fmt.Sprintf("first=%s,reasks=%d", first.name, n), n, first.messages)
		}
	}
}
