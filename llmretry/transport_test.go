package llmretry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"
	"go.uber.org/goleak"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// untouched is a body that must not be read.
type untouched struct{ t *testing.T }

func (b untouched) Read([]byte) (int, error) {
	b.t.Error("the transport read the body")
	return 0, io.EOF
}
func (b untouched) Close() error { b.t.Error("the transport closed the body"); return nil }

func slotted(ctx context.Context) (context.Context, *slot) {
	host := new(attemptContext)
	return derive(ctx, func(c *scope) { c.host = host }), &host.slot
}

// Semantics B7, C3: the transport reports status, Retry-After and its own error, and changes nothing.
func TestTransportRoundTrip(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		name     string
		response *http.Response
		err      error
		want     *exchange
	}{
		{"ok", &http.Response{StatusCode: 200}, nil, &exchange{status: 200}},
		{"ok with the usual limits", &http.Response{StatusCode: 200, Header: http.Header{"Retry-After": {"3"}}}, nil, &exchange{status: 200}},
		{"redirect", &http.Response{StatusCode: 307}, nil, &exchange{status: 307}},
		{"failure", &http.Response{StatusCode: 500}, nil, &exchange{status: 500}},
		{"limited", &http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {"7"}}}, nil, &exchange{status: 429, retryAfter: 7 * time.Second, hasRetryAfter: true, explicit: true}},
		{"at once", &http.Response{StatusCode: 503, Header: http.Header{"Retry-After": {"0"}}}, nil, &exchange{status: 503, hasRetryAfter: true, explicit: true}},
		{"limits", &http.Response{StatusCode: 429, Header: http.Header{"X-Ratelimit-Reset": {"2"}}}, nil, &exchange{status: 429, retryAfter: 2 * time.Second, hasRetryAfter: true}},
		{"no connection", nil, broken, &exchange{err: broken}},
		{"both", &http.Response{StatusCode: 500}, broken, &exchange{err: broken}},
		{"neither", nil, nil, &exchange{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.response != nil {
				tt.response.Body = untouched{t}
			}
			ctx, s := slotted(t.Context())
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://h/p?key=s", untouched{t})
			require.NoError(t, err)
			r.Header.Set("Authorization", "Bearer x")
			before := fmt.Sprintf("%+v", *r)
			counted := unslotted.Load()

			response, err := NewTransport(roundTripper(func(got *http.Request) (*http.Response, error) {
				require.Same(t, r, got, "the request goes on as it is")
				return tt.response, tt.err
			})).RoundTrip(r)
			require.Same(t, tt.response, response)
			require.Equal(t, tt.err, err)
			require.Equal(t, tt.want, s.get())
			require.Equal(t, before, fmt.Sprintf("%+v", *r))
			require.Equal(t, counted, unslotted.Load())
		})
	}
}

// Of several exchanges in one attempt the last one stands; one that no attempt waits for is counted.
func TestTransportSlots(t *testing.T) {
	statuses := []int{503, 429, 200}
	transport := NewTransport(roundTripper(func(*http.Request) (*http.Response, error) {
		status := statuses[0]
		statuses = statuses[1:]
		return &http.Response{StatusCode: status}, nil
	}))
	ctx, s := slotted(t.Context())
	require.Nil(t, s.get())
	for _, want := range []int{503, 429, 200} {
		_, err := transport.RoundTrip(httptest.NewRequest(http.MethodGet, "/", nil).WithContext(ctx))
		require.NoError(t, err)
		require.Equal(t, want, s.get().status)
	}
	counted := unslotted.Load()
	statuses = []int{503}
	_, err := transport.RoundTrip(httptest.NewRequest(http.MethodGet, "/", nil))
	require.NoError(t, err)
	require.Equal(t, counted+1, unslotted.Load())
	require.Equal(t, 200, s.get().status)
}

// Semantics J1: an abandoned attempt may write while the loop reads.
func TestSlotIsSafeForConcurrentUse(t *testing.T) {
	var s slot
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 1000 {
				s.put(&exchange{status: i, retryAfter: time.Duration(i)})
				e := s.get()
				if e == nil || int(e.retryAfter) != e.status {
					t.Error("torn exchange")
				}
			}
		})
	}
	wg.Wait()
}

type idler struct {
	http.RoundTripper
	closed atomic.Int32
}

func (i *idler) CloseIdleConnections() { i.closed.Add(1) }

