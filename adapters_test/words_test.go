package adapters_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// ownWords are what providers say where a status alone means two things.
var ownWords = []struct {
	client string
	status int
	text   string
	want   llmretry.ErrorCategory
	lost   bool // without a Transport
}{
	{"openai", 400, "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.", llmretry.CategoryContextTooLong, false},
	{"azure", 429, "You exceeded your current quota, please check your plan and billing details.", llmretry.CategoryQuotaExceeded, false},
	{"openai", 429, "Rate limit reached for gpt-4o: add a payment method at https://platform.openai.com/account/billing", llmretry.CategoryRateLimit, false},
	{"openai", 404, "Invalid URL (POST /v1/v1/chat/completions)", llmretry.CategoryInvalidRequest, false},
	{"anthropic", 400, "prompt is too long: 208310 tokens > 200000 maximum", llmretry.CategoryContextTooLong, false},
	{"anthropic", 400, "limit 429 of 500 tokens, request req_401", llmretry.CategoryInvalidRequest, false},
	{"mistral", 400, "Invalid model: mistral-nano", llmretry.CategoryInvalidModel, false},
	{"googleai", 400, "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).", llmretry.CategoryContextTooLong, false},
	{"googleai", 429, "You exceeded your current quota, please check your plan and billing details.", llmretry.CategoryQuotaExceeded, false},
	{"vertex", 429, "Quota exceeded for quota metric 'Generate requests' and limit 'per minute'", llmretry.CategoryRateLimit, false},
	{"bedrock anthropic", 400, "Input is too long for requested model.", llmretry.CategoryContextTooLong, false},
	{"bedrock titan", 400, "The provided model identifier is invalid.", llmretry.CategoryInvalidModel, false},
	{"huggingface", 503, "Model bigscience/bloom is currently loading", llmretry.CategoryModelNotLoaded, false},
	{"huggingface router", 400, "The requested model is not supported by provider hyperbolic", llmretry.CategoryInvalidModel, false},
	{"ollama", 503, "llm server loading model", llmretry.CategoryModelNotLoaded, true},
	{"ollama", 404, `model "llama9" not found, try pulling it first`, llmretry.CategoryInvalidModel, false},
	{"llamafile", 503, "Loading model", llmretry.CategoryModelNotLoaded, true},
	{"cloudflare", 429, "AiError: you have used up your daily free allocation of 10,000 neurons", llmretry.CategoryQuotaExceeded, true},
}

// TestProviderWords: the provider's own words decide, from the first byte on, and what they quote does not. (Semantics
// B7.)
func TestProviderWords(t *testing.T) {
	t.Parallel()
	byName := map[string]*dialect{}
	for _, d := range dialects() {
		byName[d.name] = d
	}
	for _, w := range ownWords {
		for _, transport := range []bool{true, false} {
			c := observe(t, byName[w.client], failure{reply: failed(w.status, w.text, "")}, transport)
			if !transport && w.lost {
				assert.Empty(t, c.category, "%s: %s", w.client, w.text)
				continue
			}
			assert.Equal(t, w.want, c.category, "%s, transport %v: %s", w.client, transport, w.text)
		}
	}
}

// TestProviderOddErrors: error bodies in another form than the client decodes.
func TestProviderOddErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		d             *dialect
		status        int
		body          any
		with, without llmretry.ErrorCategory
	}{
		{llamafileDialect(), 503, object{"error": object{"code": 503, "message": "Loading model", "type": "unavailable_error"}}, llmretry.CategoryUnavailable, llmretry.CategoryInvalidResponse},
		{openaiDialect(), 400, object{"error": "Argument not supported on this model: presencePenalty"}, llmretry.CategoryInvalidRequest, llmretry.CategoryInvalidRequest},
		{openaiDialect(), 429, "<html>Too Many Requests</html>", llmretry.CategoryRateLimit, llmretry.CategoryRateLimit},
		{maritacaDialect(), 503, "<html>Service Unavailable</html>", llmretry.CategoryUnavailable, llmretry.CategoryInvalidResponse},
		{ernieDialect(), 200, object{"error_code": 18, "error_msg": "Open api qps request limit reached"}, llmretry.CategoryRateLimit, llmretry.CategoryRateLimit},
		{ernieDialect(), 200, object{"error_code": 17, "error_msg": "Open api daily request limit reached"}, llmretry.CategoryQuotaExceeded, llmretry.CategoryQuotaExceeded},
		{ollamaDialect(), 200, object{"error": "model runner has unexpectedly stopped"}, "", ""},
	} {
		body, isText := tt.body.(string)
		if !isText {
			body = jsonOf(tt.body)
		}
		for transport, want := range map[bool]llmretry.ErrorCategory{true: tt.with, false: tt.without} {
			c := observe(t, tt.d, failure{reply: always(reply{status: tt.status, body: body})}, transport)
			assert.Equal(t, want, c.category, "%s, %d, transport %v: %v", tt.d.name, tt.status, transport, c.err)
		}
	}
}
