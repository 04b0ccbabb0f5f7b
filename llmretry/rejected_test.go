package llmretry

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Semantics D9: what providers were seen to answer, and texts that only look like it.
func TestRejectedFields(t *testing.T) {
	for message, want := range map[string][]string{
		"Unsupported parameter: 'temperature' is not supported with this model.":                                   {"temperature"},
		"Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) value is ...": {"temperature"},
		"Unrecognized request argument supplied: seed":                                                             {"seed"},
		"`temperature` is deprecated for this model.":                                                              {"temperature"},
		"temperature is deprecated for this model.":                                                                {"temperature"},
		"The model returned the following errors: `temperature` is deprecated for this model.":                     {"temperature"},
		"`temperature` may only be set to 1 when thinking is enabled. Please consult our documentation":            {"temperature"},
		"`temperature` and `top_p` cannot both be specified for this model. Please use only one.":                  {"temperature", "top_p"},
		"temperature and top_p cannot both be specified for this model. Please use only one.":                      {"temperature", "top_p"},
		"top_k: Extra inputs are not permitted":                                                                    {"top_k"},
		"Malformed input request: #: extraneous key [top_k] is not permitted, please reformat your input":          {"top_k"},
		"Malformed input request: #/temperature: 1.5 is not less or equal to 1, please reformat your input":        {"temperature"},
		"Argument not supported on this model: presencePenalty":                                                    {"presence_penalty"},
		"Model grok-4 does not support parameter presencePenalty.":                                                 {"presence_penalty"},
		"invalid temperature: only 1 is allowed for this model":                                                    {"temperature"},
		"Input validation error: `top_p` must be > 0.0 and < 1.0":                                                  {"top_p"},
		"Input validation error: `temperature` must be strictly positive":                                          {"temperature"},
		"Penalty is not enabled for models/gemini-2.5-flash":                                                       {"frequency_penalty", "presence_penalty", "repetition_penalty"},
		"JSON mode is not enabled for models/gemma-3-27b-it":                                                       {"json", "response_mime_type"},
		"Multiple candidates is not enabled for this model":                                                        {"candidate_count", "n"},
		"Unable to submit request because candidateCount must be 1 but the entered value was 3. Update the ...":    {"candidate_count"},
		"Unable to submit request because it has a temperature value of 3 but the supported range is from 0 ...":   {"temperature"},
		`{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted"}]}`:     {"seed"},
		`{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","seed"]}]},"code":null}`:   {"seed"},
		`{"object":"error","message":"{\"detail\":[{\"type\":\"extra_forbidden\",\"loc\":[\"body\",\"seed\"]}]}"}`: {"seed"},
		`{"error":{"message":"Unsupported parameter: 'temperature' is not supported with this model."}}`:           {"temperature"},

		"": nil,
		"The request mentions Unsupported parameter: 'temperature'":                          nil,
		"Unsupported parameter: 'messages[0].audio' is not supported":                        nil,
		"`name` must be shorter":                                                             nil,
		"messages and top_p cannot both be specified":                                        {"top_p"},
		`{"detail":[{"type":"missing","loc":["body","seed"]}]}`:                              nil,
		`{"message":{"message":{"message":{"message":{"detail":[]}}}}}`:                      nil,
		"Malformed input request: #/messages/0: required key [content] not found, please...": nil,
	} {
		require.Equal(t, want, rejectedFields(message), message)
	}
}
