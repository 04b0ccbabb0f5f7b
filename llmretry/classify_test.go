package llmretry

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// decodeError returns the error of decoding text into a struct, as the clients do.
func decodeError(t testing.TB, text string) error {
	t.Helper()
	var v struct {
		Choices []struct{} `json:"choices"`
	}
	err := json.Unmarshal([]byte(text), &v)
	require.Error(t, err)
	return err
}

// refusedDial is a real refused connection inside the envelope net/http puts around it.
func refusedDial() error {
	return &url.Error{Op: "Post", URL: "http://127.0.0.1:1/v1", Err: &net.OpError{
		Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED),
	}}
}

// Semantics B2, B3, B4: the category of every kind of error, and whether it is transient by default.
func TestCategory(t *testing.T) {
	rateLimited := &ProviderError{Category: CategoryRateLimit, Status: 429, Err: errors.New("slow down")}
	refused := &StructuredOutputError{Failure: Failure{ErrorMessage: "no"}}
	tests := []struct {
		name      string
		err       error
		want      ErrorCategory
		transient bool
	}{
		{"nil", nil, "", false},
		{"unknown", errors.New("boom"), "", false},
		{"empty text", errors.New(""), "", false},

		{"canceled", context.Canceled, CategoryCanceled, false},
		{"deadline", fmt.Errorf("call: %w", context.DeadlineExceeded), CategoryCanceled, false},
		{"canceled in an envelope", &url.Error{Op: "Post", URL: "http://x", Err: context.Canceled}, CategoryCanceled, false},
		{"canceled dial", &net.OpError{Op: "dial", Err: context.Canceled}, CategoryCanceled, false},

		{"attempt timeout", fmt.Errorf("%w after 5s", ErrAttemptTimeout), CategoryAttemptTimeout, true},
		{"empty response", errEmptyResponse, CategoryEmptyResponse, true},
		{"refused output", refused, CategoryStructuredOutputInvalid, false},
		{"refused output by sentinel", fmt.Errorf("tool: %w", ErrStructuredOutputInvalid), CategoryStructuredOutputInvalid, false},
		{"truncated output", &StructuredOutputError{Failure{category: CategoryTruncated}}, CategoryTruncated, false},
		{"filtered output", &StructuredOutputError{Failure{category: CategoryContentFiltered}}, CategoryContentFiltered, false},
		{"panic", &PanicError{Value: io.EOF}, CategoryPanic, false},
		{"caller aborted", &ProviderError{Category: CategoryCallerAborted, Err: io.EOF}, CategoryCallerAborted, false},
		{"annotated", rateLimited, CategoryRateLimit, true},
		{"annotated by status only", &ProviderError{Status: 503, Err: errors.New("x")}, CategoryUnavailable, true},
		{"annotated with nothing", &ProviderError{Err: io.EOF}, CategoryUnavailable, true},

		{"refused connection", refusedDial(), CategoryUnavailable, true},
		{"reset connection", os.NewSyscallError("read", syscall.ECONNRESET), CategoryUnavailable, true},
		{"name server", &net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}, CategoryUnavailable, true},
		{"dial timeout claims to be a deadline", &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, CategoryUnavailable, true},
		{"closed connection", &net.OpError{Op: "read", Err: net.ErrClosed}, CategoryUnavailable, true},
		{"cut body", fmt.Errorf("parse response: %w", io.ErrUnexpectedEOF), CategoryUnavailable, true},
		{"no answer", &url.Error{Op: "Post", URL: "http://x", Err: io.EOF}, CategoryUnavailable, true},
		{"an envelope around something unknown", &url.Error{Op: "Post", URL: "http://x", Err: errors.New("tls: internal error")}, CategoryUnavailable, true},
		{"base URL without a scheme", &url.Error{Op: "Post", URL: "x", Err: errors.New(`unsupported protocol scheme ""`)}, CategoryInvalidRequest, false},
		{"base URL without a host", &url.Error{Op: "Post", URL: "x", Err: errors.New("http: no Host in request URL")}, CategoryInvalidRequest, false},
		{"base URL that is none", &url.Error{Op: "parse", URL: ":", Err: errors.New("missing protocol scheme")}, CategoryInvalidRequest, false},
		{"missing file", &fs.PathError{Op: "open", Path: "image.png", Err: syscall.ENOENT}, "", false},

		{"not JSON", decodeError(t, "<html>"), CategoryInvalidResponse, false},
		{"wrong JSON", fmt.Errorf("parse response: %w", decodeError(t, `{"choices":1}`)), CategoryInvalidResponse, false},
		{"line too long", fmt.Errorf("issue scanning response: %w", bufio.ErrTooLong), CategoryInvalidResponse, false},

		{"envelope around a category", &url.Error{Op: "Post", URL: "http://x", Err: llms.NewError(llms.ErrCodeAuthentication, "p", "m")}, CategoryAuthentication, false},
		{"own category over a transient cause", llms.NewError(llms.ErrCodeInvalidRequest, "p", "m").WithCause(io.EOF), CategoryInvalidRequest, false},
		{"own refusal over a transient cause", &StructuredOutputError{Failure: Failure{Err: io.EOF}}, CategoryStructuredOutputInvalid, false},

		{"join: the first that has one", errors.Join(errors.New("x"), rateLimited, io.EOF), CategoryRateLimit, true},
		{"join: the context wins", errors.Join(rateLimited, fmt.Errorf("stop: %w", context.Canceled)), CategoryCanceled, false},
		{"join: the context wins in a branch of a branch", fmt.Errorf("%w and %w", errors.Join(io.EOF, errors.Join(io.EOF, context.Canceled)), io.EOF), CategoryCanceled, false},
		{"join below a category is not looked at", &ProviderError{Category: CategoryUnavailable, Err: errors.Join(io.EOF, context.Canceled)}, CategoryUnavailable, true},
		{"join of nothing", errors.Join(errors.New("a"), errors.New("b")), "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, Category(tt.err))
			require.Equal(t, tt.transient, DefaultClassifier(tt.err, State{}))
			if tt.err != nil {
				wrapped := fmt.Errorf("chain: %w", errors.Join(fmt.Errorf("model: %w", tt.err)))
				require.Equal(t, tt.want, Category(wrapped), "wrappers are transparent")
			}
		})
	}
}

