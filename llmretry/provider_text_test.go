package llmretry

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Semantics B7: the texts of langchaingo's clients, as they make them.
func TestProviderTexts(t *testing.T) {
	hf := errors.New("unexpected status code")
	ernie := errors.New("completion API returned unexpected status code")
	ernieToken := errors.New("get access_token API returned unexpected status code")
	ernieReply := errors.New("has error code")
	anthropic := func(err error) error { return fmt.Errorf("anthropic: failed to create message: %w", err) }
	contentType := errors.New("invalid content type")
	tests := []struct {
		name   string
		err    error
		status int
		want   ErrorCategory
	}{
		{"openai", errors.New("API returned unexpected status code: 401: Incorrect API key provided"), 401, CategoryAuthentication},
		{"openai without a body", errors.New("API returned unexpected status code: 502"), 502, CategoryUnavailable},
		{"openai with an empty message", errors.New("API returned unexpected status code: 429: "), 429, CategoryRateLimit},
		{"openai hostile", errors.New("API returned unexpected status code: 400: limit 429 of 500 tokens, req_503"), 400, CategoryInvalidRequest},
		{"anthropic", anthropic(errors.New("API returned unexpected status code: 529: Overloaded")), 529, CategoryUnavailable},
		{"anthropic legacy", fmt.Errorf("anthropic: failed to create completion: %w", errors.New("API returned unexpected status code: 500")), 500, CategoryUnavailable},
		{"mistral", errors.New(`(HTTP Error 400) {"object":"error","message":"Invalid model: x","type":"invalid_model"}`), 400, CategoryInvalidModel},
		{"mistral without a body", errors.New("(HTTP Error 503) "), 503, CategoryUnavailable},
		{"googleai text", errors.New("googleapi: Error 429: Resource has been exhausted (e.g. check quota)."), 429, CategoryRateLimit},
		{"googleai body", errors.New("googleapi: got HTTP response code 502 with body: <html>"), 502, CategoryUnavailable},
		{"huggingface", fmt.Errorf("failed to run inference: %w", fmt.Errorf("%w: %d, body: %s", hf, 503, `{"error":"Model a/b is currently loading","estimated_time":20}`)), 503, CategoryModelNotLoaded},
		{"huggingface without a body", fmt.Errorf("failed to run inference: %w", fmt.Errorf("%w: %d", hf, 429)), 429, CategoryRateLimit},
		{"huggingface sentinel alone", hf, 0, ""},
		{"watsonx", errors.New(`request failed with status code 429 and error {"errors":[{"code":"rate_limit"}]}`), 429, CategoryRateLimit},
		{"watsonx without a body", errors.New("request failed with status code 500"), 500, CategoryUnavailable},
		{"ernie", fmt.Errorf("%w: %d", ernie, 503), 503, CategoryUnavailable},
		{"ernie token", fmt.Errorf("%w: %d", ernieToken, 401), 401, CategoryAuthentication},
		{"ernie busy", fmt.Errorf("%w, error_code:%v, erro_msg:%v, id:%v", ernieReply, 336100, "try again", "as-1"), 0, CategoryUnavailable},
		{"ernie rate", fmt.Errorf("%w, error_code:%v, erro_msg:%v, id:%v", ernieReply, 18, "Open api qps request limit reached", ""), 0, CategoryRateLimit},
		{"ernie day", fmt.Errorf("%w, error_code:%v, erro_msg:%v, id:%v", ernieReply, 17, "Open api daily request limit reached", ""), 0, CategoryQuotaExceeded},
		{"ernie token expired", fmt.Errorf("%w, error_code:%v, erro_msg:%v, id:%v", ernieReply, 111, "Access token expired", ""), 0, CategoryAuthentication},
		{"ernie too long", fmt.Errorf("%w, error_code:%v, erro_msg:%v, id:%v", ernieReply, 336103, "prompt tokens too long", ""), 0, CategoryContextTooLong},
		{"ernie other", fmt.Errorf("%w, error_code:%v, erro_msg:%v, id:%v", ernieReply, 336001, "18", ""), 0, CategoryInvalidRequest},
		{"maritaca text", errors.New("429 Too Many Requests: slow down"), 429, CategoryRateLimit},
		{"status line", errors.New("503 Service Unavailable"), 503, CategoryUnavailable},
		{"vertex", errors.New("rpc error: code = ResourceExhausted desc = Quota exceeded for aiplatform.googleapis.com"), 429, CategoryRateLimit},
		{"vertex deadline", errors.New("rpc error: code = DeadlineExceeded desc = x"), 504, CategoryUnavailable},
		{"vertex model", errors.New("rpc error: code = NotFound desc = Publisher Model `x` not found."), 404, CategoryInvalidModel},
		{"vertex bad", errors.New("rpc error: code = InvalidArgument desc = x"), 400, CategoryInvalidRequest},
		{"vertex auth", errors.New("rpc error: code = Unauthenticated desc = x"), 401, CategoryAuthentication},
		{"vertex denied", errors.New("rpc error: code = PermissionDenied desc = x"), 403, CategoryAuthentication},
		{"vertex internal", errors.New("rpc error: code = Internal desc = x"), 500, CategoryUnavailable},
		{"vertex unimplemented", errors.New("rpc error: code = Unimplemented desc = x"), 501, CategoryInvalidRequest},

		{"anthropic stream", anthropic(errors.New("received error event: map[error:map[message:Overloaded type:overloaded_error] type:error]")), 529, CategoryUnavailable},
		{"anthropic stream with id", anthropic(errors.New("received error event: map[error:map[details:<nil> message:type:overloaded_error] type:error] type:invalid_request_error] request_id:req_1 type:error]")), 400, CategoryInvalidRequest},
		{"anthropic stream rate", errors.New("received error event: map[error:map[message: type:rate_limit_error] type:error]"), 429, CategoryRateLimit},
		{"anthropic stream api", errors.New("received error event: map[error:map[message:x type:api_error] type:error]"), 500, CategoryUnavailable},
		{"anthropic stream cut", errors.New("received error event: map["), 0, ""},

		{"openai network", errors.New("network error: failed to reach API server"), 0, CategoryUnavailable},
		{"openai deadline", errors.New("request timeout: API call exceeded deadline"), 0, CategoryUnavailable},
		{"openai timeout", errors.New("request timeout: network operation exceeded timeout"), 0, CategoryUnavailable},
		{"mistral drained body", errors.New("http: ContentLength=163 with Body length 0"), 0, CategoryUnavailable},
		{"http2 stream", errors.New("stream error: stream ID 3; INTERNAL_ERROR; received from peer"), 0, CategoryUnavailable},
		{"http2 shutdown", errors.New("http2: server sent GOAWAY and closed the connection; LastStreamID=1, ErrCode=NO_ERROR, debug=\"\""), 0, CategoryUnavailable},

		{"ollama no model", errors.New(`model "llama9" not found, try pulling it first`), 0, CategoryInvalidModel},
		{"ollama no model, newer", errors.New(`model 'llama9' not found`), 0, CategoryInvalidModel},
		{"ollama other", errors.New("llama runner process has terminated: exit status 2"), 0, ""},
		{"cohere no model", errors.New("model not found"), 0, CategoryInvalidModel},
		{"bedrock no provider", errors.New("unsupported provider"), 0, CategoryInvalidModel},

		{"empty", errors.New("empty response"), 0, CategoryEmptyResponse},
		{"empty, anthropic", errors.New("no response"), 0, CategoryEmptyResponse},
		{"empty, bedrock", errors.New("no results"), 0, CategoryEmptyResponse},
		{"empty, googleai", errors.New("no content in generation response"), 0, CategoryEmptyResponse},
		{"empty, huggingface", fmt.Errorf("failed to run inference: %w", errors.New("no choices in response")), 0, CategoryEmptyResponse},
		{"empty, langchaingo", errors.New("empty response from model"), 0, CategoryEmptyResponse},
		{"empty, mistral", errors.New("unexpected response from Mistral SDK, length of the Choices slice must be greater than or equal 1"), 0, CategoryEmptyResponse},

		{"googleai safety", errors.New("blocked: candidate: FinishReasonSafety"), 0, CategoryContentFiltered},
		{"googleai prompt", fmt.Errorf("error in stream mode: %w", errors.New("blocked: prompt: BlockReasonSafety")), 0, CategoryContentFiltered},
		{"bedrock refusal", errors.New("completed due to refusal. Maybe try increasing max tokens"), 0, CategoryContentFiltered},
		{"bedrock truncated: a failure surface only", errors.New("completed due to max_tokens. Maybe try increasing max tokens"), 0, ""},

		{"unsupported part, ollama", errors.New("expecting a single Text content"), 0, CategoryUnsupportedContentBlock},
		{"unsupported part, anthropic", fmt.Errorf("anthropic: failed to process messages: %w", fmt.Errorf("anthropic: failed to handle AI message: %w", fmt.Errorf("anthropic: %w for AI message", contentType))), 0, CategoryUnsupportedContentBlock},
		{"unsupported part, anthropic human", errors.New("anthropic: unsupported human message part type: llms.ImageURLContent"), 0, CategoryUnsupportedContentBlock},
		{"undecodable block, anthropic", fmt.Errorf("anthropic: %w for tool use message %T", contentType, 1), 0, CategoryInvalidResponse},
		{"unknown block, anthropic", anthropic(fmt.Errorf("parse response: %w", errors.New("unknown content type: redacted_thinking\n{}"))), 0, CategoryInvalidResponse},
		{"not JSON, googleai", errors.New("proto:\u00a0syntax error (line 1:1): unexpected token <"), 0, CategoryInvalidResponse},
		{"not JSON, llamafile", errors.New("failed to unmarshal JSON: invalid character '<' looking for beginning of value"), 0, CategoryInvalidResponse},
		{"bad options, googleai", errors.New("conflicting options, can't use JSONMode and ResponseMIMEType together"), 0, CategoryInvalidRequest},
		{"bad message, openai", errors.New("expected exactly one part for role tool, got 2"), 0, CategoryInvalidRequest},
		{"cloudflare has no status", errors.New(`error: {"errors":[{"code":429}]}`), 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.status, statusOf(tt.err))
			require.Equal(t, tt.want, Category(tt.err))
			require.Equal(t, tt.want, Category(fmt.Errorf("chain: %w", tt.err)))
		})
	}
}

