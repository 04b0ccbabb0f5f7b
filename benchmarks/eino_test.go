package benchmarks

import (
	"context"
	"io"
	"log"
	"time"
	_ "unsafe" // for go:linkname

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
)

// eino's retrying chat model is not exported; its agent is, and costs 40 µs by itself. So it is reached by its symbol,
// which empty.s allows.

type einoRetry struct{} // of eino; only its pointer goes through here

//go:linkname einoGenerate github.com/cloudwego/eino/adk.(*retryChatModel).Generate
func einoGenerate(m *einoRetry, ctx context.Context, input []*schema.Message, opts ...model.Option) (*schema.Message, error)

//go:linkname newEinoRetry github.com/cloudwego/eino/adk.newRetryChatModel
func newEinoRetry(inner model.ToolCallingChatModel, config *adk.ModelRetryConfig) *einoRetry

// einoModel is the fake: a number of errors, then the answer.
type einoModel struct {
	times, n int
	answer   *schema.Message
}

func (m *einoModel) Generate(context.Context, []*schema.Message, ...model.Option) (*schema.Message, error) {
	if m.n++; m.n <= m.times {
		return nil, errDown
	}
	m.n = 0
	return m.answer, nil
}

func (m *einoModel) Stream(context.Context, []*schema.Message, ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	return nil, errDown
}

func (m *einoModel) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return m, nil }

// eino returns one call through the retrying model, with failures failing attempts first.
func eino(failures int) func() error {
	log.SetOutput(io.Discard) // it logs every retry
	none := func(context.Context, int) time.Duration { return 0 }
	m := newEinoRetry(&einoModel{times: failures, answer: schema.AssistantMessage("a", nil)}, &adk.ModelRetryConfig{MaxRetries: 3, BackoffFunc: none})
	input := []*schema.Message{schema.UserMessage("hello")}
	return func() error {
		_, err := einoGenerate(m, context.Background(), input)
		return err
	}
}