// Semantics B4: Category reads through carriers at any depth, the default classifier through one; a call that its
// context stopped is canceled.
func TestCategoryOfCarriers(t *testing.T) {
	carrier := func(err, stop error) error { return &AttemptsError{Err: err, Stop: stop} }
	down := &ProviderError{Category: CategoryUnavailable, Status: 503, Err: errors.New("down")}
	tests := []struct {
		name      string
		err       error
		want      ErrorCategory
		transient bool
	}{
		{"one level", carrier(down, nil), CategoryUnavailable, true},
		{"one level, stopped by a budget", carrier(down, ErrMaxAttempts), CategoryUnavailable, true},
		{"one level, wrapped on both sides", fmt.Errorf("a: %w", carrier(fmt.Errorf("b: %w", down), nil)), CategoryUnavailable, true},
		{"two levels", carrier(carrier(down, nil), nil), CategoryUnavailable, false},
		{"three levels", carrier(fmt.Errorf("x: %w", carrier(carrier(down, nil), nil)), nil), CategoryUnavailable, false},
		{"a carrier in an annotation counts by the annotation", &ProviderError{Category: CategoryAttemptTimeout, Err: carrier(carrier(down, nil), nil)}, CategoryAttemptTimeout, true},
		{"refusal below is final", carrier(&StructuredOutputError{}, ErrMaxAttempts), CategoryStructuredOutputInvalid, false},
		{"canceled", carrier(down, context.Canceled), CategoryCanceled, false},
		{"deadline", carrier(down, fmt.Errorf("wait: %w", context.DeadlineExceeded)), CategoryCanceled, false},
		{"cancel cause", carrier(down, &contextStop{context.Canceled, errors.New("shutdown")}), CategoryCanceled, false},
		{"canceled below a carrier", carrier(carrier(down, context.Canceled), nil), CategoryCanceled, false},
		{"nothing was called", carrier(nil, context.Canceled), CategoryCanceled, false},
		{"no call allowed", carrier(nil, ErrMaxModelCalls), "", false},
		{"a builder's network error is not the call's", carrier(&StructuredOutputError{}, io.EOF), CategoryStructuredOutputInvalid, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, Category(tt.err))
			require.Equal(t, tt.transient, DefaultClassifier(tt.err, State{}))
		})
	}
}

