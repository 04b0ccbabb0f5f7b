package adapters_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// finishWords are what the providers say about why an answer ended.
var finishWords = []struct {
	clients string
	words   string
}{
	{"openai, azure, mistral", "stop length tool_calls content_filter"},
	{"mistral", "model_length"},
	{"anthropic", "end_turn stop_sequence max_tokens tool_use refusal"},
	{"googleai, vertex", "STOP MAX_TOKENS SAFETY RECITATION"},
	{"bedrock anthropic", "end_turn stop_sequence tool_use max_tokens refusal"},
	{"bedrock nova", "end_turn stop_sequence max_tokens content_filtered guardrail_intervened"},
	{"bedrock titan", "FINISH LENGTH CONTENT_FILTERED"},
	{"bedrock meta", "stop length"},
	{"bedrock ai21", "endoftext stop length"},
	{"bedrock cohere", "COMPLETE MAX_TOKENS ERROR_TOXIC ERROR"},
	{"ollama, watsonx", "stop length"},
}

// TestProviderFinishReasons: every provider's word in one vocabulary. (Semantics F2, F7.)
func TestProviderFinishReasons(t *testing.T) {
	t.Parallel()
	byName := map[string]*dialect{}
	for _, d := range dialects() {
		byName[d.name] = d
	}
	rows := [][]string{{"client", "the provider's word", "FinishReason", "the client's error instead"}}
	for _, f := range finishWords {
		for _, name := range strings.Split(f.clients, ", ") {
			d := byName[name]
			require.NotNil(t, d, name)
			for _, word := range strings.Fields(f.words) {
				reason, category := finishOf(t, d, word)
				if d.stops && category == "" && word != "ERROR" {
					assert.NotEqual(t, llmretry.FinishUnknown, reason, "%s: %s", name, word)
				}
				rows = append(rows, []string{name, word, string(reason), string(category)})
			}
		}
	}
	document(t, "finish reasons", markdown(rows))
}

func finishOf(t *testing.T, d *dialect, word string) (reason llmretry.FinishReason, category llmretry.ErrorCategory) {
	t.Helper()
	r := newRig(t, d, true, func(_ int, got *received) reply { return d.answers(answer{text: right, stop: word})(got) })
	inBubble(t, func(t *testing.T) {
		ctx, reports := llmretry.CaptureReports(t.Context())
		_, err := r.wrap(t, llmretry.WithMaxAttempts(1)).GenerateContent(ctx, question)
		category = llmretry.Category(err)
		if err != nil && category == "" {
			category = "?"
		}
		reason = reports()[0].Attempts[0].FinishReason
	})
	return reason, category
}

// TestProviderChoices: alternatives and blocks are looked through in order, and usage that stands in every one is
// counted once. (Semantics A4, F9, F10.)
func TestProviderChoices(t *testing.T) {
	t.Parallel()
	usage := object{"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
	alternative := func(i int, text string) object {
		return object{"index": i, "message": object{"role": "assistant", "content": text}, "finish_reason": "stop"}
	}
	for _, tt := range []struct {
		name   string
		d      *dialect
		body   string
		choice int
		total  llmretry.Count
	}{
		{"anthropic thinks first", anthropicDialect(), messagesAnswer(nil, answer{thinking: "Who was she?", text: right, in: 11, out: 7}), 1, known(18)},
		{"openai, the second of two", openaiDialect(), jsonOf(object{"choices": []object{alternative(0, wrong), alternative(1, right)}, "usage": usage}), 1, known(18)},
		{"mistral, the second of two", mistralDialect(), jsonOf(object{"choices": []object{alternative(0, wrong), alternative(1, right)}, "usage": usage}), 1, known(18)},
		{"googleai, the second of two", googleDialect(), jsonOf(object{
			"candidates": []object{
				{"content": object{"role": "model", "parts": []object{{"text": wrong}}}, "finishReason": "STOP"},
				{"content": object{"role": "model", "parts": []object{{"text": right}}}, "finishReason": "STOP", "index": 1},
			},
			"usageMetadata": object{"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18},
		}), 1, known(18)},
		{"nova, the second of two blocks", bedrockDialects()[1], jsonOf(object{
			"output": object{"message": object{"content": []object{{"text": wrong}, {"text": right}}}}, "stopReason": "end_turn",
			"usage": object{"inputTokens": 11, "outputTokens": 7},
		}), 1, known(18)},
		{"openai without usage", openaiDialect(), jsonOf(object{"choices": []object{alternative(0, right)}}), 0, llmretry.Count{}},
		{"ollama without counts", ollamaDialect(), jsonOf(object{"message": object{"content": right}, "done": true}), 0, llmretry.Count{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, tt.d, true, inOrder(reply{body: tt.body}))
			inBubble(t, func(t *testing.T) {
				result, err := llmretry.Generate(t.Context(), r.wrap(t), personParser, question)
				require.NoError(t, err)
				assert.Equal(t, person{"Ada", 36}, result.Value)
				assert.Equal(t, tt.choice, result.Report.Choice)
				assert.Equal(t, right, result.Response.Choices[0].Content)
				sum, complete := result.Report.Usage()
				assert.Equal(t, tt.total, sum.Total)
				assert.Equal(t, tt.total.Known, complete)
			})
		})
	}
}

// TestAnthropicThinkingIsReasked: with thinking first, what is judged and replayed is the text. (Semantics F9, E4.)
func TestAnthropicThinkingIsReasked(t *testing.T) {
	t.Parallel()
	d := anthropicDialect()
	r := newRig(t, d, true, func(_ int, got *received) reply {
		text := wrong
		if strings.Contains(d.saidIn(got), "Correction 0: "+mention) {
			text = right
		}
		return d.answers(answer{thinking: "Hm.", text: text})(got)
	})
	inBubble(t, func(t *testing.T) {
		_, err := llmretry.Generate(t.Context(), r.wrap(t, correcting()), personParser, question, llms.WithMaxTokens(100))
		require.NoError(t, err)
	})
	assert.Equal(t, []wireMessage{{"user", ask}, {"assistant", wrong}, {"user", "Correction 0: " + mention}}, d.messages(r.received()[1]))
}
