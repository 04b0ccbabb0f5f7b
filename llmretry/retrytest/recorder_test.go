package retrytest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/llmretry/langchaingo-llmretry/internal/golden"
	"github.com/llmretry/langchaingo-llmretry/internal/loopback"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/retrytest"
)

func record(t testing.TB, m llms.Model, opts ...retrytest.RecordingOption) (*retrytest.Recorder, *bytes.Buffer) {
	t.Helper()
	var file bytes.Buffer
	r, err := retrytest.NewRecorder(m, &file, opts...)
	require.NoError(t, err)
	return r, &file
}

func play(t testing.TB, recording string, opts ...retrytest.RecordingOption) *retrytest.Player {
	t.Helper()
	p, err := retrytest.NewPlayer(strings.NewReader(recording), opts...)
	require.NoError(t, err)
	return p
}

// everything is a conversation with every part that a message can have.
func everything() []llms.MessageContent {
	return []llms.MessageContent{
		{Role: llms.ChatMessageTypeSystem, Parts: []llms.ContentPart{llms.WithCacheControl(llms.TextPart("be <brief> & \u2028 \xff"), &llms.CacheControl{Type: "ephemeral", Duration: time.Hour})}},
		{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{llms.TextPart(""), llms.ImageURLWithDetailPart("https://example.com/a.png", "low"), llms.BinaryPart("image/png", []byte{0, 1, 255})}},
		{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{llms.ToolCall{ID: "1", Type: "function", FunctionCall: &llms.FunctionCall{Name: "f", Arguments: "{"}}, llms.ToolCall{ID: "2"}}},
		{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{ToolCallID: "1", Name: "f", Content: "ok"}}},
		{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{llms.WithCacheControl(llms.TextPart("x"), nil)}},
		{Role: llms.ChatMessageTypeHuman},
	}
}

// Whatever a model can return comes back: bytes, types of numbers, nils.
func TestReplayIsExact(t *testing.T) {
	call := &llms.FunctionCall{Name: "f", Arguments: `{"a": 1}`}
	responses := []*llms.ContentResponse{
		nil,
		{},
		{Choices: []*llms.ContentChoice{}},
		{Choices: []*llms.ContentChoice{nil, {Content: "half a rune \xc3, <&>\u2028\x00", StopReason: "stop", ReasoningContent: "hm"}}},
		{Choices: []*llms.ContentChoice{{FuncCall: call, ToolCalls: []llms.ToolCall{{ID: "1", Type: "function", FunctionCall: call}, {ID: "2"}}}}},
		{Choices: []*llms.ContentChoice{{GenerationInfo: map[string]any{
			"PromptTokens": 12, "f": 3.0, "g": 0.1, "big": 1e300, "i32": int32(4), "u8": uint8(5), "f32": float32(0.5), "inf": math.Inf(1), "s": "x", "t": true, "nil": nil,
			"list": []any{1, "two", []any{}}, "strings": []string{"a", "\xff"}, "map": map[string]any{"$int32": "no type"}, "odd": map[string]any{"base64": "AA=="},
		}}}},
	}
	var steps []retrytest.Step
	for _, r := range responses {
		steps = append(steps, retrytest.Respond(r))
	}
	r, file := record(t, retrytest.NewScript(t, steps...))
	options := []llms.CallOption{llms.WithTemperature(0), llms.WithMetadata(map[string]any{"user": "ada"}),
		llms.WithTools([]llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{Name: "f", Parameters: map[string]any{"type": "object"}}}})}
	for _, want := range responses {
		got, err := r.GenerateContent(t.Context(), everything(), options...)
		require.NoError(t, err)
		assert.Same(t, want, got, "the model's own")
	}
	p := play(t, file.String())
	for _, want := range responses {
		got, err := p.GenerateContent(t.Context(), everything(), options...)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	assert.NoError(t, p.Done())
	golden.Check(t, "exact.jsonl", file.String())
}