// Semantics B2: langchaingo's own error, which models of the caller's may return, keeps its code.
func TestCategoryOfLangchaingoErrors(t *testing.T) {
	for code, want := range map[llms.ErrorCode]ErrorCategory{
		llms.ErrCodeAuthentication:      CategoryAuthentication,
		llms.ErrCodeRateLimit:           CategoryRateLimit,
		llms.ErrCodeInvalidRequest:      CategoryInvalidRequest,
		llms.ErrCodeResourceNotFound:    CategoryInvalidModel,
		llms.ErrCodeTimeout:             CategoryUnavailable,
		llms.ErrCodeCanceled:            CategoryCanceled,
		llms.ErrCodeQuotaExceeded:       CategoryQuotaExceeded,
		llms.ErrCodeContentFilter:       CategoryContentFiltered,
		llms.ErrCodeTokenLimit:          CategoryContextTooLong,
		llms.ErrCodeProviderUnavailable: CategoryUnavailable,
		llms.ErrCodeNotImplemented:      CategoryInvalidRequest,
		llms.ErrCodeUnknown:             "",
		"of a later version":            "",
	} {
		require.Equal(t, want, Category(llms.NewError(code, "provider", "message")), code)
	}
	require.Equal(t, CategoryUnavailable, Category(llms.NewError(llms.ErrCodeUnknown, "p", "m").WithCause(io.EOF)))
}

// Semantics B3: exactly five categories are transient by default.
func TestDefaultClassifierIsB3(t *testing.T) {
	all := []ErrorCategory{
		CategoryAuthentication, CategoryUnavailable, CategoryInvalidModel, CategoryModelNotLoaded, CategoryRateLimit,
		CategoryInvalidResponse, CategoryInvalidRequest, CategoryUnsupportedContentBlock, CategoryQuotaExceeded,
		CategoryStructuredOutputInvalid, CategoryTruncated, CategoryContentFiltered, CategoryContextTooLong,
		CategoryEmptyResponse, CategoryCanceled, CategoryAttemptTimeout, CategoryPanic, CategoryCallerAborted,
	}
	var transient []ErrorCategory
	for _, c := range all {
		err := &ProviderError{Category: c, Err: io.EOF}
		require.Equal(t, c, Category(err))
		if DefaultClassifier(err, State{}) {
			transient = append(transient, c)
		}
	}
	require.Equal(t, []ErrorCategory{
		CategoryUnavailable, CategoryModelNotLoaded, CategoryRateLimit, CategoryEmptyResponse, CategoryAttemptTimeout,
	}, transient)
}

// Semantics B5: a classifier of the caller's can widen, narrow and ask the default; the state does not matter to it.
func TestDefaultClassifierComposes(t *testing.T) {
	var widened Classifier = func(err error, s State) bool {
		return s.Attempt < 2 && (Category(err) == CategoryInvalidResponse || DefaultClassifier(err, s))
	}
	require.True(t, widened(decodeError(t, "<html>"), State{}))
	require.False(t, widened(io.EOF, State{Attempt: 2}))
	require.Equal(t, DefaultClassifier(io.EOF, State{}), DefaultClassifier(io.EOF, State{Attempt: 9, Elapsed: 1 << 40}))
}

