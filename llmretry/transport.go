package llmretry

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// Transport is an http.RoundTripper that tells the decorator above what the clients of langchaingo leave out of their
// errors: the HTTP status, Retry-After, and the true cause of a connection failure. Give it to the model's client:
//
//	openai.New(openai.WithHTTPClient(&http.Client{Transport: llmretry.NewTransport(nil)}))
//
// It changes no request and reads no body; it sees when the client's reading of one fails, since several clients take
// half an answer for a whole one. The zero value uses http.DefaultTransport. It is safe for concurrent use when its base
// is. (Semantics B7, C3.)
type Transport struct{ base http.RoundTripper }

var _ http.RoundTripper = (*Transport)(nil)

// NewTransport returns a Transport on top of base; nil is http.DefaultTransport.
func NewTransport(base http.RoundTripper) *Transport { return &Transport{base} }

// unslotted counts the round trips that no attempt was waiting for. A first attempt carries no slot until a decorator
// has reason to believe that a Transport is below it; this is the reason.
var unslotted atomic.Uint64

// RoundTrip passes the request to the base and leaves what came of it with the attempt the request's context belongs
// to. Of several round trips in one attempt (redirects, a client's own retries) the last one stands.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	s := slotFrom(r.Context())
	if s == nil {
		unslotted.Add(1)
		return t.next().RoundTrip(r)
	}
	response, err := t.next().RoundTrip(r)
	ex := exchangeOf(response, err)
	s.put(ex)
	if ex.err == nil && ex.status >= http.StatusOK && ex.status < http.StatusBadRequest && response.Body != nil {
		response.Body = &watchedBody{ReadCloser: response.Body, slot: s, exchange: ex}
	}
	return response, err
}

// watchedBody is the body of a successful response. It leaves with the attempt why the reading of it failed.
type watchedBody struct {
	io.ReadCloser
	slot     *slot
	exchange *exchange
	closed   atomic.Bool
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF && !b.closed.Load() { // reading on after Close is the client's affair
		b.slot.last.CompareAndSwap(b.exchange, &exchange{status: b.exchange.status, err: err})
	}
	return n, err
}

func (b *watchedBody) Close() error {
	b.closed.Store(true)
	return b.ReadCloser.Close()
}

// CloseIdleConnections does what the base's method of this name does, so that http.Client.CloseIdleConnections works
// through a Transport.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.next().(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

func (t *Transport) next() http.RoundTripper {
	if t.base == nil {
		return http.DefaultTransport
	}
	return t.base
}

// exchange is what one HTTP exchange told. It is immutable once put into a slot.
type exchange struct {
	status        int // 0 when there was no response
	retryAfter    time.Duration
	hasRetryAfter bool
	explicit      bool  // ... in so many words, and not by the reset of a limit, which accounts without credit have too
	err           error // the transport's own, when there was no response or it broke off
}

// exchangeOK is the exchange of almost every attempt, made once.
var exchangeOK = &exchange{status: http.StatusOK}

// exchangeOf reads the status, and the headers of a failure. The body is the client's.
func exchangeOf(response *http.Response, err error) *exchange {
	switch {
	case err != nil:
		return &exchange{err: err}
	case response == nil: // a broken base; http.Client makes an error of it
		return &exchange{}
	case response.StatusCode == http.StatusOK:
		return exchangeOK
	case response.StatusCode < http.StatusBadRequest:
		return &exchange{status: response.StatusCode}
	}
	e := &exchange{status: response.StatusCode}
	e.retryAfter, e.hasRetryAfter = parseRetryAfter(response.Header, response.StatusCode, time.Now())
	e.explicit = e.hasRetryAfter && (response.Header.Get("Retry-After") != "" || response.Header.Get("Retry-After-Ms") != "")
	return e
}

// slot holds the last exchange of one attempt. It is safe for concurrent use: an abandoned attempt may still be
// writing when the loop reads. The zero value holds none.
type slot struct {
	last  atomic.Pointer[exchange]
	above *slot // of the decorator above, whose attempt this one is a part of; nil = none
}

// put takes note of an exchange, for the decorators above too: one below that makes a single attempt hands its error
// on as it is, without what the exchange told.
func (s *slot) put(e *exchange) {
	for ; s != nil; s = s.above {
		s.last.Store(e)
	}
}

// get returns the last exchange, nil when none went through a Transport.
func (s *slot) get() *exchange { return s.last.Load() }