// The struct of an SDK comes back as a map, in which usage is found as before.
func TestReplayOfStruct(t *testing.T) {
	type usage struct{ PromptTokens, CompletionTokens, TotalTokens int }
	response := &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "x", GenerationInfo: map[string]any{"usage": usage{1, 2, 3}}}}}
	r, file := record(t, retrytest.NewScript(t, retrytest.Respond(response)))
	used := func(m llms.Model) llmretry.Usage {
		ctx, reports := llmretry.CaptureReports(t.Context())
		_, err := llmretry.Must(llmretry.New(m)).GenerateContent(ctx, []llms.MessageContent{human("x")})
		require.NoError(t, err)
		require.Len(t, reports(), 1)
		return reports()[0].Attempts[0].Usage
	}
	first := used(r)
	assert.Equal(t, 3, first.Total.N)
	assert.Equal(t, first, used(play(t, file.String())))
}

// A replayed error counts as the first one did: text, category, status, Retry-After, final or not.
func TestReplayOfErrors(t *testing.T) {
	for _, err := range []error{
		errors.New("API returned unexpected status code: 503: down"),
		errors.New("API returned unexpected status code: 401: no"),
		fmt.Errorf("client: %w", errors.New("API returned unexpected status code: 400: Unsupported parameter: 'temperature' is not supported with this model.")),
		errors.New("something else"),
		io.ErrUnexpectedEOF,
		&llmretry.ProviderError{Category: llmretry.CategoryRateLimit, Status: 429, RetryAfter: 3 * time.Second, Err: errors.New("slow down")},
		&llms.Error{Code: llms.ErrCodeContentFilter, Message: "no"},
		context.Canceled,
		fmt.Errorf("client: %w", context.DeadlineExceeded),
	} {
		r, file := record(t, retrytest.NewScript(t, retrytest.Fail(err)))
		messages := []llms.MessageContent{human("x")}
		_, got := r.GenerateContent(t.Context(), messages)
		assert.Equal(t, err, got, "the model's own")
		_, replayed := play(t, file.String()).GenerateContent(t.Context(), messages)
		require.Error(t, replayed, err)
		assert.Equal(t, err.Error(), replayed.Error())
		for _, sentinel := range []error{context.Canceled, context.DeadlineExceeded} {
			assert.Equal(t, errors.Is(err, sentinel), errors.Is(replayed, sentinel), err)
		}
		if llmretry.Category(err) == llmretry.CategoryCanceled {
			continue // under a live context it was not the caller's
		}
		assert.Equal(t, llmretry.Category(err), llmretry.Category(replayed), err)
		assert.Equal(t, llmretry.DefaultClassifier(err, llmretry.State{}), llmretry.DefaultClassifier(replayed, llmretry.State{}))
		var was, is *llmretry.ProviderError
		if errors.As(err, &was) && assert.ErrorAs(t, replayed, &is) {
			assert.Equal(t, was.RetryAfter, is.RetryAfter)
			assert.Equal(t, was.Status, is.Status)
		}
	}
}

// The parameter safety net reads the same words in a replayed error. (Semantics D9.)
func TestReplayUnderSafetyNet(t *testing.T) {
	down := errors.New("API returned unexpected status code: 503: down")
	rejected := fmt.Errorf("client: %w", errors.New("API returned unexpected status code: 400: Unsupported parameter: 'temperature' is not supported with this model."))
	ask := func(m llms.Model) (string, error) {
		d := llmretry.Must(llmretry.New(m, llmretry.WithBackoff(llmretry.Constant(0)), llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.5)...)))
		return d.Call(t.Context(), "x")
	}
	r, file := record(t, retrytest.NewScript(t, retrytest.Fail(down), retrytest.Fail(rejected), retrytest.Reply("ok")))
	first, err := ask(r)
	require.NoError(t, err)
	p := play(t, file.String())
	second, err := ask(p)
	require.NoError(t, err)
	assert.Equal(t, first, second)
	assert.NoError(t, p.Done())
}