// Semantics B7: digits and words inside a text decide nothing. (hopeless-06 and others of its kind.)
func TestHostileTexts(t *testing.T) {
	for _, text := range []string{
		"503 rows failed", "503", "429", "429: ", "500 ms elapsed", "took 429ms", "project 123429 rejected after 500ms",
		"request req_503a failed", "status 503", "status code: 503", "HTTP 503", "error 429 Too Many Requests",
		"API returned unexpected status code: 5030", "API returned unexpected status code: 50", "API returned unexpected status code: 503x",
		"API returned unexpected status code: ", "(HTTP Error 503", "googleapi: Error 999: x", "unexpected status code: 000",
		"429 Rate Limited: no such phrase", "503 Service Unavailablety", "4290 Too Many Requests",
		"rate limit", "too many requests", "timeout", "service unavailable", "connection refused", "EOF", "overloaded",
		"context canceled", "context deadline exceeded", "empty response: or not", "model x not found", "an empty response",
		"the tool said: API returned unexpected status code: 503: x", "rpc error: code = Whatever desc = 503",
		"received error event: map[error:map[message:overloaded_error type:other] type:error]",
		"has error code, error_code:, erro_msg:, id:", "\x00503 Service Unavailable", " 503 Service Unavailable",
	} {
		require.Empty(t, Category(errors.New(text)), text)
		require.Zero(t, statusOf(errors.New(text)), text)
		require.False(t, DefaultClassifier(errors.New(text), State{}), text)

		// Behind a real 400 it stays what the status says.
		require.Equal(t, CategoryInvalidRequest, Category(errors.New("API returned unexpected status code: 400: "+text)), text)
	}
}

// Semantics B7, ctx-06: a provider's own talk of cancelling is its failure.
func TestProviderCanceledTextIsUnavailable(t *testing.T) {
	for _, text := range []string{
		"API returned unexpected status code: 499: context canceled by upstream",
		"request cancelled",
		"rpc error: code = Canceled desc = context canceled",
	} {
		require.Equal(t, CategoryUnavailable, Category(errors.New(text)), text)
	}
}

type panicky struct{}

func (panicky) Error() string { panic("Error") }

type panickyWrapper struct{ error }

func (panickyWrapper) Unwrap() error { panic("Unwrap") }

type panickyStatus struct{ error }

func (panickyStatus) HTTPStatusCode() int { panic("HTTPStatusCode") }

// uncomparable is an error whose == would panic.
type uncomparable []error

func (u uncomparable) Error() string   { return "uncomparable" }
func (u uncomparable) Unwrap() []error { return u }

// Semantics B4: no error value can make the classification crash. A nil pointer in an error is one like any other.
func TestCategorySurvivesBrokenErrors(t *testing.T) {
	for _, err := range []error{
		panicky{}, panickyWrapper{io.EOF}, panickyStatus{io.EOF}, (*ProviderError)(nil), (*StructuredOutputError)(nil),
		(*AttemptsError)(nil), (*PanicError)(nil), (*llms.Error)(nil), (*url.Error)(nil), (*net.OpError)(nil),
		(*fs.PathError)(nil), &url.Error{}, &AttemptsError{}, &ProviderError{}, &PanicError{}, uncomparable{nil, nil},
		(*googleError)(nil), (*awsResponseError)(nil), &awsResponseError{}, &awsResponseError{smithyResponseError: &smithyResponseError{}},
	} {
		name := fmt.Sprintf("%T", err)
		require.NotPanics(t, func() {
			Category(err)
			DefaultClassifier(err, State{})
			statusOf(err)
			retryAfterOf(err)
			providerMessage(err)
			annotate(err, &exchange{status: 503})
			annotate(err, &exchange{err: uncomparable{io.EOF}})
		}, name)
	}
	require.Equal(t, CategoryUnavailable, Category(uncomparable{nil, uncomparable{io.EOF}}))
	require.Equal(t, CategoryUnavailable, Category(&url.Error{Op: "Post", Err: panicky{}}), "what was known before the panic stands")
}

