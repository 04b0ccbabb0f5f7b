package llmretry

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/url"
	"syscall"

	"github.com/tmc/langchaingo/llms"
)

// Category says why err happened, for any error: one of this package's, one of langchaingo's clients, one of yours.
// The outermost error that has a category of its own decides; wrappers and the envelopes of HTTP libraries are looked
// through at any depth, and so is an [*AttemptsError], unless its call was stopped by its context: that is
// [CategoryCanceled]. In a join a context error wins. "" means that nothing is known about err, or that it is nil.
//
// It never looks for words or numbers inside a text. It is safe for concurrent use. (Semantics B2, B4, B7.)
func Category(err error) ErrorCategory { return categorize(err, maxNodes) }

// DefaultClassifier is the [Classifier] used without [WithClassifier]: it retries what is transient by nature, which
// is provider_unavailable, provider_rate_limit, provider_model_not_loaded, attempt_timeout and empty_response. An
// [*AttemptsError] of a decorator below counts by its Err, one level deep. It does not look at the State, and is safe
// for concurrent use. (Semantics B1, B3, B4.)
func DefaultClassifier(err error, _ State) bool {
	switch categorize(err, 1) {
	case CategoryUnavailable, CategoryRateLimit, CategoryModelNotLoaded, CategoryAttemptTimeout:
		return true
	case CategoryEmptyResponse:
		// Through langchaingo a lost HTTP error, a refusal and a cut stream all look like an empty success.
		return true
	}
	return false
}

// categorize is Category with a limit on how many AttemptsErrors are read through.
func categorize(err error, carriers int) (found ErrorCategory) {
	var fallback ErrorCategory // of an envelope with nothing known inside
	defer func() {
		// A method of a foreign error panicked. A failure must not become a crash because nobody can classify it.
		if recover() != nil && found == "" {
			found = fallback
		}
	}()
	walk(err, maxNodes, func(err, parent error, leaf bool) step {
		if e, ok := err.(*AttemptsError); ok {
			if carriers == 0 {
				return skip
			}
			if !e.fromBuilder && endedByContext(e.Stop) {
				found = CategoryCanceled
				return stop
			}
			if carriers < maxNodes { // counted per branch of a join
				inner := categorize(e.Err, carriers-1)
				if found == "" || inner == CategoryCanceled {
					found = inner
				}
				return skip
			}
			return descend
		}
		category, envelope := nodeCategory(err, parent, leaf)
		switch {
		case category == CategoryCanceled: // wins in a join
			found = category
			return stop
		case category != "" && envelope:
			fallback = category
			return descend
		case category != "":
			if found == "" {
				found = category
			}
			return skip
		}
		return descend
	})
	if found == "" {
		found = fallback
	}
	return found
}

// endOfJSON is what encoding/json says of a text that ends too early.
const endOfJSON = "unexpected end of JSON input"

// endedByContext reports whether the Stop of a call says that its context ended it.
func endedByContext(err error) (ended bool) {
	walk(err, maxStop, func(err, _ error, _ bool) step {
		if _, ok := err.(*AttemptsError); ok { // of another call, and perhaps of this one again
			return skip
		}
		if err == context.Canceled || err == context.DeadlineExceeded {
			ended = true
			return stop
		}
		return descend
	})
	return ended
}

