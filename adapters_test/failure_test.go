package adapters_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// failure is one way in which a provider fails, and what it is to the decorator when nothing about it is lost.
type failure struct {
	name     string
	category llmretry.ErrorCategory
	reply    func(d *dialect) func(*received) reply // nil: nobody listens
}

func always(r reply) func(*dialect) func(*received) reply {
	return func(*dialect) func(*received) reply { return func(*received) reply { return r } }
}

func failed(status int, message, retryAfter string) func(*dialect) func(*received) reply {
	return func(d *dialect) func(*received) reply {
		return func(*received) reply { return d.fails(status, message, retryAfter) }
	}
}

// failures are the columns of the classification table.
var failures = []failure{
	{"400", llmretry.CategoryInvalidRequest, failed(400, "the request is not valid", "")},
	{"401", llmretry.CategoryAuthentication, failed(401, "the key is not valid", "")},
	{"403", llmretry.CategoryAuthentication, failed(403, "the key may not do that", "")},
	{"404", llmretry.CategoryInvalidModel, failed(404, "there is no such model", "")},
	{"408", llmretry.CategoryUnavailable, failed(408, "it took too long", "")},
	{"413", llmretry.CategoryInvalidRequest, failed(413, "the request is too large", "")},
	{"422", llmretry.CategoryInvalidRequest, failed(422, "the request cannot be processed", "")},
	{"429", llmretry.CategoryRateLimit, failed(429, "Rate limit reached for requests", "7")},
	{"429 quota", llmretry.CategoryQuotaExceeded, failed(429, "You exceeded your current quota, please check your plan and billing details.", "")},
	{"500", llmretry.CategoryUnavailable, failed(500, "something broke", "")},
	{"502", llmretry.CategoryUnavailable, failed(502, "bad gateway", "")},
	{"503", llmretry.CategoryUnavailable, failed(503, "overloaded", "7")},
	{"504", llmretry.CategoryUnavailable, failed(504, "gateway timeout", "")},
	{"529", llmretry.CategoryUnavailable, failed(529, "overloaded", "")},
	{"refused", llmretry.CategoryUnavailable, nil},
	{"dropped", llmretry.CategoryUnavailable, always(reply{fault: drop})},
	{"cut", llmretry.CategoryUnavailable, func(d *dialect) func(*received) reply {
		return func(r *received) reply {
			body := d.full(r, answer{text: right, in: 11, out: 7})
			return reply{body: body[:len(body)/2], fault: cut}
		}
	}},
	{"no JSON", llmretry.CategoryInvalidResponse, always(reply{body: "<html><body>Welcome to nginx!</body></html>"})},
	{"empty body", llmretry.CategoryUnavailable, always(reply{})},
	{"no answer", llmretry.CategoryEmptyResponse, func(d *dialect) func(*received) reply {
		return func(r *received) reply { return reply{body: d.nothing(r)} }
	}},
}

// nothing is a well-formed body without an answer.
func (d *dialect) nothing(r *received) string {
	if strings.HasPrefix(d.empty, `{"candidates"`) {
		return geminiBody(r, d.empty)
	}
	return d.empty
}

func failureNamed(name string) failure {
	for _, f := range failures {
		if f.name == name {
			return f
		}
	}
	panic(name)
}

// classified is what the decorator made of a failure.
type classified struct {
	category llmretry.ErrorCategory
	retried  bool
	demand   time.Duration // of the server, 0 = not known
	requests int
	err      error // the call's
}

// String is a cell: the category, "*" when it is retried, the seconds the server asked for when they are known.
func (c classified) String() string {
	s := strings.TrimPrefix(string(c.category), "provider_")
	if s == "" {
		s = "?"
	}
	if c.retried {
		s += "*"
	}
	if c.demand > 0 {
		s += " " + strconv.FormatFloat(c.demand.Seconds(), 'g', -1, 64) + "s"
	}
	return s
}

// stand is a client that is opened once for many failures: opening some of them is slow.
type stand struct {
	d            *dialect
	transport    bool
	served, gone *rig
}

func (d *dialect) stand(transport bool) *stand { return &stand{d: d, transport: transport} }

// rig returns the client with a server that plays s, or for no script the client of one that is not there.
func (p *stand) rig(t testing.TB, s script) *rig {
	t.Helper()
	switch {
	case s == nil && p.gone == nil:
		p.gone = &rig{d: p.d, client: p.d.connect(t, refused, p.transport)}
	case s != nil && p.served == nil:
		p.served = newRig(t, p.d, p.transport, s)
	}
	if s == nil {
		return p.gone
	}
	p.served.restart(s)
	return p.served
}

// script plays the failure again and again; nil when there is nobody to play it.
func (f failure) script(d *dialect) script {
	if f.reply == nil {
		return nil
	}
	answer := f.reply(d)
	return func(_ int, got *received) reply { return answer(got) }
}

// observe makes a call that fails and looks at what the classifier is asked and answers. Of a demand of the server's
// any is too long, so it ends the call with the demand in the error, and no time passes.
func observe(t *testing.T, d *dialect, f failure, transport bool, opts ...llms.CallOption) classified {
	t.Helper()
	return d.stand(transport).rig(t, f.script(d)).observe(t, opts...)
}

func (r *rig) observe(t *testing.T, opts ...llms.CallOption) (c classified) {
	t.Helper()
	inBubble(t, func(t *testing.T) {
		m := r.wrap(t, byParser, llmretry.WithMaxAttempts(2), llmretry.WithMaxRetryAfter(0),
			llmretry.WithClassifier(func(err error, s llmretry.State) bool {
				c.category, c.retried = llmretry.Category(err), llmretry.DefaultClassifier(err, s)
				return c.retried
			}))
		_, c.err = m.GenerateContent(t.Context(), question, opts...)
		var p *llmretry.ProviderError
		if errors.Is(c.err, llmretry.ErrRetryAfter) && errors.As(c.err, &p) {
			c.demand = p.RetryAfter
		}
	})
	if r.loopback != nil {
		c.requests = len(r.received())
	}
	return c
}
