package retrytest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

var _ llms.Model = (*Player)(nil)

// Player is an llms.Model that answers from a recording, offline: the k-th call must be the k-th exchange, and gets what
// was recorded, bit for bit, chunks first. A call that differs in a message or an option gets a [*MismatchError], which
// is final. It is safe for concurrent use. Make one with [NewPlayer].
//
// An error comes back with its text, category, status and Retry-After, so that a decorator treats it as it treated the
// first one; it is not of the same type, and what the decorator put before the client's text is not repeated. A call that
// its caller canceled must be canceled again. Of the generation info, numbers keep their types, and the structs of SDKs
// are maps.
type Player struct {
	scrub    scrubber
	anyOrder bool

	mu        sync.Mutex
	exchanges []wireExchange
	played    []bool
	failures  []error // of calls that were not in the recording
}

// AnyOrder lets a [Player] look for each call among all exchanges that were not played yet: for calls that are made
// concurrently. Equal calls get their exchanges in the order of the recording.
func AnyOrder() RecordingOption { return func(c *recordingConfig) { c.anyOrder = true } }

// NewPlayer reads the recording of a [Recorder].
func NewPlayer(r io.Reader, opts ...RecordingOption) (*Player, error) {
	c, err := newRecordingConfig(opts)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, invalid("retrytest: a Player needs a recording")
	}
	exchanges, err := readRecording(r)
	if err != nil {
		return nil, fmt.Errorf("retrytest: %w", err)
	}
	return &Player{scrub: c.scrub, anyOrder: c.anyOrder, exchanges: exchanges, played: make([]bool, len(exchanges))}, nil
}

// Call asks with one prompt.
func (p *Player) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return call(ctx, p, prompt, opts)
}

// GenerateContent answers from the recording. When the context is done it returns the context's error and plays nothing.
func (p *Player) GenerateContent(ctx context.Context, messages []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	request, o, err := requestOf(messages, opts, p.scrub)
	if err != nil {
		return nil, err
	}
	x, err := p.next(request)
	if err != nil {
		return nil, err
	}
	for _, c := range x.Chunks {
		if c.Thinks {
			err = o.StreamingReasoningFunc(ctx, []byte(c.Reasoning), []byte(c.Text))
		} else {
			err = o.StreamingFunc(ctx, []byte(c.Text))
		}
		if err != nil {
			return nil, err
		}
	}
	response, err := x.Response.response()
	if err != nil {
		return nil, fmt.Errorf("retrytest: %w", err)
	}
	if x.Error != nil {
		return response, x.Error.err()
	}
	return response, nil
}

// next returns the exchange of a request.
func (p *Player) next(r wireRequest) (wireExchange, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := slices.Index(p.played, false)
	if first < 0 {
		return wireExchange{}, p.mismatch(&MismatchError{Exchange: len(p.played), Diff: []string{"nothing more was recorded"}})
	}
	var closest []string
	for i := first; i < len(p.played); i++ {
		if p.played[i] {
			continue
		}
		diff := differences(p.exchanges[i].wireRequest, r)
		if len(diff) == 0 {
			p.played[i] = true
			return p.exchanges[i], nil
		}
		if !p.anyOrder {
			return wireExchange{}, p.mismatch(&MismatchError{Exchange: i, Diff: diff})
		}
		if closest == nil || len(diff) < len(closest) {
			closest, first = diff, i
		}
	}
	return wireExchange{}, p.mismatch(&MismatchError{Exchange: first, Diff: closest})
}

// maxFailures bounds the failures that are kept for Done.
const maxFailures = 10

func (p *Player) mismatch(err error) error {
	if len(p.failures) < maxFailures {
		p.failures = append(p.failures, err)
	}
	return err
}

// Done says what is wrong at the end of a test: calls that were not in the recording, also when nobody looked at their
// errors, and exchanges that were not played. nil is a complete replay.
func (p *Player) Done() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	errs := slices.Clone(p.failures)
	left, first := 0, 0
	for i, played := range p.played {
		if !played {
			if left == 0 {
				first = i
			}
			left++
		}
	}
	if left > 0 {
		errs = append(errs, fmt.Errorf("retrytest: %s of %d not played, the first is exchange %d: %s",
			plural(left, "exchange"), len(p.played), first, p.exchanges[first].describe()))
	}
	return errors.Join(errs...)
}

// err makes an error that a decorator takes for the recorded one.
func (w *wireError) err() error {
	text := errors.New(string(w.Text))
	cause := text
	switch {
	case w.Canceled:
		cause = context.Canceled
	case w.Deadline:
		cause = context.DeadlineExceeded
	case w.Category == llmretry.CategoryAttemptTimeout:
		cause = llmretry.ErrAttemptTimeout
	case w.Category == "" && w.Status == 0 && w.RetryAfter == 0:
		return text
	case w.Cause != "":
		cause = errors.New(string(w.Cause)) // where providers' own words are looked for
	}
	return &playedError{text, &llmretry.ProviderError{Category: w.Category, Status: w.Status, RetryAfter: w.RetryAfter, Err: cause}}
}

// playedError reads as the recorded error did and counts as it did.
type playedError struct {
	text  error
	known *llmretry.ProviderError
}

func (e *playedError) Error() string { return e.text.Error() }
func (e *playedError) Unwrap() error { return e.known }