func TestTransportClosesIdleConnections(t *testing.T) {
	base := &idler{}
	(&http.Client{Transport: NewTransport(base)}).CloseIdleConnections()
	require.EqualValues(t, 1, base.closed.Load())
	require.NotPanics(t, NewTransport(roundTripper(nil)).CloseIdleConnections)
	require.Same(t, http.DefaultTransport, new(Transport).next(), "the zero value is usable")
	require.Same(t, http.DefaultTransport, NewTransport(nil).next())
}

// Semantics A3, B7, C3: the error as the loop sees it. A nil want is the error itself.
func TestAnnotate(t *testing.T) {
	openaiText := func(status int, message string) error {
		return fmt.Errorf("API returned unexpected status code: %d: %s", status, message)
	}
	limited := &exchange{status: 429, retryAfter: 7 * time.Second, hasRetryAfter: true, explicit: true}
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	const quota = "You exceeded your current quota, please check your plan and billing details."
	tests := []struct {
		name string
		err  error
		ex   *exchange
		want *ProviderError
	}{
		{"no transport", openaiText(503, "x"), nil, nil},
		{"a success was exchanged", decodeError(t, "<"), &exchange{status: 200}, nil},
		{"nothing was exchanged", io.EOF, &exchange{}, nil},
		{"a redirect was", io.EOF, &exchange{status: 302}, nil},
		{"the text tells it all", openaiText(503, "x"), &exchange{status: 503}, nil},
		{"the text tells it all, no wait", openaiText(429, "x"), &exchange{status: 429, hasRetryAfter: true}, nil},
		{"the header tells it all", &googleError{Code: 429, Header: http.Header{"Retry-After": {"7"}}}, limited, nil},
		{"Retry-After is new", openaiText(429, "x"), limited, &ProviderError{Category: CategoryRateLimit, Status: 429, RetryAfter: 7 * time.Second}},
		{"the status is new: ollama", errors.New("model is busy"), &exchange{status: 503}, &ProviderError{Category: CategoryUnavailable, Status: 503}},
		{"the status is new: ollama's model", errors.New(`model "x" not found, try pulling it first`), &exchange{status: 404}, &ProviderError{Category: CategoryInvalidModel, Status: 404}},
		{"the status is new: cloudflare's body", errors.New(`error: {"errors":[]}`), &exchange{status: 400}, &ProviderError{Category: CategoryInvalidRequest, Status: 400}},
		{"cloudflare's quota", errors.New(`error: {"success":false,"errors":[{"code":4006,"message":"you have used up your daily free allocation of 10,000 neurons"}]}`), &exchange{status: 429}, &ProviderError{Category: CategoryQuotaExceeded, Status: 429}},
		{"the status says more than a decode error", decodeError(t, "<html>"), &exchange{status: 502}, &ProviderError{Category: CategoryUnavailable, Status: 502}},
		{"and more than an empty response", errors.New("empty response"), &exchange{status: 401}, &ProviderError{Category: CategoryAuthentication, Status: 401}},
		{"and more than a context error, whose context lives", context.Canceled, &exchange{status: 500}, &ProviderError{Category: CategoryUnavailable, Status: 500}},
		{"the message still counts", errors.New(`Loading model`), &exchange{status: 503}, &ProviderError{Category: CategoryModelNotLoaded, Status: 503}},
		{"quota", openaiText(429, quota), &exchange{status: 429}, nil},
		{"quota with Retry-After is a limit", openaiText(429, quota), limited, &ProviderError{Category: CategoryRateLimit, Status: 429, RetryAfter: 7 * time.Second}},
		{"quota with a Retry-After of nothing", openaiText(429, quota), &exchange{status: 429, hasRetryAfter: true, explicit: true}, &ProviderError{Category: CategoryRateLimit, Status: 429}},
		{"RetryInfo stays known", openaiText(429, quota+"\nPlease retry in 3s."), &exchange{status: 503}, &ProviderError{Category: CategoryUnavailable, Status: 503, RetryAfter: 3 * time.Second}},

		{"the model's own category stays", llms.NewError(llms.ErrCodeContentFilter, "p", "m"), limited, &ProviderError{Category: CategoryContentFiltered, Status: 429, RetryAfter: 7 * time.Second}},
		{"an annotation of the model's own gets the rest", &ProviderError{Category: CategoryUnavailable}, limited, &ProviderError{Category: CategoryUnavailable, Status: 429, RetryAfter: 7 * time.Second}},
		{"an annotation that says it all", &ProviderError{Category: CategoryRateLimit, Status: 429, RetryAfter: time.Second}, limited, nil},
		{"a finished call", &AttemptsError{Err: openaiText(429, "x")}, limited, nil},
		{"a refusal", fmt.Errorf("x: %w", &StructuredOutputError{}), limited, nil},
		{"a panic", &PanicError{Value: 1}, limited, nil},
		{"an attempt timeout", fmt.Errorf("x: %w", ErrAttemptTimeout), &exchange{err: context.DeadlineExceeded}, nil},

		{"a hidden connection failure", errors.New("network error: failed to reach API server"), &exchange{err: refused}, &ProviderError{Category: CategoryUnavailable}},
		{"a connection failure that shows", fmt.Errorf("send request: %w", refused), &exchange{err: refused}, nil},
		{"a client's own cancellation", fmt.Errorf("send request: %w", context.Canceled), &exchange{err: context.Canceled}, &ProviderError{Category: CategoryUnavailable}},
		{"a client's own deadline, hidden", errors.New("request timeout: API call exceeded deadline"), &exchange{err: context.DeadlineExceeded}, &ProviderError{Category: CategoryUnavailable}},
		{"a connection failure under a category", llms.NewError(llms.ErrCodeAuthentication, "p", "m"), &exchange{err: refused}, &ProviderError{Category: CategoryAuthentication}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := annotate(tt.err, tt.ex)
			if tt.want == nil {
				require.True(t, got == tt.err, "%v", got)
				return
			}
			var annotated *ProviderError
			require.True(t, errors.As(got, &annotated) && error(annotated) == got, "%v", got)
			require.Equal(t, tt.want.Category, annotated.Category)
			require.Equal(t, tt.want.Status, annotated.Status)
			require.Equal(t, tt.want.RetryAfter, annotated.RetryAfter)
			require.True(t, reaches(got, tt.err), "the error itself stays reachable")
			if tt.ex.err != nil {
				require.ErrorIs(t, got, tt.ex.err)
			}
			require.Equal(t, tt.want.Category, Category(got))
			require.True(t, annotate(got, tt.ex) == got, "once is enough")
		})
	}
}