// Semantics B7: the clients' status line form knows every status of net/http and no other phrase.
func TestStatusLines(t *testing.T) {
	for status := range 1000 {
		phrase := http.StatusText(status)
		want := validStatus(status)
		if phrase == "" {
			want, phrase = 0, "Whatever"
		}
		require.Equal(t, want, statusOf(fmt.Errorf("%03d %s: message", status, phrase)), status)
	}
}

// Semantics B7: the types of anthropic's error events, and the exceptions in bedrock's streams.
func TestStreamedErrorTypes(t *testing.T) {
	for typ, want := range map[string]int{
		"invalid_request_error": 400, "authentication_error": 401, "permission_error": 403, "not_found_error": 404,
		"request_too_large": 413, "rate_limit_error": 429, "api_error": 500, "timeout_error": 504, "overloaded_error": 529,
		"other_error": 0, "": 0,
	} {
		event := map[string]any{"type": "error", "error": map[string]any{"type": typ, "message": "a type:api_error] b"}}
		require.Equal(t, want, statusOf(fmt.Errorf("received error event: %v", event)), typ)
		event["request_id"] = "req_011"
		require.Equal(t, want, statusOf(fmt.Errorf("received error event: %v", event)), typ)
	}
	for code, want := range map[string]int{
		"ThrottlingException": 429, "ServiceUnavailableException": 503, "InternalServerException": 500,
		"ModelTimeoutException": 408, "ValidationException": 400, "Other": 0,
	} {
		require.Equal(t, want, statusOf(&smithyAPIError{code, "429"}), code)
	}
}

