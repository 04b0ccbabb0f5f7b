package llmretry

// ErrorCategory names why a model call failed. The provider_... names are those of the OpenArmature proposals; the
// others are this module's own. The zero value "" means no category: no error, or one nothing is known about.
// (Semantics B2.)
type ErrorCategory string

// The categories. The comment of each says whether [DefaultClassifier] treats it as transient.
const (
	CategoryAuthentication          ErrorCategory = "provider_authentication"            // 401, 403; final
	CategoryUnavailable             ErrorCategory = "provider_unavailable"               // 408, 425, 499, most 5xx, connection failures; transient
	CategoryInvalidModel            ErrorCategory = "provider_invalid_model"             // 404 for a model; final
	CategoryModelNotLoaded          ErrorCategory = "provider_model_not_loaded"          // 503 while the model loads; transient
	CategoryRateLimit               ErrorCategory = "provider_rate_limit"                // 429; transient
	CategoryInvalidResponse         ErrorCategory = "provider_invalid_response"          // an undecodable body; final
	CategoryInvalidRequest          ErrorCategory = "provider_invalid_request"           // 400, 413, 422 and other 4xx; final
	CategoryUnsupportedContentBlock ErrorCategory = "provider_unsupported_content_block" // a message part the client cannot send; final
	CategoryQuotaExceeded           ErrorCategory = "provider_quota_exceeded"            // 429 about quota, billing or credit; final

	CategoryStructuredOutputInvalid ErrorCategory = "structured_output_invalid" // a parser or validator refused; reasked with a builder, else final
	CategoryTruncated               ErrorCategory = "truncated"                 // refused and cut at the token limit, with WithTruncationOverride
	CategoryContentFiltered         ErrorCategory = "content_filtered"          // filter or refusal; final
	CategoryContextTooLong          ErrorCategory = "context_too_long"          // the request outgrew the model's window; final
	CategoryEmptyResponse           ErrorCategory = "empty_response"            // nothing came back; transient
	CategoryCanceled                ErrorCategory = "canceled"                  // the caller's context ended; final
	CategoryAttemptTimeout          ErrorCategory = "attempt_timeout"           // WithAttemptTimeout; transient
	CategoryPanic                   ErrorCategory = "panic"                     // the model, a validator or a stream function panicked; final
	CategoryCallerAborted           ErrorCategory = "caller_aborted"            // the caller's stream function returned an error; final
)