// Semantics B7: with a live context nobody cancelled but the provider's own side.
func TestAlive(t *testing.T) {
	for _, err := range []error{
		fmt.Errorf("call: %w", context.DeadlineExceeded), context.Canceled,
		llms.NewError(llms.ErrCodeCanceled, "p", "m"), &ProviderError{Category: CategoryCanceled, Status: 499},
	} {
		require.Equal(t, CategoryCanceled, Category(err))
		got := alive(err)
		require.Equal(t, CategoryUnavailable, Category(got))
		require.True(t, reaches(got, err))
		require.True(t, alive(got) == got)
	}
	for _, err := range []error{
		io.EOF, errors.New("x"), &ProviderError{Category: CategoryAuthentication, Err: context.Canceled},
		&AttemptsError{Err: io.EOF, Stop: context.Canceled}, // a call below was stopped; it is final as it is
	} {
		require.True(t, alive(err) == err, "%v", err)
	}
}

// A URL's key does not reach the text that this package makes of a transport's error.
func TestHiddenCauseText(t *testing.T) {
	cause := &net.OpError{Op: "proxyconnect", Err: errors.New("https://user:pass@proxy/?key=secret refused")}
	err := annotate(errors.New("network error: failed to reach API server"), &exchange{err: cause})
	require.Contains(t, err.Error(), "network error: failed to reach API server: proxyconnect")
	require.NotContains(t, err.Error(), "pass")
	require.NotContains(t, err.Error(), "secret")
	require.ErrorIs(t, err, cause)
}

// Semantics F8: an empty success whose exchange failed.
func TestHiddenFailure(t *testing.T) {
	require.NoError(t, hiddenFailure(nil))
	require.NoError(t, hiddenFailure(&exchange{}))
	require.NoError(t, hiddenFailure(exchangeOK))
	for status, want := range map[int]ErrorCategory{
		429: CategoryRateLimit, 503: CategoryUnavailable, 401: CategoryAuthentication, 404: CategoryInvalidModel, 400: CategoryInvalidRequest,
	} {
		err := hiddenFailure(&exchange{status: status, retryAfter: time.Second, hasRetryAfter: true})
		require.Equal(t, want, Category(err))
		require.Equal(t, status, statusOf(err))
		require.ErrorIs(t, err, errEmptyResponse)
		d, ok := retryAfterOf(err)
		require.True(t, ok)
		require.Equal(t, time.Second, d)
	}
	err := hiddenFailure(&exchange{err: syscall.ECONNRESET})
	require.Equal(t, CategoryUnavailable, Category(err))
	require.ErrorIs(t, err, syscall.ECONNRESET)
}

