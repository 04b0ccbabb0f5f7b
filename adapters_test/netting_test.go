package adapters_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// unsupported is how each provider says that it does not take a temperature. Those that are not here never send one
// (cohere, cloudflare, maritaca), take any (ollama, llamafile), or lose what the provider said (ernie); of watsonx no
// such text is known.
var unsupported = map[string]struct {
	status int
	text   string
}{
	"openai":             {400, "Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) value is supported."},
	"azure":              {400, "Unsupported parameter: 'temperature' is not supported with this model."},
	"anthropic":          {400, "`temperature` is deprecated for this model."},
	"anthropic legacy":   {400, "`temperature` is deprecated for this model."},
	"mistral":            {422, `{"detail":[{"type":"extra_forbidden","loc":["body","temperature"],"msg":"Extra inputs are not permitted","input":0.3}]}`},
	"googleai":           {400, "Unable to submit request because it has a temperature value of 0.3 but the supported range is from 1 (inclusive) to 1 (inclusive)."},
	"vertex":             {400, "Unable to submit request because temperature must be 1 but the entered value was 0.3. Update the temperature value and try again."},
	"bedrock anthropic":  {400, "The model returned the following errors: `temperature` is deprecated for this model."},
	"bedrock nova":       {400, "Malformed input request: #/inferenceConfig/temperature: 0.3 is not valid, please reformat your input and try again."},
	"bedrock titan":      {400, "Malformed input request: #/textGenerationConfig/temperature: 0.3 is not valid, please reformat your input and try again."},
	"bedrock meta":       {400, "Malformed input request: #: extraneous key [temperature] is not permitted, please reformat your input and try again."},
	"bedrock ai21":       {400, "Malformed input request: #: extraneous key [temperature] is not permitted, please reformat your input and try again."},
	"bedrock cohere":     {400, "Malformed input request: #: extraneous key [temperature] is not permitted, please reformat your input and try again."},
	"huggingface":        {422, "Input validation error: `temperature` must be strictly positive"},
	"huggingface router": {400, "invalid temperature: only 1 is allowed for this model"},
}

// TestProviderSafetyNet: a temperature that only the schedule set and the provider rejects is left out from then on, and
// of later calls at once. It costs an attempt. (Semantics D9.)
func TestProviderSafetyNet(t *testing.T) {
	t.Parallel()
	for _, d := range dialects() {
		said, ok := unsupported[d.name]
		if !ok {
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			for _, transport := range []bool{true, false} {
				r := newRig(t, d, transport, func(n int, got *received) reply {
					switch {
					case d.temp(got) == 0.3:
						return d.fails(said.status, said.text, "")
					case n == 0 || n == 3:
						return d.says(wrong)(got)
					}
					return d.says(right)(got)
				})
				inBubble(t, func(t *testing.T) {
					m := r.wrap(t, correcting(), llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.3)...))
					result, err := llmretry.Generate(t.Context(), m, personParser, question)
					require.NoError(t, err)
					require.Len(t, result.Report.Attempts, 3)
					last := result.Report.Attempts[2]
					assert.Equal(t, llmretry.ReasonTransient, last.Reason)
					assert.Equal(t, []string{"temperature"}, last.Dropped)

					result, err = llmretry.Generate(t.Context(), m, personParser, question)
					require.NoError(t, err)
					require.Len(t, result.Report.Attempts, 2)
					assert.Equal(t, []string{"temperature"}, result.Report.Attempts[1].Dropped)
				})
				assert.Len(t, r.received(), 5)
			}
		})
	}
}

// TestProviderSafetyNetOff: without the net, and for what the caller set, the rejection is final.
func TestProviderSafetyNetOff(t *testing.T) {
	t.Parallel()
	d := openaiDialect()
	r := newRig(t, d, true, func(n int, got *received) reply {
		if n == 0 {
			return d.says(wrong)(got)
		}
		return d.fails(http.StatusBadRequest, unsupported["openai"].text, "")
	})
	inBubble(t, func(t *testing.T) {
		m := r.wrap(t, correcting(), llmretry.WithPerAttemptOverride(llmretry.Temperatures(0.3)...), llmretry.WithoutParameterSafetyNet())
		_, err := llmretry.Generate(t.Context(), m, personParser, question)
		assert.Equal(t, llmretry.CategoryInvalidRequest, llmretry.Category(err))
	})
	assert.Len(t, r.received(), 2)
}