// Chunks come back one by one, of both functions, cut where they were cut.
func TestReplayStreams(t *testing.T) {
	collect := func(m llms.Model) (chunks []string, err error) {
		_, err = m.GenerateContent(t.Context(), []llms.MessageContent{human("x")}, llms.WithStreamingFunc(func(_ context.Context, c []byte) error {
			chunks = append(chunks, string(c))
			return nil
		}))
		return chunks, err
	}
	r, file := record(t, retrytest.NewScript(t, retrytest.Reply("grün").Chunks("gr\xc3", "\xbcn"), retrytest.Fail(errors.New("broke off")).Chunks("gr")))
	first, err := collect(r)
	require.NoError(t, err)
	broken, brokenErr := collect(r)
	require.Error(t, brokenErr)
	p := play(t, file.String())
	again, err := collect(p)
	require.NoError(t, err)
	assert.Equal(t, first, again)
	assert.Equal(t, []string{"gr\xc3", "\xbcn"}, again)
	again, err = collect(p)
	assert.EqualError(t, err, brokenErr.Error())
	assert.Equal(t, broken, again)

	enough := errors.New("enough")
	_, err = play(t, file.String()).Call(t.Context(), "x", llms.WithStreamingFunc(func(context.Context, []byte) error { return enough }))
	assert.ErrorIs(t, err, enough)
	_, err = play(t, file.String()).Call(t.Context(), "x")
	assert.ErrorContains(t, err, "a stream function: recorded true, now false")
}

// thinker streams reasoning.
type thinker struct{ llms.Model }

func (thinker) SupportsReasoning() bool { return true }

func (thinker) GenerateContent(ctx context.Context, _ []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, opt := range opts {
		opt(&o)
	}
	for _, c := range [][2]string{{"hm", ""}, {"", "yes"}} {
		if err := o.StreamingReasoningFunc(ctx, []byte(c[0]), []byte(c[1])); err != nil {
			return nil, err
		}
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "yes", ReasoningContent: "hm"}}}, nil
}

func TestReplayStreamsReasoning(t *testing.T) {
	r, file := record(t, thinker{})
	assert.True(t, r.SupportsReasoning())
	assert.Equal(t, thinker{}, r.Unwrap())
	ask := func(m llms.Model) (got []string) {
		_, err := m.GenerateContent(t.Context(), nil, llms.WithStreamingReasoningFunc(func(_ context.Context, reasoning, chunk []byte) error {
			got = append(got, string(reasoning)+"|"+string(chunk))
			return nil
		}))
		require.NoError(t, err)
		return got
	}
	assert.Equal(t, []string{"hm|", "|yes"}, ask(r))
	assert.Equal(t, []string{"hm|", "|yes"}, ask(play(t, file.String())))
}

