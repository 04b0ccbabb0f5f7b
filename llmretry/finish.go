package llmretry

// FinishReason is the provider's stop reason in one vocabulary. A reason that nobody recognises, and none, is
// [FinishUnknown]; "" means that there was no answer which could have had one.
type FinishReason string

// The finish reasons of semantics F2.
const (
	FinishStop          FinishReason = "stop"
	FinishLength        FinishReason = "length"
	FinishContentFilter FinishReason = "content_filter"
	FinishToolCalls     FinishReason = "tool_calls"
	FinishUnknown       FinishReason = "unknown"
)

// finishReasons are the stop reasons that langchaingo's clients pass on, by provider.
var finishReasons = map[string]FinishReason{
	"stop":             FinishStop, // openai, mistral, bedrock meta
	"end_turn":         FinishStop, // anthropic, bedrock nova
	"stop_sequence":    FinishStop,
	"FinishReasonStop": FinishStop, // googleai, vertex
	"STOP":             FinishStop,
	"FINISH":           FinishStop, // bedrock titan
	"COMPLETE":         FinishStop, // bedrock cohere
	"endoftext":        FinishStop, // bedrock ai21

	"length":                FinishLength,
	"max_tokens":            FinishLength, // anthropic, bedrock nova
	"model_length":          FinishLength, // mistral
	"FinishReasonMaxTokens": FinishLength,
	"MAX_TOKENS":            FinishLength,
	"LENGTH":                FinishLength,

	"content_filter":                FinishContentFilter,
	"refusal":                       FinishContentFilter, // anthropic
	"content_filtered":              FinishContentFilter, // bedrock nova
	"guardrail_intervened":          FinishContentFilter,
	"CONTENT_FILTERED":              FinishContentFilter,
	"ERROR_TOXIC":                   FinishContentFilter, // bedrock cohere
	"SAFETY":                        FinishContentFilter,
	"RECITATION":                    FinishContentFilter,
	"FinishReasonSafety":            FinishContentFilter,
	"FinishReasonRecitation":        FinishContentFilter,
	"FinishReasonBlocklist":         FinishContentFilter,
	"FinishReasonProhibitedContent": FinishContentFilter,
	"FinishReasonSpii":              FinishContentFilter,

	"tool_calls":    FinishToolCalls,
	"tool_use":      FinishToolCalls, // anthropic
	"function_call": FinishToolCalls,
}

// finishReason normalises a stop reason.
func finishReason(stop string) FinishReason {
	if stop == string(FinishStop) { // most of them
		return FinishStop
	}
	if f, ok := finishReasons[stop]; ok {
		return f
	}
	return FinishUnknown
}
