package adapters_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	llmcompose "github.com/llmretry/langchaingo-llmretry/llmretry/compose"
)

// TestChainResponseFormat: one parser makes the provider constrain the answer, judges it, and gives the chain its value.
// The format is there on every attempt.
func TestChainResponseFormat(t *testing.T) {
	t.Parallel()
	d := openaiDialect()
	d.open = func(t testing.TB, address string, hc *http.Client) llms.Model {
		return must(openai.New(openai.WithBaseURL(address+"/v1"), openai.WithToken(secret), openai.WithModel("gpt-4o"), openai.WithHTTPClient(hc),
			openai.WithResponseFormat(must(llmcompose.ResponseFormat("person", personJSON.Schema())))))
	}
	r := newRig(t, d, true, inOrder(reply{body: d.full(nil, answer{text: wrong})}, reply{body: d.full(nil, answer{text: right})}))
	chain := must(llmcompose.LLMChain(r.wrap(t, llmretry.WithReask(plainWords)), personJSON, whoPrompt))
	out, err := chains.Call(t.Context(), chain, map[string]any{"name": "Ada"})
	require.NoError(t, err)
	assert.Equal(t, person{"Ada", 36}, out["text"])
	require.Len(t, r.received(), 2)
	for _, request := range r.received() {
		format, err := json.Marshal(request.Body["response_format"])
		require.NoError(t, err)
		assert.JSONEq(t, `{"type":"json_schema","json_schema":{"name":"person","strict":true,"schema":{
			"type":"object","required":["name","age"],"additionalProperties":false,"properties":{
				"name":{"type":"string","additionalProperties":false},"age":{"type":"integer","additionalProperties":false}}}}}`, string(format))
	}
}
