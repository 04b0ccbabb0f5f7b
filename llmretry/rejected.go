package llmretry

import (
	"encoding/json"
	"strings"
)

// This file knows how providers say that they do not take a field. (Semantics D9.)

// wireFields maps the names that providers have for a field, in lower case and without underscores, to the options that
// set it, by their JSON names in llms.CallOptions.
var wireFields = map[string]string{
	"temperature": "temperature", "topp": "top_p", "p": "top_p", "topk": "top_k", "k": "top_k", "seed": "seed", "randomseed": "seed",
	"n": "n", "candidatecount": "candidate_count", "maxtokens": "max_tokens", "maxcompletiontokens": "max_tokens",
	"maxoutputtokens": "max_tokens", "maxnewtokens": "max_tokens", "stop": "stop_words", "stopsequences": "stop_words",
	"frequencypenalty": "frequency_penalty", "presencepenalty": "presence_penalty", "repetitionpenalty": "repetition_penalty",
	"responseformat": "json", "responsemimetype": "response_mime_type", "tools": "tools", "toolchoice": "tool_choice",
}

// rejections are the sentences, each anchored at its begin; the name stands between before and after. One that names
// nothing says which options it means.
var rejections = []struct {
	before, after string
	means         []string
}{
	{"Unsupported parameter: '", "'", nil},                           // openai, azure
	{"Unsupported value: '", "'", nil},                               // openai, azure
	{"Unrecognized request argument supplied: ", "", nil},            // openai, azure
	{"Unknown parameter: '", "'", nil},                               // openai
	{"`", "` is deprecated", nil},                                    // anthropic, also behind bedrock
	{"", " is deprecated for this model", nil},                       // the same, without quotes
	{"`", "` is not supported", nil},                                 // anthropic, compatible servers
	{"`", "` may only be set to ", nil},                              // anthropic: "... 1 when thinking is enabled"
	{"`", "` must be ", nil},                                         // huggingface's TGI, behind its prefix; anthropic
	{"", ": Extra inputs are not permitted", nil},                    // anthropic
	{"Malformed input request: #: extraneous key [", "]", nil},       // bedrock
	{"Malformed input request: #/", ":", nil},                        // bedrock
	{"Argument not supported on this model: ", "", nil},              // xai
	{"invalid ", ": only ", nil},                                     // moonshot: "invalid temperature: only 1 is allowed for this model"
	{"Unable to submit request because ", " must be ", nil},          // vertex
	{"Unable to submit request because it has a ", " value of", nil}, // vertex
	{"JSON mode is not enabled for ", "", []string{"json", "response_mime_type"}},
	{"Penalty is not enabled for ", "", []string{"frequency_penalty", "presence_penalty", "repetition_penalty"}}, // gemini
	{"Function calling is not enabled for ", "", []string{"tools"}},                                              // gemini
	{"Multiple candidates is not enabled for ", "", []string{"candidate_count", "n"}},                            // gemini
}

// rejectionPrefixes are what some providers put before such a sentence of another's, or of their own.
var rejectionPrefixes = []string{
	"The model returned the following errors: ",          // bedrock
	"Input validation error: ",                           // huggingface's TGI
	"generation_config.", "generationConfig.", "config.", // paths of the field
}

const maxRejectedName = 40 // bytes

// rejectedFields returns the options that a provider's message or body rejects by name, the likeliest first. A sentence
// about two, of which only one may be set, names both.
func rejectedFields(message string) []string {
	if isBody(message) {
		if fields := extraFields(message); fields != nil {
			return fields
		}
		message, _ = readBody(message, nil)
	}
	for _, prefix := range rejectionPrefixes {
		message = strings.TrimPrefix(message, prefix)
	}
	if first, second, ok := exclusive(message); ok { // anthropic
		return options(first, second)
	}
	if rest, ok := strings.CutPrefix(message, "Model "); ok { // xai: "Model grok-4 does not support parameter presencePenalty."
		if model, name, ok := strings.Cut(rest, " does not support parameter "); ok && !strings.Contains(model, " ") {
			return options(strings.TrimSuffix(name, "."))
		}
	}
	for _, form := range rejections {
		rest, ok := strings.CutPrefix(message, form.before)
		switch {
		case !ok:
			continue
		case form.means != nil:
			return form.means
		case form.after != "":
			if rest, _, ok = strings.Cut(rest, form.after); !ok {
				continue
			}
		}
		if fields := options(rest); fields != nil {
			return fields
		}
	}
	return nil
}

// exclusive reads "`temperature` and `top_p` cannot both be specified for this model".
func exclusive(message string) (first, second string, ok bool) {
	names, _, ok := strings.Cut(message, " cannot both be specified")
	if !ok {
		return "", "", false
	}
	return strings.Cut(names, " and ")
}

// options maps providers' names to options, leaving out what none sets. A path counts by its last element.
func options(names ...string) (fields []string) {
	for _, name := range names {
		name = strings.Trim(name, " `'\".")
		name = name[strings.LastIndexAny(name, "./")+1:]
		if len(name) > maxRejectedName {
			continue
		}
		if field := wireFields[strings.ToLower(strings.ReplaceAll(name, "_", ""))]; field != "" {
			fields = append(fields, field)
		}
	}
	return fields
}

// extraFields reads a list of validation errors, as mistral sends it: in the body, in its message, or as text in that.
func extraFields(body string) (fields []string) {
	var v struct {
		Detail []struct {
			Type string `json:"type"`
			Loc  []any  `json:"loc"`
		} `json:"detail"`
		Message json.RawMessage `json:"message"`
	}
	for depth := 0; depth < 3; depth++ {
		v.Detail, v.Message = nil, nil
		if json.Unmarshal([]byte(body), &v) != nil && v.Message == nil {
			return nil
		}
		for _, d := range v.Detail {
			if name, ok := last(d.Loc).(string); ok && d.Type == "extra_forbidden" {
				fields = append(fields, options(name)...)
			}
		}
		if fields != nil || v.Message == nil {
			return fields
		}
		body = string(v.Message)
		if text := ""; json.Unmarshal(v.Message, &text) == nil {
			body = text
		}
	}
	return nil
}

func last(list []any) any {
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}
