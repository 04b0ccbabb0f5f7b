package retrytest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

var _ llms.Model = (*Recorder)(nil)

// Recorder is an llms.Model that passes calls on to another one and writes each exchange, as soon as it is over, as a
// line of JSON: the messages, the options that were set, the chunks, and the response or the error. Put it between the
// decorator and the client: each attempt is an exchange. What a [llmretry.Transport] below it sees, a status and a
// Retry-After, is in the recording. A report of the decorator above has a report of the recorder under Nested.
//
// No key is written: URLs, headers and the usual forms of keys are REDACTED in every text, and [Scrub] takes out what
// else is secret. Binary parts are written as they are. Prompts and answers are in the file: look at it before you publish it.
//
// It is safe for concurrent use; exchanges that overlap are written in the order of their ends. Make one with
// [NewRecorder].
type Recorder struct {
	model llms.Model // a decorator around the caller's: it is told what a Transport saw
	inner llms.Model
	scrub scrubber

	mu      sync.Mutex
	w       io.Writer
	written int // exchanges
	bytes   int
	err     error // why nothing more is written
}

// RecordingOption is an option of [NewRecorder] and of [NewPlayer].
type RecordingOption func(*recordingConfig)

type recordingConfig struct {
	scrub    scrubber
	anyOrder bool
}

// Scrub takes out of every text what must not be written, after what is always taken out. A recording that was scrubbed
// is played with the same function, which must be idempotent. It is called concurrently.
func Scrub(f func(text string) string) RecordingOption {
	return func(c *recordingConfig) { c.scrub = f }
}

// NewRecorder returns a model that writes what passes through it to w. A decorated model is an
// llmretry.ErrInvalidOption: its attempts are the exchanges.
func NewRecorder(model llms.Model, w io.Writer, opts ...RecordingOption) (*Recorder, error) {
	c, err := newRecordingConfig(opts)
	switch {
	case err != nil:
		return nil, err
	case c.anyOrder:
		return nil, invalid("retrytest: AnyOrder is for a Player")
	case model == nil:
		return nil, invalid("retrytest: a Recorder needs a model")
	case w == nil:
		return nil, invalid("retrytest: a Recorder needs a writer")
	}
	for m := model; m != nil; {
		if _, ok := m.(*llmretry.Model); ok {
			return nil, invalid("retrytest: record below the decorator, not above it")
		}
		u, ok := m.(interface{ Unwrap() llms.Model })
		if !ok {
			break
		}
		m = u.Unwrap()
	}
	r := &Recorder{inner: model, scrub: c.scrub, w: w}
	if r.model, err = llmretry.New(tapped{model}, llmretry.WithMaxAttempts(1)); err != nil {
		return nil, err
	}
	if _, err := io.WriteString(w, heading+"\n"); err != nil {
		return nil, fmt.Errorf("retrytest: recording: %w", err)
	}
	return r, nil
}

func newRecordingConfig(opts []RecordingOption) (recordingConfig, error) {
	var c recordingConfig
	for i, opt := range opts {
		if opt == nil {
			return c, invalid("retrytest: option %d is nil", i)
		}
		opt(&c)
	}
	return c, nil
}

// Unwrap returns the model whose calls are recorded.
func (r *Recorder) Unwrap() llms.Model { return r.inner }

// SupportsReasoning says what the model says.
func (r *Recorder) SupportsReasoning() bool { return llms.SupportsReasoningModel(r.inner) }

// Call asks with one prompt.
func (r *Recorder) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return call(ctx, r, prompt, opts)
}

// GenerateContent returns what the model returned. An exchange that could not be written is an error instead. A call
// whose context is done makes none, and a panic of the model is not recorded.
func (r *Recorder) GenerateContent(ctx context.Context, messages []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	request, _, err := requestOf(messages, opts, r.scrub)
	if err != nil {
		return nil, err
	}
	x := wireExchange{wireRequest: request}
	chunks := &chunkTap{}
	if request.Stream || request.Thinking {
		opts = append(opts[:len(opts):len(opts)], chunks.wrap)
	}
	held, told, ok := r.ask(ctx, messages, opts)
	if !ok {
		return nil, held.err
	}
	x.Chunks = r.scrub.chunks(chunks.list())
	switch {
	case held.err != nil:
		x.Error = errorOf(ctx, held.err, told, r.scrub)
	case told != nil: // an answer behind which there is a failure is recorded as that failure
		x.Error = errorOf(ctx, told, told, r.scrub)
	}
	if held.err != nil || told == nil {
		if x.Response, err = responseOf(held.response, r.scrub); err != nil {
			return nil, err
		}
	}
	if err := r.write(x); err != nil {
		return nil, err
	}
	return held.response, held.err
}