// wireClients are langchaingo's own clients, talking to url.
func wireClients(t *testing.T, url string, c *http.Client) map[string]llms.Model {
	t.Helper()
	o, err := openai.New(openai.WithToken("t"), openai.WithBaseURL(url), openai.WithHTTPClient(c))
	require.NoError(t, err)
	a, err := anthropic.New(anthropic.WithToken("t"), anthropic.WithBaseURL(url), anthropic.WithHTTPClient(c), anthropic.WithModel("m"))
	require.NoError(t, err)
	l, err := ollama.New(ollama.WithServerURL(url), ollama.WithHTTPClient(c), ollama.WithModel("m"))
	require.NoError(t, err)
	return map[string]llms.Model{"openai": o, "anthropic": a, "ollama": l}
}

func ask(ctx context.Context, m llms.Model) (*llms.ContentResponse, error) {
	return m.GenerateContent(ctx, []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "q")})
}

// Semantics B7, C3: the real clients' failures, without and with a Transport below them.
func TestRealClients(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	const unknown = ErrorCategory("")
	same := func(c ErrorCategory) map[string]ErrorCategory {
		return map[string]ErrorCategory{"openai": c, "anthropic": c, "ollama": unknown}
	}
	const openaiQuota = "You exceeded your current quota, please check your plan and billing details."
	tests := []struct {
		name       string
		status     int
		retryAfter string
		message    string
		plain      map[string]ErrorCategory // without a Transport
		want       ErrorCategory            // with one
	}{
		{"401", 401, "", "Incorrect API key provided", same(CategoryAuthentication), CategoryAuthentication},
		{"403", 403, "", "no", same(CategoryAuthentication), CategoryAuthentication},
		{"429", 429, "7", "Rate limit reached for m", same(CategoryRateLimit), CategoryRateLimit},
		{"429 quota", 429, "", openaiQuota, same(CategoryQuotaExceeded), CategoryQuotaExceeded},
		{"429 quota with Retry-After", 429, "7", openaiQuota, same(CategoryQuotaExceeded), CategoryRateLimit},
		{"404", 404, "", "The model `m` does not exist", same(CategoryInvalidModel), CategoryInvalidModel},
		{"503", 503, "", "overloaded", same(CategoryUnavailable), CategoryUnavailable},
		{"503 loading", 503, "", "Loading model", same(CategoryModelNotLoaded), CategoryModelNotLoaded},
		{"529", 529, "7", "Overloaded", same(CategoryUnavailable), CategoryUnavailable},
		{"501", 501, "", "no", same(CategoryInvalidRequest), CategoryInvalidRequest},
		{"400", 400, "", "project 123429 rejected after 500ms", same(CategoryInvalidRequest), CategoryInvalidRequest},
		{"400 too long", 400, "", "prompt is too long: 2 tokens > 1 maximum", same(CategoryContextTooLong), CategoryContextTooLong},
		{"413", 413, "", "no", same(CategoryInvalidRequest), CategoryInvalidRequest},
		{"499", 499, "", "context canceled by upstream", same(CategoryUnavailable), CategoryUnavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if tt.retryAfter != "" {
					w.Header().Set("Retry-After", tt.retryAfter)
				}
				w.WriteHeader(tt.status)
				if strings.HasPrefix(r.URL.Path, "/api/") { // ollama
					fmt.Fprintf(w, `{"error":%q}`, tt.message)
					return
				}
				fmt.Fprintf(w, `{"error":{"message":%q}}`, tt.message)
			}))
			defer server.Close()
			client := &http.Client{Transport: NewTransport(server.Client().Transport)}
			for name, model := range wireClients(t, server.URL, client) {
				ctx, s := slotted(t.Context())
				_, err := ask(ctx, model)
				require.Error(t, err, name)
				require.Equal(t, tt.plain[name], Category(err), "%s: %v", name, err)

				err = annotate(err, s.get())
				require.Equal(t, tt.want, Category(err), "%s: %v", name, err)
				require.Equal(t, tt.status, statusOf(err), name)
				d, ok := retryAfterOf(err)
				require.Equal(t, tt.retryAfter == "7", ok, name)
				if ok {
					require.Equal(t, 7*time.Second, d, name)
				}
			}
		})
	}
}