// annotate returns err as the loop should see it: err itself when the exchange tells nothing that err does not tell,
// else a *ProviderError around it. err must not be nil, and its attempt's context must have been found alive: a
// transport that was cancelled under a live context is unavailable. (Semantics A3, B7.)
func annotate(err error, ex *exchange) error {
	if ex == nil {
		return err
	}
	category, settled := typedCategory(err)
	switch {
	case settled:
		// A whole finished call or a verdict of ours is not about this exchange.
		return err
	case ex.err != nil:
		return annotateTransport(err, ex.err, category)
	case ex.status >= http.StatusBadRequest:
		return annotateStatus(err, ex, category)
	}
	return err
}

func annotateTransport(err, cause error, category ErrorCategory) error {
	reached := reaches(err, cause)
	if category == "" {
		category = CategoryUnavailable
	}
	if reached && Category(err) == category {
		return err
	}
	if !reached {
		err = &hiddenCause{err, cause}
	}
	return &ProviderError{Category: category, Err: err}
}

func annotateStatus(err error, ex *exchange, category ErrorCategory) error {
	demand, demanded := retryAfterOf(err)
	if category == "" {
		category = categoryOfStatus(ex.status, messageOf(err))
		if category == CategoryQuotaExceeded && (ex.explicit || demanded) {
			category = CategoryRateLimit
		}
	}
	told := !ex.hasRetryAfter || demanded || ex.retryAfter == 0
	if told && statusOf(err) == ex.status && Category(err) == category {
		return err
	}
	if ex.hasRetryAfter {
		demand = ex.retryAfter
	}
	return &ProviderError{Category: category, Status: ex.status, RetryAfter: demand, Err: err}
}

// alive returns err as it counts when its attempt's context was found alive: whoever was cancelled or ran out of time
// then, it was not the caller. A client's own deadline (google's call timeout) is one case. (Semantics B7.)
func alive(err error) error {
	if _, settled := typedCategory(err); settled || Category(err) != CategoryCanceled {
		return discreet(err)
	}
	return &ProviderError{Category: CategoryUnavailable, Status: statusOf(err), Err: err}
}

// discreet returns an error whose text has no secret in it: err itself, or a *ProviderError around one whose text has.
// Hooks, classifiers and reports print what they are given.
func discreet(err error) (shown error) {
	shown = err
	defer func() { _ = recover() }() // a foreign Error method
	if text := err.Error(); redact(text) != text {
		shown = &ProviderError{Category: Category(err), Status: statusOf(err), Err: err}
	}
	return shown
}

// hiddenFailure returns the error behind an empty response whose exchange failed: several clients drop the status and
// report an empty success. It is nil when the exchange was a success or is not known. (Semantics F8.)
func hiddenFailure(ex *exchange) error {
	switch {
	case ex == nil:
		return nil
	case ex.err != nil:
		return &ProviderError{Category: CategoryUnavailable, Err: &hiddenCause{errEmptyResponse, ex.err}}
	case ex.status >= http.StatusBadRequest:
		return &ProviderError{
			Category:   categoryOfStatus(ex.status, ""),
			Status:     ex.status,
			RetryAfter: ex.retryAfter,
			Err:        errEmptyResponse,
		}
	}
	return nil
}

// hiddenCause is a client's error together with the transport error it stands for and does not wrap.
type hiddenCause struct{ err, cause error }

func (e *hiddenCause) Error() string   { return e.err.Error() + ": " + redact(e.cause.Error()) }
func (e *hiddenCause) Unwrap() []error { return []error{e.err, e.cause} }

// typedCategory returns the category that a typed error of err's tree gives, leaving aside what statuses and texts
// say. settled means that nothing an exchange tells may change how err counts.
func typedCategory(err error) (category ErrorCategory, settled bool) {
	defer func() { _ = recover() }() // a foreign Unwrap
	walk(err, maxNodes, func(err, _ error, _ bool) step {
		switch e := err.(type) {
		case *AttemptsError, *StructuredOutputError, *PanicError:
			settled = true
			return stop
		case *ProviderError:
			category = e.Category
		default:
			if err == ErrAttemptTimeout {
				settled = true
				return stop
			}
			category = llmsCategory(err)
		}
		if category != "" {
			return stop
		}
		return descend
	})
	return category, settled
}

// reaches reports whether target is a node of err's tree. Unlike errors.Is it calls no foreign Is method and ends on a
// cycle.
func reaches(err, target error) (found bool) {
	defer func() { _ = recover() }() // == on an error that cannot be compared
	walk(err, maxNodes, func(err, _ error, _ bool) step {
		if err == target {
			found = true
			return stop
		}
		return descend
	})
	return found
}
