package llmretry

import (
	"context"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/tmc/langchaingo/llms"
)

type (
	streamFunc    = func(ctx context.Context, chunk []byte) error
	reasoningFunc = func(ctx context.Context, reasoning, chunk []byte) error
)

// stream stands between one attempt's model and the caller's stream functions. It holds chunks back or lets them
// through, keeps the caller's own error, since one client swallows it, and drops what an abandoned attempt still
// sends. A model may call it from any goroutine. (Semantics I.)
type stream struct {
	text      streamFunc    // the caller's; nil = none
	reasoning reasoningFunc // the caller's; nil = none
	hold      bool          // until the attempt is accepted

	mu        sync.Mutex // held while the caller's function runs, so that close can wait for it
	held      []chunk
	delivered bool  // a chunk with something in it reached the caller
	err       error // the caller's own error, or its panic
	closed    bool
}

// chunk is a held call of one of the two stream functions.
type chunk struct {
	isReasoning     bool
	reasoning, text []byte
}

// wrap is the option that puts s in the place of the caller's stream functions.
func (s *stream) wrap(o *llms.CallOptions) {
	if o.StreamingFunc != nil {
		o.StreamingFunc = func(ctx context.Context, text []byte) error {
			return s.take(ctx, chunk{text: text})
		}
	}
	if o.StreamingReasoningFunc != nil {
		o.StreamingReasoningFunc = func(ctx context.Context, reasoning, text []byte) error {
			return s.take(ctx, chunk{isReasoning: true, reasoning: reasoning, text: text})
		}
	}
}

func (s *stream) take(ctx context.Context, c chunk) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.err != nil:
		return s.err
	case s.closed:
		return context.Canceled // the attempt is over: whoever still streams should stop
	case s.hold:
		c.reasoning, c.text = slices.Clone(c.reasoning), slices.Clone(c.text) // clients reuse their buffers
		s.held = append(s.held, c)
		return nil
	}
	s.deliver(ctx, c)
	return s.err
}

// deliver calls the caller's function. A panic in it is kept like an error: the model may be calling from a goroutine
// of its own, where it would end the process. (Semantics I5, J2.)
func (s *stream) deliver(ctx context.Context, c chunk) {
	defer func() {
		if v := recover(); v != nil {
			s.err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	s.delivered = s.delivered || len(c.text)+len(c.reasoning) > 0
	if c.isReasoning {
		s.err = s.reasoning(ctx, c.reasoning, c.text)
	} else {
		s.err = s.text(ctx, c.text)
	}
}

// release delivers what was held, in order, until the caller's function returns an error.
func (s *stream) release(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.held {
		if s.deliver(ctx, c); s.err != nil {
			break
		}
	}
	s.held = nil
	return s.err
}

// close ends the attempt for the model's side and tells what became of it.
func (s *stream) close() (delivered bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.delivered, s.err
}