// Semantics B7: no connection, no answer, a cut answer, an answer that is none, an empty one.
func TestRealClientsWithoutAnAnswer(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	type wants map[string]ErrorCategory
	all := func(c ErrorCategory) wants { return wants{"openai": c, "anthropic": c, "ollama": c} }
	hijack := func(w http.ResponseWriter, bytes string) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_, _ = io.WriteString(conn, bytes)
			_ = conn.Close()
		}
	}
	tests := []struct {
		name    string
		handler http.HandlerFunc // nil = nobody listens
		plain   wants
		want    wants
		is      error // reachable through the transport
	}{
		{"refused", nil, all(CategoryUnavailable), all(CategoryUnavailable), syscall.ECONNREFUSED},
		{"dropped", func(w http.ResponseWriter, _ *http.Request) { hijack(w, "") },
			all(CategoryUnavailable), all(CategoryUnavailable), io.EOF},
		{"cut", func(w http.ResponseWriter, _ *http.Request) {
			hijack(w, "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"model\":")
		},
			// ollama's client reads what came as a whole line and finds half a JSON in it; the Transport saw it break off.
			all(CategoryUnavailable), all(CategoryUnavailable), io.ErrUnexpectedEOF},
		{"web page", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
			all(CategoryInvalidResponse), all(CategoryInvalidResponse), nil},
		{"web page of a gateway", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502); _, _ = io.WriteString(w, "<html>") },
			wants{"openai": CategoryUnavailable, "anthropic": CategoryUnavailable, "ollama": CategoryInvalidResponse},
			all(CategoryUnavailable), nil},
		{"no choices", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"choices":[],"content":[],"done":true}`)
		},
			wants{"openai": CategoryEmptyResponse, "anthropic": CategoryEmptyResponse, "ollama": ""},
			wants{"openai": CategoryEmptyResponse, "anthropic": CategoryEmptyResponse, "ollama": ""}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(tt.handler)
			defer server.Close()
			if tt.handler == nil {
				server.Close()
			}
			base := server.Client().Transport
			client := &http.Client{Transport: NewTransport(base)}
			for name, model := range wireClients(t, server.URL, client) {
				ctx, s := slotted(t.Context())
				_, err := ask(ctx, model)
				if tt.plain[name] == "" {
					require.NoError(t, err, name)
					continue
				}
				require.Equal(t, tt.plain[name], Category(err), "%s: %v", name, err)
				err = annotate(err, s.get())
				require.Equal(t, tt.want[name], Category(err), "%s: %v", name, err)
				if tt.is != nil {
					require.ErrorIs(t, err, tt.is, name)
				}
			}
			client.CloseIdleConnections()
		})
	}
}

// Semantics F8: ollama's client makes an empty success of an empty 429.
func TestRealClientHidesAFailure(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer server.Close()
	model := wireClients(t, server.URL, &http.Client{Transport: NewTransport(server.Client().Transport)})["ollama"]
	ctx, s := slotted(t.Context())
	_, err := ask(ctx, model)
	require.NoError(t, err)
	hidden := hiddenFailure(s.get())
	require.Equal(t, CategoryRateLimit, Category(hidden))
	require.True(t, DefaultClassifier(hidden, State{}))
}

// Semantics B7, C6: openai's client hides the caller's cancellation; the transport knows it, the loop looks at the
// context first.
func TestRealClientCanceled(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	ctx, cancel := context.WithCancelCause(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server watch the connection
		cancel(errors.New("shutdown"))
		<-r.Context().Done()
	}))
	defer server.Close()
	slotCtx, s := slotted(ctx)
	_, err := ask(slotCtx, wireClients(t, server.URL, &http.Client{Transport: NewTransport(server.Client().Transport)})["openai"])
	require.Error(t, err)
	require.NotErrorIs(t, err, context.Canceled)
	require.Error(t, ctx.Err(), "this is what the loop asks")
	require.NotNil(t, s.get().err)
}

func BenchmarkAnnotate(b *testing.B) {
	err := errors.New("API returned unexpected status code: 429: Rate limit reached for gpt-4o in organization org-x")
	for name, ex := range map[string]*exchange{
		"same":       {status: 429},
		"retryafter": {status: 429, retryAfter: time.Second, hasRetryAfter: true},
		"ok":         {status: 200},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = annotate(err, ex)
			}
		})
	}
}
