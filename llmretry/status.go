package llmretry

import (
	"net/http"
	"strings"
)

// statusOf returns the HTTP status of the exchange that err is about, 0 when it is not known. The outermost error that
// knows decides: by an HTTPStatusCode or HTTPCode method, by an exported field, at the end of the chain by the text of
// a known client. (Semantics B7.)
func statusOf(err error) (status int) {
	defer func() { _ = recover() }() // a foreign method; what was found until then stands
	walk(err, maxNodes, func(err, parent error, leaf bool) step {
		if status = nodeStatus(err); status == 0 && leaf {
			status = readText(leafText(err, parent)).status
		}
		if status != 0 {
			return stop
		}
		return descend
	})
	return status
}

// nodeStatus returns the status that err itself has, not looking at what it wraps.
func nodeStatus(err error) int {
	if e, ok := err.(*ProviderError); ok {
		return validStatus(e.Status)
	}
	if e, ok := err.(interface{ HTTPStatusCode() int }); ok {
		if status := validStatus(e.HTTPStatusCode()); status != 0 {
			return status
		}
	}
	if e, ok := err.(interface{ HTTPCode() int }); ok { // apierror's: -1 when the call was not HTTP
		if status := validStatus(e.HTTPCode()); status != 0 {
			return status
		}
	}
	s, v := shapeOf(err)
	if status := s.statusOf(v); status != 0 {
		return status
	}
	if e, ok := err.(interface{ ErrorCode() string }); ok {
		return awsStatus(e.ErrorCode())
	}
	return 0
}

// validStatus drops what is no HTTP status: fields named StatusCode may count something else.
func validStatus(status int) int {
	if status < 100 || status > 599 {
		return 0
	}
	return status
}

// awsStatus is for the exceptions in a bedrock event stream, whose own status was 200.
func awsStatus(code string) int {
	switch code {
	case "ThrottlingException":
		return http.StatusTooManyRequests
	case "ServiceUnavailableException":
		return http.StatusServiceUnavailable
	case "InternalServerException":
		return http.StatusInternalServerError
	case "ModelTimeoutException":
		return http.StatusRequestTimeout
	case "ValidationException":
		return http.StatusBadRequest
	}
	return 0
}

// messageOf returns what the provider said, without what its client put around it: a sentence, or the body as it came.
// Only the anchored patterns look at it.
func messageOf(err error) (message string) {
	defer func() { _ = recover() }() // a foreign Error method
	walk(err, maxNodes, func(err, parent error, leaf bool) step {
		s, v := shapeOf(err)
		if message = s.messageOf(v); message != "" {
			return stop
		}
		if e, ok := err.(interface{ ErrorMessage() string }); ok { // smithy's APIError
			message = e.ErrorMessage()
			return stop
		}
		if leaf {
			message = leafText(err, parent)
			if r := readText(message); r.status != 0 || r.message != "" {
				message = r.message
			}
			return stop
		}
		return descend
	})
	return message
}

// providerMessage is messageOf with the sentence taken out of a JSON body.
func providerMessage(err error) string {
	message := messageOf(err)
	if isBody(message) {
		message, _ = readBody(message, nil)
	}
	return message
}

// categoryOfStatus returns what a failed exchange means. text is the provider's own message or the body; it decides
// only where a status means two things, and only through the anchored patterns. "" for a status that is no failure.
// The caller turns quota_exceeded into rate_limit when the server said when to come back. (Semantics B7.)
func categoryOfStatus(status int, text string) ErrorCategory {
	switch {
	case status < 400 || status > 599:
		return ""

	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		// A key does not become valid by asking again.
		return CategoryAuthentication

	case status == http.StatusTooManyRequests:
		// Usually a pause helps. An account without credit stays without credit.
		if speaksOfQuota(text) {
			return CategoryQuotaExceeded
		}
		return CategoryRateLimit

	case status == http.StatusNotFound:
		// A model call names a model and little else. A path that is not there is a wrong base URL.
		if pathPatterns.match(text) {
			return CategoryInvalidRequest
		}
		return CategoryInvalidModel

	case status == http.StatusServiceUnavailable && loadingPatterns.match(text):
		// It answers once it is in memory; a category of its own because that takes minutes rather than seconds.
		return CategoryModelNotLoaded

	case status == http.StatusNotImplemented, status == http.StatusHTTPVersionNotSupported:
		// The server says that it will never do this.
		return CategoryInvalidRequest

	case status >= 500, // 529 is anthropic's overload, 520 to 527 are cloudflare's
		status == http.StatusRequestTimeout,
		status == http.StatusTooEarly,
		status == 499: // the provider's own side hung up; the caller's context is looked at before
		return CategoryUnavailable

	case contextPatterns.match(text):
		return CategoryContextTooLong

	case status == http.StatusBadRequest && modelPatterns.match(text):
		// mistral and others answer 400 to an unknown model.
		return CategoryInvalidModel
	}
	// 400, 413, 422 and all others: the same request gets the same answer.
	return CategoryInvalidRequest
}

// statusCategory is categoryOfStatus with the message of err, read only for the statuses whose meaning depends on it.
func statusCategory(err error, status int) ErrorCategory {
	text := ""
	if status == http.StatusServiceUnavailable || status >= 400 && status < 500 {
		text = messageOf(err)
	}
	category := categoryOfStatus(status, text)
	if category == CategoryQuotaExceeded {
		if _, known := retryAfterOf(err); known {
			return CategoryRateLimit
		}
	}
	return category
}

// leafText returns the text of the error at the end of a chain. Some clients wrap a sentinel and put the status or the
// code behind it: then it is the wrapper's text, which begins with the sentinel's.
func leafText(err, parent error) string {
	text := err.Error()
	switch text {
	case "unexpected status code", // huggingface
		"completion API returned unexpected status code", "get access_token API returned unexpected status code", // ernie
		"has error code",                                   // ernie
		"invalid content type", "unsupported content type": // anthropic
		if parent != nil {
			if outer := parent.Error(); strings.HasPrefix(strings.TrimPrefix(outer, "anthropic: "), text) {
				return outer
			}
		}
	case "protobuf error": // of every error of that library: the text is the wrapper's
		if parent != nil {
			return parent.Error()
		}
	}
	return text
}
