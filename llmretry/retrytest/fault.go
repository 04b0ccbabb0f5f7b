package retrytest

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

var _ llms.Model = (*FaultModel)(nil)

// FaultModel is an llms.Model that answers with the right value of a case, spoiled. Make one with [NewFaultModel]. It
// simulates faults and no language model: it reads nothing in a prompt but which case it is about, how often it was
// corrected, and which paths the corrections name. Use it to test code against faults and to compare policies of
// retries with each other, and not to predict what a real model will do.
//
// Everything random is a hash of the seed, the case and the request. The same request at temperature 0 has the same
// answer, byte for byte; a request with a seed of its own too. At a higher temperature the k-th time that a request is
// made has its own answer, the same in every run; so do the faults of transport at any temperature. Nothing else is
// remembered: no call changes what another request gets, so that the order of calls and concurrency make no difference.
//
// It reports usage as langchaingo's openai client does, four bytes to a token, and the faults it made as a []Fault under
// "Faults", both in the GenerationInfo. It is safe for concurrent use.
type FaultModel struct {
	cfg  FaultConfig
	mu   sync.Mutex
	seen map[source]int // how often a request was made
}

// FaultConfig says what a [FaultModel] answers and how it fails. Only Find is required.
type FaultConfig struct {
	Seed uint64

	// Find returns the case that a request is about; see [ByText]. Its error is the call's. It must not change the messages.
	Find func(messages []llms.MessageContent) (Case, error)

	Rates   Rates   // the zero value is a model without faults; see DefaultRates
	Effects Effects // the zero value is one that nothing heals; see DefaultEffects

	// Names says whether a correction names the path of a fault, a JSON Pointer, or "" for an answer that is no JSON.
	// nil looks for the pointer itself, and for the word JSON.
	Names func(correction, path string) bool

	RetryAfter time.Duration // of a rate limit; 0 = not said
	Latency    Latency       // what calls are said to take
	Sleep      bool          // calls take it
}

// Case is something to ask for. One of Value and Schema is required. Without a Schema every field may be missing, of the
// wrong type and accompanied; without a Value there is one made by [Value].
type Case struct {
	Name   string          // what draws belong to; "" = Value and Schema
	Value  json.RawMessage // the right answer
	Schema json.RawMessage // what an answer must satisfy
}

// Fault is a fault that was made.
type Fault struct {
	Class Class
	Path  string // JSON Pointer of the field; "" = the whole answer
}

// Latency is a linear model of the time that a call takes. The zero value is none.
type Latency struct {
	Base, PerPromptToken, PerCompletionToken time.Duration
}

// Of returns what a call with that usage takes.
func (l Latency) Of(u llmretry.Usage) time.Duration {
	return l.Base + time.Duration(u.Input.N)*l.PerPromptToken + time.Duration(u.Output.N)*l.PerCompletionToken
}

// NewFaultModel returns a model of faults. A rate or an effect that is no share, a negative duration, and a missing Find
// are each an llmretry.ErrInvalidOption.
func NewFaultModel(cfg FaultConfig) (*FaultModel, error) {
	if cfg.Find == nil {
		return nil, invalid("retrytest: a FaultModel needs Find")
	}
	if err := errors.Join(cfg.Rates.validate(), cfg.Effects.validate()); err != nil {
		return nil, err
	}
	if l := cfg.Latency; min(l.Base, l.PerPromptToken, l.PerCompletionToken, cfg.RetryAfter) < 0 {
		return nil, invalid("retrytest: a negative duration")
	}
	if cfg.Names == nil {
		cfg.Names = names
	}
	return &FaultModel{cfg: cfg, seen: map[source]int{}}, nil
}

// Call asks with one prompt.
func (m *FaultModel) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return call(ctx, m, prompt, opts)
}

// GenerateContent answers, or fails with an [*llmretry.ProviderError]. With a stream function the answer comes in chunks
// first, whose error ends the call.
func (m *FaultModel) GenerateContent(ctx context.Context, messages []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a, err := m.ask(messages, opts)
	if err != nil {
		return nil, err
	}
	if class := m.transport(a); class != "" {
		if err := m.sleep(ctx, m.cfg.Latency.Base); err != nil {
			return nil, err
		}
		return nil, m.failure(class)
	}
	ans, err := m.answer(a)
	if err != nil {
		return nil, err
	}
	usage := llmretry.Usage{Input: count(a.tokens), Output: count(tokens(ans.text)), Total: count(a.tokens + tokens(ans.text))}
	if err := m.sleep(ctx, m.cfg.Latency.Of(usage)); err != nil {
		return nil, err
	}
	if err := stream(ctx, a.options.StreamingFunc, chunksOf(ans.text)); err != nil {
		return nil, err
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{
		Content: ans.text, StopReason: string(ans.finish), GenerationInfo: map[string]any{
			"PromptTokens": usage.Input.N, "CompletionTokens": usage.Output.N, "TotalTokens": usage.Total.N, "Faults": ans.faults,
		},
	}}}, nil
}

// transport returns the class of the fault that the request meets on its way, or none.
func (m *FaultModel) transport(a asked) Class {
	u := a.unique.of("transport", strconv.Itoa(a.nth)).unit()
	for _, class := range []Class{RateLimited, Unavailable, TimedOut} {
		if u -= m.cfg.Rates.of(class); u < 0 {
			return class
		}
	}
	return ""
}

// failure is the error of a fault of transport.
func (m *FaultModel) failure(class Class) error {
	switch class {
	case RateLimited:
		return &llmretry.ProviderError{Category: llmretry.CategoryRateLimit, Status: 429, RetryAfter: m.cfg.RetryAfter,
			Err: errors.New("retrytest: simulated rate limit")}
	case Unavailable:
		return &llmretry.ProviderError{Category: llmretry.CategoryUnavailable, Status: 503, Err: errors.New("retrytest: simulated outage")}
	}
	return &llmretry.ProviderError{Category: llmretry.CategoryUnavailable, Err: errors.New("retrytest: simulated timeout of the connection")}
}

func (m *FaultModel) sleep(ctx context.Context, d time.Duration) error {
	if !m.cfg.Sleep {
		return nil
	}
	return sleep(ctx, d)
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// bytesPerToken is the usual estimate for English and JSON.
const bytesPerToken = 4

func tokens(text string) int { return (len(text) + bytesPerToken - 1) / bytesPerToken }

func count(n int) llmretry.Count { return llmretry.Count{N: n, Known: true} }

// chunkSize is how many bytes a chunk of a stream has at least.
const chunkSize = 16

func chunksOf(text string) []string {
	var chunks []string
	for len(text) > 0 {
		n := min(chunkSize, len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		chunks, text = append(chunks, text[:n]), text[n:]
	}
	return chunks
}

func stream(ctx context.Context, f func(context.Context, []byte) error, chunks []string) error {
	if f == nil {
		return nil
	}
	for _, c := range chunks {
		if err := f(ctx, []byte(c)); err != nil {
			return err
		}
	}
	return nil
}
