package adapters_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"go.opentelemetry.io/otel/metric/noop"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/otelretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

// played is everything a call did. The checks read it and nothing else, so that they can be run again on expectations
// that were tampered with.
type played struct {
	model       string // the name the client was made with
	answers     []mockResponse
	reference   recordedRequest // what the undecorated client sends
	requests    []recordedRequest
	corrections []correction // of the builder, in order
	response    *llms.ContentResponse
	value       any
	hasValue    bool
	err         error
	report      *llmretry.Report // of the outermost decorator
	attempts    []llmretry.Attempt
	spans       []recordedSpan // of the attempts that reached the provider
	before      state
	after       state
	elapsed     time.Duration // on the bubble's clock, which moves in waits only
}

type correction struct {
	failure llmretry.Failure
	text    string
}

// inputs are what the call is made of: the caller's own memory, which must stay as it was. (Semantics D7, E7.)
type inputs struct {
	messages []llms.MessageContent
	options  []llms.CallOption
	schedule [][]llms.CallOption
}

func (c *fixtureCall) inputs() (in inputs, err error) {
	if in.messages, err = lowerAll(c.Messages); err != nil {
		return in, err
	}
	if in.options, err = c.Config.options(); err != nil {
		return in, err
	}
	if c.Tools != nil {
		var tools []llms.Tool
		for _, t := range c.Tools {
			tools = append(tools, t.lower())
		}
		in.options = append(in.options, llms.WithTools(tools))
	}
	if c.Retry != nil {
		for _, entry := range c.Retry.PerAttemptOverride {
			set, err := entry.options()
			if err != nil {
				return in, err
			}
			in.schedule = append(in.schedule, set)
		}
	}
	return in, nil
}

// state is a copy of everything behind inputs.
type state struct {
	Messages []llms.MessageContent // with what is behind their end
	Options  llms.CallOptions
	Schedule []llms.CallOptions
}

func (in inputs) state() state {
	s := state{Messages: whole(in.messages), Options: resolved(in.options)}
	for _, entry := range in.schedule {
		s.Schedule = append(s.Schedule, resolved(entry))
	}
	return s
}

// resolved are the options in effect; the metadata is a deep copy, since the map itself is what could be written to.
func resolved(options []llms.CallOption) llms.CallOptions {
	var o llms.CallOptions
	for _, opt := range options {
		opt(&o)
	}
	if o.Metadata != nil {
		copied, _ := plain(o.Metadata)
		o.Metadata, _ = copied.(map[string]any)
	}
	return o
}

// modelName is what the case's provider answers as.
func (f *fixture) modelName() string {
	for _, r := range f.MockProvider.Responses {
		if body, ok := r.Body.(map[string]any); ok {
			if name, ok := body["model"].(string); ok && name != "" {
				return name
			}
		}
	}
	return "gpt-test"
}

// play makes one call through langchaingo's openai client and keeps what came of it. It runs in a bubble, so that a
// backoff costs no time.
func play(t *testing.T, f *fixture, c *fixtureCall, server *recordingServer, v variant) *played {
	t.Helper()
	p := &played{model: f.modelName(), answers: f.MockProvider.Responses}
	in, err := c.inputs()
	require.NoError(t, err)
	p.reference = referenceOf(t, f, in, v)

	sent := len(server.since(0))
	p.answers = p.answers[min(sent, len(p.answers)):]
	p.before = in.state()
	synctest.Test(t, func(t *testing.T) {
		client, closeClient := v.open(t, server.url, p.model, v.transport)
		defer closeClient()
		p.call(t, c, client, v, in)
	})
	p.after = in.state()
	p.requests = server.since(sent)
	p.attempts = leaves(p.report)
	return p
}

func (p *played) call(t *testing.T, c *fixtureCall, client llms.Model, v variant, in inputs) {
	t.Helper()
	typed := v.typed && c.typed()
	parser, err := c.parser()
	require.NoError(t, err)
	opts, err := c.Retry.options(in.schedule, p.recording)
	require.NoError(t, err)
	spans := tracetest.NewInMemoryExporter()
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
	observer, err := otelretry.New(otelretry.WithTracerProvider(tracers), otelretry.WithMeterProvider(noop.NewMeterProvider()))
	require.NoError(t, err)
	opts = append(opts, llmretry.WithModelName(p.model), llmretry.WithObserver(observer))
	if parser != nil && !typed {
		opts = append(opts, llmretry.WithParser(parser))
	}
	model, err := llmretry.New(client, opts...)
	require.NoError(t, err)
	if c.RetryMiddleware != nil {
		opts, err := c.RetryMiddleware.options()
		require.NoError(t, err)
		model, err = llmretry.New(model, opts...)
		require.NoError(t, err)
	}
	ctx, caller := tracers.Tracer("test").Start(t.Context(), callerSpan)
	ctx, reports := llmretry.CaptureReports(ctx)
	start := time.Now()
	if typed {
		var result llmretry.Result[any]
		result, p.err = llmretry.Generate(ctx, model, parser, in.messages, in.options...)
		p.response, p.value, p.hasValue = result.Response, result.Value, p.err == nil
		if errors.Is(p.err, llmretry.ErrToolCalls) { // F3: no failure of the call, but there is no value
			p.err = nil
		}
	} else {
		p.response, p.err = model.GenerateContent(ctx, in.messages, in.options...)
		p.value, p.hasValue = parsed(parser, p)
	}
	p.elapsed = time.Since(start)
	caller.End()
	p.spans = recordedSpans(spans.GetSpans())
	require.Len(t, reports(), 1)
	p.report = reports()[0]
}

// parsed is the value of an accepted text; WithParser does not hand it over.
func parsed(parser *outputparser.JSONParser[any], p *played) (any, bool) {
	if parser == nil || p.err != nil || len(p.response.Choices[0].ToolCalls) > 0 {
		return nil, false
	}
	v, err := parser.Parse(p.response.Choices[0].Content)
	return v, err == nil
}

// recording keeps what the builder was asked and what it said.
func (p *played) recording(b llmretry.Builder) llmretry.Builder {
	return func(ctx context.Context, f llmretry.Failure) (string, error) {
		text, err := b(ctx, f)
		p.corrections = append(p.corrections, correction{f, text})
		return text, err
	}
}

// referenceOf is what the client sends for the call without any decorator.
func referenceOf(t *testing.T, f *fixture, in inputs, v variant) recordedRequest {
	t.Helper()
	server := v.server(t, f.MockProvider.Responses)
	client, closeClient := v.open(t, server.url, f.modelName(), false)
	defer closeClient()
	_, _ = client.GenerateContent(t.Context(), in.messages, in.options...) // the answer is of no interest here
	require.Len(t, server.since(0), 1)
	return server.since(0)[0]
}

// leaves are the attempts that reached the provider: those of the innermost decorators.
func leaves(r *llmretry.Report) []llmretry.Attempt {
	var list []llmretry.Attempt
	for _, a := range r.Attempts {
		if len(a.Nested) == 0 {
			list = append(list, a)
		}
		for _, n := range a.Nested {
			list = append(list, leaves(n)...)
		}
	}
	return list
}
