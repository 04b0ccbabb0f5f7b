package otelretry_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/llmretry/langchaingo-llmretry/internal/golden"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/otelretry"
)

const secret = "hunter2-\u00e9\u4e16"

// secretMessages have the secret wherever a caller can put one.
var secretMessages = []llms.MessageContent{
	llms.TextParts(llms.ChatMessageTypeSystem, "system "+secret),
	{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{
		llms.TextContent{Text: "human " + secret}, llms.ImageURLContent{URL: "https://host/" + secret},
		llms.BinaryContent{MIMEType: "image/png", Data: []byte(secret)},
	}},
	{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{llms.ToolCall{ID: "1", Type: "function",
		FunctionCall: &llms.FunctionCall{Name: "look", Arguments: `{"at":"` + secret + `"}`}}}},
	{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{ToolCallID: "1", Name: "look", Content: "tool " + secret}}},
}

// secretReplies put it into everything that comes back: an error, an output that a parser quotes, reasoning, a tool call.
func secretReplies() []reply {
	called := &llms.ContentResponse{Choices: []*llms.ContentChoice{{
		Content: "I said " + secret, ReasoningContent: "thinking " + secret, StopReason: "tool_calls",
		ToolCalls: []llms.ToolCall{{ID: "2", FunctionCall: &llms.FunctionCall{Name: "look", Arguments: secret}}, {ID: "3"}},
	}, nil, {StopReason: "stop", FuncCall: &llms.FunctionCall{Name: "old", Arguments: secret}}}}
	return []reply{{err: fmt.Errorf("you sent %s: %w", secret, fails(503).err), takes: 1},
		{response: says("bad " + secret).response, takes: 1}, {response: called, takes: 1}}
}

func playSecrets(t *testing.T, opts ...otelretry.Option) (*rig, string) {
	r := newRig(t, opts...)
	m := llmretry.Must(llmretry.New(&script{replies: secretReplies()}, llmretry.WithObserver(r.observer), byParser,
		llmretry.WithBackoff(llmretry.Constant(0)), llmretry.WithReask(correction)))
	ctx, span := r.tracers.Tracer("test").Start(t.Context(), "caller")
	_, err := m.GenerateContent(ctx, secretMessages, llms.WithMetadata(map[string]any{"key": secret}))
	span.End()
	require.NoError(t, err)
	var w strings.Builder
	for _, s := range r.spans.GetSpans() {
		fmt.Fprintln(&w, s.Name, s.Status)
		printAttributes(&w, "  ", s.Attributes)
		for _, e := range s.Events {
			fmt.Fprintln(&w, "  event", e.Name)
			printAttributes(&w, "    ", e.Attributes)
		}
	}
	return r, w.String()
}

// By default nothing of a prompt, an output, a tool call or an error's text is anywhere. (Semantics H2.)
func TestRedactByDefault(t *testing.T) {
	r, text := playSecrets(t)
	var w strings.Builder
	printMetrics(&w, r.collect(t))
	assert.NotContains(t, text+w.String(), "hunter2")
	assert.NotContains(t, text, "messages")
	require.Len(t, r.attempts(), 3)
}

// Nor of what a real client quotes: a key in a header, an URL or a body. (Semantics H2.)
func TestRedactOverHTTP(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Secret", secret)
		http.Error(w, `{"error":{"message":"no such key: `+r.Header.Get("Authorization")+` `+secret+`"}}`, http.StatusUnauthorized)
	}))
	defer server.Close()
	hc := &http.Client{Transport: llmretry.NewTransport(&http.Transport{DisableKeepAlives: true})}
	client, err := openai.New(openai.WithBaseURL(server.URL+"/?key="+secret), openai.WithToken(secret), openai.WithModel("m"), openai.WithHTTPClient(hc))
	require.NoError(t, err)
	r := newRig(t)
	_, err = llmretry.Must(llmretry.New(client, llmretry.WithObserver(r.observer))).GenerateContent(t.Context(), secretMessages[:1])
	require.Error(t, err)
	require.Len(t, r.attempts(), 1)
	kind, _ := value(r.attempts()[0].Attributes, "error.type")
	assert.Equal(t, "provider_authentication", kind.AsString())
	var w strings.Builder
	printSpans(&w, r.spans.GetSpans())
	printMetrics(&w, r.collect(t))
	assert.NotContains(t, w.String(), "hunter2")
	assert.Contains(t, w.String(), "exception.message = provider_authentication (status 401)")
}

// With the payload on everything is there, in the conventions' form, after the hook has seen it; data is only counted.
// (Semantics H2.)
func TestRedactHook(t *testing.T) {
	_, text := playSecrets(t, otelretry.WithPayload(4096, func(s string) string { return strings.ReplaceAll(s, secret, "[secret]") }))
	assert.NotContains(t, text, "hunter2")
	golden.Check(t, "payload.golden", text)
	_, text = playSecrets(t, otelretry.WithPayload(4096, nil))
	assert.Contains(t, text, "hunter2")
}