// Semantics B7: a text of any size is looked at from its beginning only.
func TestHugeTexts(t *testing.T) {
	huge := strings.Repeat("API returned unexpected status code: 503: ", 1<<20)
	require.Equal(t, CategoryInvalidRequest, Category(errors.New("API returned unexpected status code: 400: "+huge)))
	require.Equal(t, CategoryRateLimit, Category(errors.New("unexpected status code: 429, body: {"+huge)))
}

func FuzzCategory(f *testing.F) {
	for i := range statusFormats {
		f.Add(statusFormats[i].before + "429" + statusFormats[i].after + `{"error":{"message":"x","code":"insufficient_quota"}}`)
	}
	for i := range localPatterns {
		f.Add(localPatterns[i].prefix + localPatterns[i].contains)
	}
	f.Add("429 Too Many Requests: slow")
	f.Add("has error code, error_code:18, erro_msg:x, id:y")
	f.Add("received error event: map[error:map[message:Overloaded type:overloaded_error] type:error]")
	f.Add("rpc error: code = ResourceExhausted desc = quota\nerror details: retry in 3s")
	f.Add(`unexpected status code: 429, body: {"error":"a\`)
	f.Fuzz(func(t *testing.T, text string) {
		err := errors.New(text)
		category, status := Category(err), statusOf(err)
		if status != 0 {
			require.Equal(t, status, validStatus(status))
			require.Equal(t, status >= 400, category != "", "a failed status has a category")
		}
		if d, ok := retryAfterOf(err); d < 0 || !ok && d != 0 {
			t.Errorf("retryAfterOf = %v, %v", d, ok)
		}
		require.Equal(t, category, Category(fmt.Errorf("wrapped: %w", err)))
		require.Equal(t, category == "" || !DefaultClassifier(err, State{}), !DefaultClassifier(&AttemptsError{Err: err}, State{}))

		// The same words inside something else say nothing.
		require.Empty(t, Category(errors.New("tool: "+text)))
		// Nor do they change a status.
		quoted := Category(errors.New("API returned unexpected status code: 500: " + text))
		require.Equal(t, CategoryUnavailable, quoted)
		_ = redact(text)
		_, _ = readBody(text, quotaPatterns.codes)
	})
}

var categorySink ErrorCategory

// Semantics B7: a transient failure is classified in under a microsecond.
func BenchmarkCategory(b *testing.B) {
	for _, bench := range []struct {
		name string
		err  error
	}{
		{"annotated", &ProviderError{Category: CategoryUnavailable, Status: 503, Err: errors.New("x")}},
		{"openai 503", errors.New("API returned unexpected status code: 503: The engine is currently overloaded, please try again later")},
		{"anthropic 529", fmt.Errorf("anthropic: failed to create message: %w", errors.New("API returned unexpected status code: 529: Overloaded"))},
		{"openai 429", errors.New("API returned unexpected status code: 429: Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s. Visit https://platform.openai.com/account/rate-limits to learn more.")},
		{"huggingface 503", fmt.Errorf("failed to run inference: %w", fmt.Errorf("%w: %d, body: %s", errors.New("unexpected status code"), 503, `{"error":"Model x/y is currently loading","estimated_time":20.0}`))},
		{"googleai 503", &apiError{err: &googleError{Code: 503, Message: "The model is overloaded."}, httpErr: &googleError{Code: 503}}},
		{"bedrock 429", bedrockError(429, "ThrottlingException", "Too many requests")},
		{"refused connection", refusedDial()},
		{"unknown text", errors.New("something that no client says and that is a bit longer than usual")},
		{"carrier", &AttemptsError{Err: &ProviderError{Category: CategoryUnavailable, Status: 503}}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				categorySink = Category(bench.err)
			}
		})
	}
}