// tap holds what the model itself returned: the decorator in between may have made something of it.
type tap struct {
	returned bool
	response *llms.ContentResponse
	err      error
}

type tapKey struct{}

// tapped is the caller's model with a tap on it.
type tapped struct{ llms.Model }

func (t tapped) GenerateContent(ctx context.Context, messages []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
	response, err := t.Model.GenerateContent(ctx, messages, opts...)
	if held, ok := ctx.Value(tapKey{}).(*tap); ok {
		*held = tap{true, response, err}
	}
	return response, err
}

// ask returns what the model returned, and why the call failed as a decorator sees it. It is not ok when the model did
// not return: then there is nothing to record.
func (r *Recorder) ask(ctx context.Context, messages []llms.MessageContent, opts []llms.CallOption) (held tap, told error, ok bool) {
	ctx, reports := llmretry.CaptureReports(context.WithValue(ctx, tapKey{}, &held))
	_, err := r.model.GenerateContent(ctx, messages, opts...)
	if !held.returned {
		var panicked *llmretry.PanicError
		if errors.As(err, &panicked) {
			panic(panicked.Value) // the model's own, as without a recorder
		}
		held.err = err
		return held, nil, false
	}
	for _, report := range reports() {
		for _, a := range report.Attempts {
			told = a.Err
		}
	}
	var known *llmretry.ProviderError
	switch {
	case held.err != nil && told == nil:
		told = held.err
	case held.err == nil && !errors.As(told, &known):
		told = nil // an empty answer is an answer here
	}
	return held, told, true
}

func (r *Recorder) write(x wireExchange) error {
	line, err := json.Marshal(x)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.err != nil:
		return r.err
	case err != nil:
		return fmt.Errorf("retrytest: recording: %w", err)
	case len(line) >= maxLine:
		return fmt.Errorf("retrytest: recording: an exchange of %d bytes, more than %d", len(line), maxLine)
	case r.written == maxExchanges:
		return fmt.Errorf("retrytest: recording: more than %d exchanges", maxExchanges)
	case r.bytes+len(line)+1+len(heading)+1 > maxRecording:
		return fmt.Errorf("retrytest: recording: more than %d bytes", maxRecording)
	}
	if _, err := r.w.Write(append(line, '\n')); err != nil {
		r.err = fmt.Errorf("retrytest: recording: %w", err)
		return r.err
	}
	r.written++
	r.bytes += len(line) + 1
	return nil
}

// chunkTap keeps a copy of what goes to the call's stream functions. A client may call them from any goroutine.
type chunkTap struct {
	mu     sync.Mutex
	chunks []wireChunk
	size   int
}

func (t *chunkTap) add(c wireChunk) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.size += len(c.Text) + len(c.Reasoning) + 1; t.size <= maxLine { // one that is longer is not written anyway
		t.chunks = append(t.chunks, c)
	}
}

func (t *chunkTap) list() []wireChunk {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]wireChunk(nil), t.chunks...)
}

// wrap is the option that taps the functions of the options before it.
func (t *chunkTap) wrap(o *llms.CallOptions) {
	if f := o.StreamingFunc; f != nil {
		o.StreamingFunc = func(ctx context.Context, chunk []byte) error {
			t.add(wireChunk{Text: exact(chunk)})
			return f(ctx, chunk)
		}
	}
	if f := o.StreamingReasoningFunc; f != nil {
		o.StreamingReasoningFunc = func(ctx context.Context, reasoning, chunk []byte) error {
			t.add(wireChunk{Reasoning: exact(reasoning), Text: exact(chunk), Thinks: true})
			return f(ctx, reasoning, chunk)
		}
	}
}
