package retrytest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// A recording is a text file: a line that says what it is, then a line of JSON for each exchange.

// heading is the first line.
const heading = `{"format":"retrytest recording 1"}`

// The bounds of a recording.
const (
	maxExchanges = 10_000
	maxLine      = 8 << 20  // bytes of an exchange
	maxRecording = 64 << 20 // bytes of the file
)

// wireExchange is a call of a model and what came of it.
type wireExchange struct {
	wireRequest
	Chunks   []wireChunk   `json:"chunks,omitempty"`
	Response *wireResponse `json:"response,omitempty"`
	Error    *wireError    `json:"error,omitempty"`
}

// wireRequest is what a call is known by.
type wireRequest struct {
	Messages []wireMessage              `json:"messages"`
	Options  map[string]json.RawMessage `json:"options,omitempty"` // those that were set, by JSON name
	Stream   bool                       `json:"stream,omitempty"`
	Thinking bool                       `json:"stream_reasoning,omitempty"`
}

type wireChunk struct {
	Text      exact `json:"text,omitempty"`
	Reasoning exact `json:"reasoning,omitempty"`
	Thinks    bool  `json:"thinks,omitempty"` // came by the function for reasoning
}

type wireResponse struct {
	Choices []*wireChoice `json:"choices"`
}

type wireChoice struct {
	Content   exact           `json:"content"`
	Stop      string          `json:"stop_reason,omitempty"`
	Reasoning exact           `json:"reasoning,omitempty"`
	ToolCalls []*wireToolCall `json:"tool_calls,omitempty"`
	FuncCall  *wireFunction   `json:"func_call,omitempty"`
	Info      map[string]any  `json:"info,omitempty"`
}

// wireError is an error as far as a decorator looks at one.
type wireError struct {
	Text       exact                  `json:"text"`
	Cause      exact                  `json:"cause,omitempty"` // the text at the end of its chain, where it is another
	Category   llmretry.ErrorCategory `json:"category,omitempty"`
	Status     int                    `json:"status,omitempty"`
	RetryAfter time.Duration          `json:"retry_after,omitempty"` // nanoseconds
	Canceled   bool                   `json:"canceled,omitempty"`    // is context.Canceled
	Deadline   bool                   `json:"deadline,omitempty"`    // is context.DeadlineExceeded
}

// requestOf returns what a call is known by, without secrets.
func requestOf(messages []llms.MessageContent, opts []llms.CallOption, s scrubber) (wireRequest, llms.CallOptions, error) {
	var r wireRequest
	var o llms.CallOptions
	for i, opt := range opts {
		if opt == nil {
			return r, o, fmt.Errorf("retrytest: call option %d is nil", i)
		}
	}
	wire, err := wireMessages(messages)
	if err != nil {
		return r, o, err
	}
	s.messages(wire)
	r.Messages = wire
	sent := llmretry.Attempt{Options: opts}.Sent()
	for _, name := range sortedKeys(sent) {
		raw, err := s.option(name, sent[name])
		if err != nil {
			return r, o, fmt.Errorf("retrytest: option %s: %w", name, err)
		}
		if r.Options == nil {
			r.Options = map[string]json.RawMessage{}
		}
		r.Options[name] = raw
	}
	for _, opt := range opts {
		opt(&o)
	}
	r.Stream, r.Thinking = o.StreamingFunc != nil, o.StreamingReasoningFunc != nil
	return r, o, nil
}

// option returns the JSON of an option's value. Tools and metadata may be of any type, so that it goes through JSON.
func (s scrubber) option(name string, value any) (json.RawMessage, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	holder := s.value(map[string]any{name: v}).(map[string]any)
	return json.Marshal(holder[name])
}

// errorOf describes an error. told is the error as a decorator sees it, who may know more.
func errorOf(ctx context.Context, err, told error, s scrubber) *wireError {
	w := &wireError{Text: exact(s.text(err.Error())), Category: llmretry.Category(told),
		Canceled: errors.Is(err, context.Canceled), Deadline: errors.Is(err, context.DeadlineExceeded)}
	if cause := exact(s.text(innermost(err).Error())); cause != w.Text {
		w.Cause = cause
	}
	if w.Category == llmretry.CategoryCanceled && errors.Is(context.Cause(ctx), llmretry.ErrAttemptTimeout) {
		w.Category = llmretry.CategoryAttemptTimeout
	}
	var p *llmretry.ProviderError
	if errors.As(told, &p) {
		w.Status, w.RetryAfter = p.Status, p.RetryAfter
	}
	return w
}