// nodeCategory returns the category err has by itself, "" for none. An envelope's holds only if nothing inside has one.
func nodeCategory(err, parent error, leaf bool) (category ErrorCategory, envelope bool) {
	// Identity, not errors.Is: the timeouts of net and net/http claim to be context.DeadlineExceeded, and they are
	// connection failures.
	switch err {
	case context.Canceled, context.DeadlineExceeded:
		return CategoryCanceled, false
	case ErrAttemptTimeout:
		return CategoryAttemptTimeout, false
	case ErrStructuredOutputInvalid:
		return CategoryStructuredOutputInvalid, false
	case errEmptyResponse:
		return CategoryEmptyResponse, false
	case io.EOF, io.ErrUnexpectedEOF:
		// The connection ended before or within the answer.
		return CategoryUnavailable, false
	case bufio.ErrTooLong:
		// A line of a stream that the client cannot hold; it will be as long the next time.
		return CategoryInvalidResponse, false
	}
	switch e := err.(type) {
	case *ProviderError:
		if e.Category != "" {
			return e.Category, false
		}
	case *StructuredOutputError:
		return e.ownCategory(), false
	case *ExhaustedError:
		return CategoryStructuredOutputInvalid, false
	case *PanicError:
		return CategoryPanic, false
	case *llms.Error:
		if category := llmsCategory(err); category != "" {
			return category, false
		}
	case *json.SyntaxError:
		if e.Error() == endOfJSON { // clients that read first and decode then: the answer ended too early, or was empty
			return CategoryUnavailable, false
		}
		return CategoryInvalidResponse, false
	case *json.UnmarshalTypeError:
		// A 200 whose body is no answer: a gateway's page, another API. Decoding of failed exchanges is recognised by
		// their status before it comes to this.
		return CategoryInvalidResponse, false
	case *url.Error:
		if e.Op == "parse" { // the base URL
			return CategoryInvalidRequest, false
		}
	case syscall.Errno:
		if connectionErrno(e) {
			return CategoryUnavailable, false
		}
		return "", false // it implements net.Error, but may be about a file
	}
	if status := nodeStatus(err); status != 0 {
		if category := statusCategory(err, status); category != "" {
			return category, false
		}
	}
	if _, ok := err.(net.Error); ok {
		// Whatever it is in detail, the connection failed. url.Error and net.OpError are envelopes of this kind; what
		// they hold may know better.
		return CategoryUnavailable, !leaf
	}
	if leaf {
		return leafCategory(err, parent), false
	}
	return "", false
}

// leafCategory is for the error at the end of a chain, which has nothing but its text.
func leafCategory(err, parent error) ErrorCategory {
	r := readText(leafText(err, parent))
	if r.status == 0 {
		return r.category
	}
	category := categoryOfStatus(r.status, r.message)
	if category == CategoryQuotaExceeded {
		if _, known := retryAfterOf(err); known {
			return CategoryRateLimit
		}
	}
	return category
}

// connectionErrno reports whether e is one of a connection.
func connectionErrno(e syscall.Errno) bool {
	switch e {
	case syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE, syscall.ETIMEDOUT,
		syscall.EHOSTUNREACH, syscall.ENETUNREACH, syscall.ENETDOWN, syscall.ENETRESET, syscall.EADDRNOTAVAIL:
		return true
	}
	return false
}

// llmsCategory maps the code of langchaingo's own error, which models of yours may return; none of its clients does.
// llms.ErrorMapper is no source: it looks for digits anywhere in a text.
func llmsCategory(err error) ErrorCategory {
	e, ok := err.(*llms.Error)
	if !ok {
		return ""
	}
	switch e.Code {
	case llms.ErrCodeAuthentication:
		return CategoryAuthentication
	case llms.ErrCodeRateLimit:
		return CategoryRateLimit
	case llms.ErrCodeInvalidRequest, llms.ErrCodeNotImplemented:
		return CategoryInvalidRequest
	case llms.ErrCodeResourceNotFound:
		return CategoryInvalidModel
	case llms.ErrCodeTimeout, llms.ErrCodeProviderUnavailable:
		return CategoryUnavailable
	case llms.ErrCodeCanceled:
		return CategoryCanceled
	case llms.ErrCodeQuotaExceeded:
		return CategoryQuotaExceeded
	case llms.ErrCodeContentFilter:
		return CategoryContentFiltered
	case llms.ErrCodeTokenLimit:
		return CategoryContextTooLong
	}
	return "" // unknown, or not langchaingo's: its cause may tell more
}