// Whatever the limit, every attribute keeps to it, is valid JSON and UTF-8, and says that something is missing; the hook
// gets texts whole. (Semantics H2.)
func TestRedactCapped(t *testing.T) {
	long := strings.Repeat("\u00e9\u4e16\"\n<", 100)
	for limit := 1; limit < 1500; limit += 7 {
		r := newRig(t, otelretry.WithPayload(limit, func(s string) string {
			assert.NotContains(t, s, "…", "cut before the hook")
			return s
		}))
		m := llmretry.Must(llmretry.New(&script{replies: []reply{{response: says(long + "\xff").response, takes: 1},
			{err: fmt.Errorf("no: %s \xff", long), takes: 1}}},
			llmretry.WithObserver(r.observer), byParser, llmretry.WithReask(correction)))
		_, err := m.GenerateContent(t.Context(), append(secretMessages, llms.TextParts(llms.ChatMessageTypeHuman, long, long)))
		require.Error(t, err)
		require.Len(t, r.attempts(), 2)
		for i, span := range r.attempts() {
			for _, name := range []string{"gen_ai.input.messages", "gen_ai.output.messages"} {
				v, ok := value(span.Attributes, name)
				if !ok {
					continue
				}
				assert.LessOrEqual(t, len(v.AsString()), limit)
				assert.True(t, json.Valid([]byte(v.AsString())), v.AsString())
				assert.True(t, utf8.ValidString(v.AsString()))
			}
			message, _ := value(span.Events[0].Attributes, "exception.message")
			assert.LessOrEqual(t, len(message.AsString()), limit)
			assert.True(t, utf8.ValidString(message.AsString()))
			clipped, ok := value(span.Attributes, "llmretry.payload.clipped")
			assert.Equal(t, ok, clipped.AsBool())
			if limit < 1000 {
				assert.True(t, ok, "limit %d, attempt %d", limit, i)
			}
		}
	}
}

// The newest messages are the ones that are kept: they differ from attempt to attempt. (Semantics H2.)
func TestRedactKeepsTheNewest(t *testing.T) {
	r := newRig(t, otelretry.WithPayload(200, nil))
	m := llmretry.Must(llmretry.New(&script{replies: []reply{{response: says("bad").response, takes: 1}, {response: says("good").response, takes: 1}}},
		llmretry.WithObserver(r.observer), byParser, llmretry.WithReask(correction)))
	_, err := m.GenerateContent(t.Context(), []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, strings.Repeat("long ", 100))})
	require.NoError(t, err)
	input, _ := value(r.attempts()[1].Attributes, "gen_ai.input.messages")
	assert.Equal(t, `[{"role":"user","parts":[{"type":"text","content":"long long …"}]},`+
		`{"role":"assistant","parts":[{"type":"text","content":"bad"}]},`+
		`{"role":"user","parts":[{"type":"text","content":"again, please"}]}]`, input.AsString())
	assert.Len(t, input.AsString(), 200)
}

// FuzzRedactCapped: whatever a model says and whatever the limit, an attribute is valid and keeps to it. (Semantics H2.)
func FuzzRedactCapped(f *testing.F) {
	f.Add("{\"a\": \"\u00e9\"}", "look", 40)
	f.Add("\xff\x00\u2028<>&", "", 70)
	f.Add(strings.Repeat("\x01", 50), "\"", 120)
	f.Fuzz(func(t *testing.T, text, name string, limit int) {
		if limit < 1 {
			return
		}
		r := newRig(t, otelretry.WithPayload(limit, nil))
		_, end := r.observer.Attempt(t.Context(), llmretry.AttemptStart{})
		end(llmretry.Attempt{
			Err:      errors.New(text),
			Messages: []llms.MessageContent{llms.TextParts(llms.ChatMessageType(name), text, name)},
			Response: &llms.ContentResponse{Choices: []*llms.ContentChoice{{
				Content: text, ReasoningContent: name, StopReason: name, ToolCalls: []llms.ToolCall{{ID: name,
					FunctionCall: &llms.FunctionCall{Name: name, Arguments: text}}},
			}}},
		})
		for _, a := range append(r.attempts()[0].Attributes, r.attempts()[0].Events[0].Attributes...) {
			v := a.Value.AsString()
			switch a.Key {
			case "gen_ai.input.messages", "gen_ai.output.messages":
				if !json.Valid([]byte(v)) {
					t.Errorf("%s is no JSON: %q", a.Key, v)
				}
			case "exception.message":
			default:
				continue
			}
			if len(v) > limit || !utf8.ValidString(v) {
				t.Errorf("%s: %d bytes of %d: %q", a.Key, len(v), limit, v)
			}
		}
	})
}