func TestLocalTextsFitTheirLimit(t *testing.T) {
	for text := range localTexts {
		require.LessOrEqual(t, len(text), maxLocalText, text)
		require.NotEmpty(t, localCategory(text))
	}
	for _, p := range localPatterns {
		require.NotEmpty(t, p.prefix)
		require.NotEmpty(t, p.category)
	}
	for _, ps := range []patterns{quotaPatterns, pathPatterns, modelPatterns, loadingPatterns, contextPatterns} {
		require.False(t, ps.match(""))
		for _, p := range ps.sentences {
			require.NotEmpty(t, p.prefix, "a pattern is anchored")
			require.True(t, ps.match(p.prefix+p.contains+" and more"))
			require.False(t, ps.match("the tool said: "+p.prefix+p.contains))
		}
	}
}

// Semantics B7: a body is read string by string: what a message quotes is no field.
func TestReadBody(t *testing.T) {
	codes := []string{"wanted"}
	for body, want := range map[string]struct {
		message string
		coded   bool
	}{
		`{}`:                                 {},
		`{"message":"m"}`:                    {"m", false},
		`{"error":"m"}`:                      {"m", false},
		`{"error":{"message":"m"}}`:          {"m", false},
		`{"error": {"code" : "wanted"}}`:     {"", true},
		`{"error":{"type":"wanted"}}`:        {"", true},
		`{"wanted":"code"}`:                  {},
		`{"code":429,"x":"wanted"}`:          {},
		`{"code":["wanted"]}`:                {},
		`{"message":"\"code\":\"wanted\""}`:  {`\"code\":\"wanted\"`, false},
		`{"message":"first","error":"next"}`: {"first", false},
		`{"message":"cut`:                    {},
		`{"message":"ends in a slash\`:       {},
		`{"message`:                          {},
		`{"message":`:                        {},
		`["message","m"]`:                    {},
	} {
		message, coded := readBody(body, codes)
		require.Equal(t, want.message, message, body)
		require.Equal(t, want.coded, coded, body)
	}
}
