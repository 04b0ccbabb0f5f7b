package otelretry

import (
	"errors"
	"fmt"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Option configures [New] and [OutcomeCounter]. Of two that set the same, the last wins.
type Option func(*config)

type config struct {
	tracers  trace.TracerProvider
	meters   metric.MeterProvider
	provider func(model string) string
	payload  payload
	problems []error
}

// WithTracerProvider sets where spans go. The default is OpenTelemetry's global provider.
func WithTracerProvider(p trace.TracerProvider) Option {
	return func(c *config) {
		c.require(p != nil, "WithTracerProvider: nil")
		c.tracers = p
	}
}

// WithMeterProvider sets where metrics go. The default is OpenTelemetry's global provider.
func WithMeterProvider(p metric.MeterProvider) Option {
	return func(c *config) {
		c.require(p != nil, "WithMeterProvider: nil")
		c.meters = p
	}
}

// WithProvider tells gen_ai.provider.name by the name of a model, "" for a model without one: "openai", "anthropic",
// "aws.bedrock" and so on, as the conventions list them. langchaingo's models do not say whose they are, and an override
// may hand an attempt to another provider's; without this option, and where of returns "", the attribute is left out.
// It is called once for most models, from any goroutine.
func WithProvider(of func(model string) string) Option {
	return func(c *config) {
		c.require(of != nil, "WithProvider: nil")
		c.provider = of
	}
}

// WithPayload puts contents into spans: messages, output and the full texts of errors, each attribute at most max bytes
// long and never cut within a character. Metrics never have contents. By default there are none anywhere.
//
// redact gets every text whole, before it is cut, and returns what may be shown; nil = all of it. It is called from many
// goroutines. (Semantics H2.)
func WithPayload(max int, redact func(text string) string) Option {
	return func(c *config) {
		c.require(max > 0, fmt.Sprintf("WithPayload: at most %d bytes: want at least 1", max))
		c.payload = payload{max: max, redact: redact}
	}
}

func newConfig(opts []Option) (*config, error) {
	c := &config{tracers: otel.GetTracerProvider(), meters: otel.GetMeterProvider()}
	for i, opt := range opts {
		if opt == nil {
			c.require(false, fmt.Sprintf("option %d is nil", i))
			continue
		}
		opt(c)
	}
	if len(c.problems) > 0 {
		return nil, errors.Join(c.problems...)
	}
	return c, nil
}

// require records what is wrong with an option; New reports all of it together.
func (c *config) require(ok bool, problem string) {
	if !ok {
		c.problems = append(c.problems, fmt.Errorf("%w: otelretry: %s", llmretry.ErrInvalidOption, problem))
	}
}
