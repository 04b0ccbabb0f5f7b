package llmretry

import "strings"

// localTexts are the whole texts of errors that clients make without a status.
var localTexts = map[string]ErrorCategory{
	// Nothing came back. Behind cohere's any HTTP failure may hide.
	"empty response":                    CategoryEmptyResponse, // cohere, huggingface, local and the inner clients
	"no response":                       CategoryEmptyResponse, // openai, anthropic, watsonx and others
	"no results":                        CategoryEmptyResponse, // bedrock
	"no content in generation response": CategoryEmptyResponse, // googleai, vertex
	"no choices in response":            CategoryEmptyResponse, // huggingface's router, agents
	"no result recieved":                CategoryEmptyResponse, // watsonx's SDK, in its spelling
	"empty response from model":         CategoryEmptyResponse, // llms.GenerateFromSinglePrompt

	// openai puts these in place of the net/http error, the caller's own cancellation among them. The loop has looked
	// at the context before it asks.
	"network error: failed to reach API server":           CategoryUnavailable,
	"request timeout: API call exceeded deadline":         CategoryUnavailable,
	"request timeout: network operation exceeded timeout": CategoryUnavailable,
	"request cancelled":                                   CategoryUnavailable,
	"http2: client connection lost":                       CategoryUnavailable,             // net/http, while a body is read
	"invalid prompt":                                      CategoryUnsupportedContentBlock, // watsonx
	"expecting a single Text content":                     CategoryUnsupportedContentBlock, // ollama, llamafile, maritaca, cloudflare
	"only support Text and BinaryContent parts right now": CategoryUnsupportedContentBlock, // ollama, llamafile, maritaca
	"only supports Text right now":                        CategoryUnsupportedContentBlock, // cloudflare
	"unsupported message type":                            CategoryUnsupportedContentBlock, // bedrock
	"anthropic: invalid content type for system message":  CategoryUnsupportedContentBlock,
	"anthropic: invalid content type for AI message":      CategoryUnsupportedContentBlock,
	"anthropic: invalid content type for tool message":    CategoryUnsupportedContentBlock,
	"unsupported content type encountered while preparing chat messages to send to mistral platform": CategoryUnsupportedContentBlock,

	"model not found":      CategoryInvalidModel, // cohere
	"unsupported provider": CategoryInvalidModel, // bedrock: the provider is read from the model's name

	"role not supported":                                                    CategoryInvalidRequest,  // bedrock
	"multiple system prompts":                                               CategoryInvalidRequest,  // bedrock
	"system prompt must be text":                                            CategoryInvalidRequest,  // bedrock
	"streaming not implemented for nova":                                    CategoryInvalidRequest,  // bedrock
	"http: no Host in request URL":                                          CategoryInvalidRequest,  // net/http
	"unknown part type in generation response":                              CategoryInvalidResponse, // googleai, vertex
	"conflicting options, can't use JSONMode and ResponseMIMEType together": CategoryInvalidRequest,  // googleai, vertex
}

const maxLocalText = 100 // bytes; nothing in localTexts is longer

// localPatterns are the beginnings of such texts.
var localPatterns = [...]struct {
	pattern
	category ErrorCategory
}{
	{pattern{"unexpected response from Mistral SDK, length of the Choices", ""}, CategoryEmptyResponse},
	{pattern{"http: ContentLength=", " with Body length 0"}, CategoryUnavailable}, // mistral's client sends a drained body again after a 429 or 5xx
	{pattern{"stream error: stream ID ", ""}, CategoryUnavailable},                // net/http's HTTP/2, while a body is read
	{pattern{"http2: server sent GOAWAY", ""}, CategoryUnavailable},
	{pattern{"unsupported protocol scheme ", ""}, CategoryInvalidRequest}, // net/http: the base URL is wrong
	{pattern{"model ", " not found"}, CategoryInvalidModel},               // ollama; a quote follows, see localCategory
	{pattern{"blocked: candidate: ", ""}, CategoryContentFiltered},        // googleai, vertex
	{pattern{"blocked: prompt: ", ""}, CategoryContentFiltered},
	{pattern{"completed due to guardrail_intervened. ", ""}, CategoryContentFiltered}, // bedrock
	{pattern{"completed due to refusal. ", ""}, CategoryContentFiltered},              // bedrock/anthropic
	{pattern{"anthropic: unsupported human message part type: ", ""}, CategoryUnsupportedContentBlock},
	{pattern{"anthropic: unsupported cached content part type: ", ""}, CategoryUnsupportedContentBlock},
	{pattern{"anthropic: unexpected message type: ", ""}, CategoryUnsupportedContentBlock},
	{pattern{"anthropic: invalid content type for ", " message "}, CategoryInvalidResponse}, // of the reply: a Go type follows
	{pattern{"anthropic: unsupported content type: ", ""}, CategoryInvalidResponse},
	{pattern{"unknown content type: ", ""}, CategoryInvalidResponse},             // anthropic's client, e.g. redacted_thinking
	{pattern{"failed to unmarshal JSON: " + endOfJSON, ""}, CategoryUnavailable}, // llamafile
	{pattern{"failed to unmarshal JSON: ", ""}, CategoryInvalidResponse},         // llamafile
	{pattern{"proto: syntax error ", ""}, CategoryInvalidResponse},               // googleai; protobuf varies the space on purpose
	{pattern{"proto:\u00a0syntax error ", ""}, CategoryInvalidResponse},          // the same
	{pattern{"expected exactly one part for role ", ""}, CategoryInvalidRequest}, // openai
	{pattern{"expected part of type ToolCallResponse for role ", ""}, CategoryInvalidRequest},
}

// localCategory recognises the texts without a status.
func localCategory(text string) ErrorCategory {
	if len(text) <= maxLocalText {
		if category, ok := localTexts[text]; ok {
			return category
		}
	}
	if strings.HasPrefix(text, "proto:") && strings.HasSuffix(text, "): unexpected token ") {
		return CategoryUnavailable // googleai: the token is the end of the body
	}
	for i := range localPatterns {
		p := &localPatterns[i]
		if !p.match(text) {
			continue
		}
		if p.prefix == "model " && text[len(p.prefix)] != '"' && text[len(p.prefix)] != '\'' {
			continue
		}
		return p.category
	}
	return ""
}