// innermost is the end of an error's chain: providers' own words are read there.
func innermost(err error) error {
	for range maxDepth {
		var next error
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			next = e.Unwrap()
		case interface{ Unwrap() []error }:
			if list := e.Unwrap(); len(list) > 0 {
				next = list[0]
			}
		}
		if next == nil {
			break
		}
		err = next
	}
	return err
}

func responseOf(r *llms.ContentResponse, s scrubber) (*wireResponse, error) {
	if r == nil {
		return nil, nil
	}
	w := &wireResponse{}
	if r.Choices != nil {
		w.Choices = []*wireChoice{}
	}
	for i, c := range r.Choices {
		if c == nil {
			w.Choices = append(w.Choices, nil)
			continue
		}
		own := &wireChoice{Content: exact(s.text(c.Content)), Stop: c.StopReason, Reasoning: exact(s.text(c.ReasoningContent))}
		for _, call := range c.ToolCalls {
			own.ToolCalls = append(own.ToolCalls, wireCall(call))
			s.call(own.ToolCalls[len(own.ToolCalls)-1])
		}
		if c.FuncCall != nil {
			own.FuncCall = &wireFunction{c.FuncCall.Name, exact(s.text(c.FuncCall.Arguments))}
		}
		for _, key := range sortedKeys(c.GenerationInfo) {
			v, err := encodeAny(c.GenerationInfo[key], 0)
			if err != nil {
				return nil, fmt.Errorf("retrytest: choice %d, generation info %s: %w", i, key, err)
			}
			if own.Info == nil {
				own.Info = map[string]any{}
			}
			own.Info[key] = v
		}
		s.value(own.Info)
		w.Choices = append(w.Choices, own)
	}
	return w, nil
}

// response is the reverse of responseOf.
func (w *wireResponse) response() (*llms.ContentResponse, error) {
	if w == nil {
		return nil, nil
	}
	r := &llms.ContentResponse{}
	if w.Choices != nil {
		r.Choices = []*llms.ContentChoice{}
	}
	for _, c := range w.Choices {
		if c == nil {
			r.Choices = append(r.Choices, nil)
			continue
		}
		own := &llms.ContentChoice{Content: string(c.Content), StopReason: c.Stop, ReasoningContent: string(c.Reasoning)}
		for _, call := range c.ToolCalls {
			if call == nil {
				return nil, errors.New("a tool call is null")
			}
			own.ToolCalls = append(own.ToolCalls, call.call())
		}
		if c.FuncCall != nil {
			own.FuncCall = &llms.FunctionCall{Name: c.FuncCall.Name, Arguments: string(c.FuncCall.Arguments)}
		}
		for key, value := range c.Info {
			v, err := decodeAny(value)
			if err != nil {
				return nil, fmt.Errorf("generation info %s: %w", key, err)
			}
			if own.GenerationInfo == nil {
				own.GenerationInfo = map[string]any{}
			}
			own.GenerationInfo[key] = v
		}
		r.Choices = append(r.Choices, own)
	}
	return r, nil
}

// readRecording reads a whole recording.
func readRecording(r io.Reader) ([]wireExchange, error) {
	limited := &io.LimitedReader{R: r, N: maxRecording + 1}
	lines := bufio.NewScanner(limited)
	lines.Buffer(nil, maxLine)
	if !lines.Scan() || lines.Text() != heading {
		if err := lines.Err(); err != nil {
			return nil, err
		}
		return nil, errors.New("not a recording: the first line is another")
	}
	var list []wireExchange
	for n := 2; lines.Scan(); n++ {
		if len(list) == maxExchanges {
			return nil, fmt.Errorf("more than %d exchanges", maxExchanges)
		}
		x, err := readExchange(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		list = append(list, x)
	}
	if limited.N == 0 {
		return nil, fmt.Errorf("longer than %d bytes", maxRecording)
	}
	return list, lines.Err()
}

func readExchange(line []byte) (wireExchange, error) {
	var x wireExchange
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(&x); err != nil {
		return x, fmt.Errorf("not an exchange: %v", err) // not wrapped: an EOF in it would be taken for one of a connection
	}
	if d.More() {
		return x, errors.New("not an exchange: something follows it")
	}
	for i, m := range x.Messages {
		for j, p := range m.Parts {
			if err := p.validate(0); err != nil {
				return x, fmt.Errorf("message %d, part %d: %w", i, j, err)
			}
		}
	}
	for i, c := range x.Chunks {
		if c.Thinks && !x.Thinking || !c.Thinks && !x.Stream {
			return x, fmt.Errorf("chunk %d has no stream function to go to", i)
		}
	}
	_, err := x.Response.response() // so that playing cannot fail
	return x, err
}