// langchaingo's openai client over HTTP: what its Transport saw is in the recording, and the decorator heals the replay
// as it healed the first run, with the same waits.
func TestRecordOpenAI(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Content-Type", "application/json")
		if asked == 1 {
			w.Header().Set("Retry-After", "0.1") // no number of seconds: the curve
			w.Header().Set("Retry-After-Ms", "30")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"error":{"message":"slow down, sk-abcdefghijklmnopqrstuvwx"}}`)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": []string{"no", "yes", "still"}[asked-2]}, "finish_reason": "stop"}},
			"usage":   map[string]int{"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 6},
		})
	}))
	defer server.Close()
	client, err := openai.New(openai.WithBaseURL(server.URL), openai.WithToken("sk-notarealkeynotarealkey"), openai.WithModel("m"), openai.WithHTTPClient(loopback.Client()))
	require.NoError(t, err)

	ask := func(m llms.Model) (*llms.ContentResponse, *llmretry.Report) {
		d := llmretry.Must(llmretry.New(m,
			llmretry.WithBackoff(llmretry.Constant(0)),
			llmretry.WithParser(llmretry.ParserFunc[string](func(text string) (string, error) {
				if text != "yes" {
					return "", errors.New("want yes")
				}
				return text, nil
			})),
			llmretry.WithReask(func(_ context.Context, f llmretry.Failure) (string, error) { return f.ErrorMessage, nil }),
			llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.3, 0.6)...)))
		ctx, reports := llmretry.CaptureReports(t.Context())
		response, err := d.GenerateContent(ctx, []llms.MessageContent{human("say yes")}, llms.WithTemperature(0))
		require.NoError(t, err)
		return response, reports()[0]
	}
	r, file := record(t, client)
	first, report1 := ask(r)
	assert.Equal(t, 3, asked)
	p := play(t, file.String())
	second, report2 := ask(p)
	require.NoError(t, p.Done())
	assert.Equal(t, 3, asked, "offline")

	assert.Equal(t, first, second)
	require.Len(t, report2.Attempts, len(report1.Attempts))
	for i := range report1.Attempts {
		a, b := report1.Attempts[i], report2.Attempts[i]
		assert.Equal(t, a.Category, b.Category)
		assert.Equal(t, a.Wait, b.Wait)
		assert.Equal(t, a.Usage, b.Usage)
		assert.Equal(t, a.Messages, b.Messages)
		assert.Equal(t, a.Sent(), b.Sent())
	}
	assert.Equal(t, 30*time.Millisecond, report2.Attempts[0].Wait)
	assert.NotContains(t, file.String(), "sk-")
	golden.Check(t, "openai.jsonl", file.String())

	_, _ = r.Call(t.Context(), "still there?")
	assert.Equal(t, 4, asked, "a recorder is transparent")
}

// No key gets into a file, wherever a text has it, and a replay does not miss it.
func TestRecordingHasNoSecrets(t *testing.T) {
	const key = "sk-proj-0123456789abcdefghij"
	bearer := "Authorization: Bearer abcdef0123456789"
	failure := fmt.Errorf(`Post "https://ada:pw12345@example.com/v1?key=AIzaSyA0123456789&alt=json": %s, %s`, bearer, key)
	response := &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "my key is " + key, ReasoningContent: key,
		GenerationInfo: map[string]any{"token": "t0psecret", "note": key, "TotalTokens": 7}, ToolCalls: []llms.ToolCall{{ID: "1", FunctionCall: &llms.FunctionCall{Arguments: key}}}}}}
	internal := func(s string) string { return strings.ReplaceAll(s, "Project Blue", "Project X") }
	r, file := record(t, retrytest.NewScript(t, retrytest.Fail(failure), retrytest.Respond(response).Chunks("my key is "+key[:10], key[10:])), retrytest.Scrub(internal))
	messages := append(everything(), human("Project Blue has "+key))
	options := []llms.CallOption{llms.WithMetadata(map[string]any{"api_key": "opaque", "n": 1}),
		llms.WithStreamingFunc(func(context.Context, []byte) error { return nil })}
	for range 2 {
		_, _ = r.GenerateContent(t.Context(), messages, options...)
	}
	for _, secret := range []string{key, key[:10], "pw12345", "AIzaSyA", "abcdef0123456789", "t0psecret", "opaque", "Blue"} {
		assert.NotContains(t, file.String(), secret)
	}
	p := play(t, file.String(), retrytest.Scrub(internal))
	for range 2 {
		_, _ = p.GenerateContent(t.Context(), messages, options...)
	}
	assert.NoError(t, p.Done())
}

type failingWriter int

func (w *failingWriter) Write(p []byte) (int, error) {
	if *w--; *w < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

func TestRecorderRefuses(t *testing.T) {
	script := retrytest.NewScript(t)
	decorated := llmretry.Must(llmretry.New(script))
	for name, f := range map[string]func() error{
		"no model":  func() error { _, err := retrytest.NewRecorder(nil, io.Discard); return err },
		"no writer": func() error { _, err := retrytest.NewRecorder(script, nil); return err },
		"decorated": func() error { _, err := retrytest.NewRecorder(decorated, io.Discard); return err },
		"nil":       func() error { _, err := retrytest.NewRecorder(script, io.Discard, nil); return err },
		"any order": func() error { _, err := retrytest.NewRecorder(script, io.Discard, retrytest.AnyOrder()); return err },
		"no reader": func() error { _, err := retrytest.NewPlayer(nil); return err },
	} {
		assert.ErrorIs(t, f(), llmretry.ErrInvalidOption, name)
	}
	full := failingWriter(0)
	_, err := retrytest.NewRecorder(script, &full)
	assert.ErrorContains(t, err, "disk full")
	full = 1
	r, err := retrytest.NewRecorder(retrytest.NewScript(t, retrytest.Reply("x"), retrytest.Reply("y"), retrytest.Respond(&llms.ContentResponse{
		Choices: []*llms.ContentChoice{{GenerationInfo: map[string]any{"f": func() {}}}}})), &full)
	require.NoError(t, err)
	for _, want := range []string{"disk full", "disk full", "generation info f: a value of type func() cannot be recorded"} {
		_, err = r.Call(t.Context(), "x")
		assert.ErrorContains(t, err, want)
	}
	_, err = r.GenerateContent(t.Context(), []llms.MessageContent{{Parts: []llms.ContentPart{nil}}})
	assert.ErrorContains(t, err, "message 0, part 0: a part of type <nil>")
	_, err = r.Call(t.Context(), "x", nil)
	assert.ErrorContains(t, err, "option 0 is nil")
	_, err = r.Call(t.Context(), "x", llms.WithMetadata(map[string]any{"c": make(chan int)}))
	assert.ErrorContains(t, err, "option metadata")
}

// A call that was never made, or did not return, is not an exchange.
func TestRecorderWithoutExchange(t *testing.T) {
	r, file := record(t, retrytest.NewScript(t, retrytest.Respond(nil).Do(func(context.Context, retrytest.Request) { panic("a bug") }), retrytest.Respond(nil)))
	empty := file.String()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := r.Call(ctx, "x")
	assert.ErrorIs(t, err, context.Canceled)
	_, err = r.Call(llmretry.LimitModelCalls(t.Context(), 0), "x")
	assert.ErrorIs(t, err, llmretry.ErrMaxModelCalls)
	assert.PanicsWithValue(t, "a bug", func() { _, _ = r.Call(t.Context(), "x") })
	assert.Equal(t, empty, file.String())
	_, err = r.Call(t.Context(), "x")
	assert.ErrorContains(t, err, "an empty response")
	assert.NotEqual(t, empty, file.String())
}

// An empty success behind which the Transport saw a failure is played as that failure: the decorator had seen it so.
// (Semantics F8.)
func TestRecordHiddenFailure(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
	defer server.Close()
	client := loopback.Client()
	r, file := record(t, inattentive{client: client, url: server.URL})
	messages := []llms.MessageContent{human("x")}
	response, err := r.GenerateContent(t.Context(), messages)
	require.NoError(t, err, "a recorder is transparent")
	assert.NotNil(t, response)
	_, err = play(t, file.String()).GenerateContent(t.Context(), messages)
	assert.Equal(t, llmretry.CategoryUnavailable, llmretry.Category(err))
}

// inattentive is a client that does not look at the status.
type inattentive struct {
	llms.Model
	client *http.Client
	url    string
}

func (m inattentive) GenerateContent(ctx context.Context, _ []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, nil)
	if err != nil {
		return nil, err
	}
	response, err := m.client.Do(request)
	if err != nil {
		return nil, err
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{}}}, response.Body.Close()
}
