package llmretry

import "strings"

// pattern is one sentence of a provider: how it begins, and what it must contain after that when the beginning alone
// is too common. "" is always contained.
type pattern struct{ prefix, contains string }

// maxMessage bounds how much of a message is looked at: error bodies may be whole web pages.
const maxMessage = 4 << 10

func (p *pattern) match(text string) bool {
	return strings.HasPrefix(text, p.prefix) && strings.Contains(text[len(p.prefix):min(len(text), maxMessage+len(p.prefix))], p.contains)
}

// patterns tell one meaning of a status from its other ones.
type patterns struct {
	codes     []string  // the provider's own code or type, in a body that came as it was
	sentences []pattern // the provider's message
}

// match reports whether text, a provider's message or its JSON body, is one of them.
func (ps *patterns) match(text string) bool {
	if text == "" {
		return false
	}
	if isBody(text) {
		var coded bool
		text, coded = readBody(text, ps.codes)
		if coded {
			return true
		}
	}
	for i := range ps.sentences {
		if ps.sentences[i].match(text) {
			return true
		}
	}
	for _, code := range ps.codes { // proxies that answer with the code alone
		if text == code {
			return true
		}
	}
	return false
}

// quotaPatterns tell a 429 that no pause heals. A sentence about a limit per minute is not among them even when it
// speaks of quota or billing: "Rate limit reached ... add a payment method at .../account/billing" is a pause.
var quotaPatterns = patterns{
	codes: []string{"insufficient_quota", "billing_not_active", "billing_hard_limit_reached", "exceeded_current_quota_error"},
	sentences: []pattern{
		{"You exceeded your current quota", ""},                       // openai, azure, gemini
		{"Your account is not active, please check your billing", ""}, // openai
		{"Billing hard limit has been reached", ""},                   // openai
		{"Your credit balance is too low", ""},                        // anthropic
		{"You have reached your specified API usage limits", ""},      // anthropic
		{"You have exceeded your monthly included credits", ""},       // huggingface
		{"AiError: you have used up your daily free allocation", ""},  // cloudflare
		{"you have used up your daily free allocation", ""},           // cloudflare
		{"Insufficient Balance", ""},                                  // deepseek
		{"Insufficient credits", ""},                                  // openrouter
		{"You exceeded your current token quota", ""},                 // moonshot
	},
}

// pausePatterns tell a 429 that a pause does heal although it speaks of quota or billing.
var pausePatterns = patterns{
	codes: []string{"rate_limit_exceeded", "rate_limit_error", "rate_limited"},
	sentences: []pattern{
		{"Rate limit ", ""},                                                     // openai: "... reached for ... add a payment method at .../account/billing"; openrouter
		{"Quota exceeded for ", ""},                                             // google: a limit per minute, named by its metric
		{"Resource has been exhausted (e.g. ", ""},                              // gemini: "... check quota"
		{"Requests to the ", "rate limit"}, {"Your requests to ", "rate limit"}, // azure: "... https://aka.ms/oai/quotaincrease"
		{"Too many requests", ""},
	},
}

// speaksOfQuota reports whether the message of a 429 is about what the account may spend: the sentences that are known,
// and any other that has one of the words, unless it is known to mean a pause or says when to come back. This is the
// one place where a word decides, because semantics B7 asks for it; the status has been established before.
func speaksOfQuota(text string) bool {
	if quotaPatterns.match(text) {
		return true
	}
	if pausePatterns.match(text) {
		return false
	}
	text = strings.ToLower(text[:min(len(text), maxMessage)])
	for _, pause := range []string{"retry after ", "retry in ", "try again in ", "try again after "} {
		if strings.Contains(text, pause) {
			return false
		}
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n.,;:!?()\"'`", r) }) {
		switch word { // whole words: not quotaincrease, not a path of a URL, not credit-card
		case "quota", "quotas", "insufficient_quota", "billing", "credit", "credits":
			return true
		}
	}
	return false
}

// pathPatterns tell a 404 that is about the URL and not about a model.
var pathPatterns = patterns{
	sentences: []pattern{
		{"404 page not found", ""},               // net/http's own, so ollama's
		{"Invalid URL (", ""},                    // openai
		{"<", ""},                                // a web page is no model API
		{"Unrecognized request URL (", ""},       // openai
		{"Unknown request URL: ", ""},            // groq
		{"No route for that URI", ""},            // cloudflare
		{"The requested URL ", " was not found"}, // google's front end
	},
}

// modelPatterns tell a 400 that is about the model's name.
var modelPatterns = patterns{
	codes: []string{"model_not_found", "invalid_model"},
	sentences: []pattern{
		{"Invalid model: ", ""},                          // mistral
		{"invalid model ID", ""},                         // openai
		{"The model `", "` does not exist"},              // openai and vLLM
		{"The provided model identifier is invalid", ""}, // bedrock
		{"The requested model '", "' does not exist"},    // huggingface's router
		{"The requested model is not supported", ""},     // huggingface's router
		{"Model Not Exist", ""},                          // deepseek
	},
}

// loadingPatterns tell a 503 that ends once the model is in memory.
var loadingPatterns = patterns{
	sentences: []pattern{
		{"Model ", " is currently loading"}, // huggingface
		{"Loading model", ""},               // llama.cpp, llamafile
		{"llm server loading model", ""},    // ollama
		{"loading model", ""},               // ollama
	},
}

// contextPatterns tell a 4xx about a request longer than the model's window.
var contextPatterns = patterns{
	codes: []string{"context_length_exceeded", "exceed_context_size_error"},
	sentences: []pattern{
		{"This model's maximum context length is ", ""},                                        // openai, vLLM
		{"Your input exceeds the context window of this model", ""},                            // openai
		{"Input tokens exceed the configured limit of ", ""},                                   // openai
		{"Please reduce the length of the messages", ""},                                       // groq
		{"prompt is too long: ", ""},                                                           // anthropic, also through bedrock
		{"input length and `max_tokens` exceed context limit: ", ""},                           // anthropic
		{"The input token count ", "exceeds the maximum number of tokens allowed"},             // googleai
		{"Unable to submit request because the input token count is ", ""},                     // vertex
		{"Prompt contains ", "too large for model with "},                                      // mistral
		{"Input is too long for requested model", ""},                                          // bedrock
		{"The model returned the following errors: Input is too long for requested model", ""}, // bedrock
		{"The model returned the following errors: prompt is too long: ", ""},                  // bedrock
		{"too many tokens: ", ""},                                                              // cohere
		{"Input validation error: `inputs` ", " tokens"},                                       // huggingface's TGI
		{"the number of input tokens ", "cannot exceed"},                                       // watsonx
		{"the request exceeds the available context size", ""},                                 // llama.cpp
		{"request (", "exceeds the available context size"},                                    // llama.cpp
		{"the input length exceeds the context length", ""},                                    // ollama
	},
}

// isBody reports whether a message is a JSON body that its client did not decode.
func isBody(text string) bool { return text != "" && (text[0] == '{' || text[0] == '[') }

// readBody reads a JSON error body, at any depth: the first message in it, and whether one of the codes is there as a
// code. It steps from string to string without decoding, so it takes cut bodies too, and what a message quotes stays
// inside the message.
func readBody(body string, codes []string) (message string, coded bool) {
	body = body[:min(len(body), maxMessage)]
	key := ""
	for {
		open := strings.IndexByte(body, '"')
		if open < 0 {
			return message, false
		}
		if key != "" && strings.TrimLeft(body[:open], ": \t\r\n") != "" {
			key = "" // the key's value was no string
		}
		s, rest, ok := cutString(body[open+1:])
		if !ok {
			return message, false
		}
		body = rest
		if after := strings.TrimLeft(rest, " \t\r\n"); strings.HasPrefix(after, ":") {
			key = s
			continue
		}
		switch key {
		case "message", "error", "detail":
			if message == "" {
				message = s
			}
		case "code", "type", "reason":
			for _, code := range codes {
				if s == code {
					return message, true
				}
			}
		}
		key = ""
	}
}

// cutString returns the JSON string that s begins with, without its opening quote, as it is written.
func cutString(s string) (text, rest string, ok bool) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return s[:i], s[i+1:], true
		}
	}
	return "", "", false
}
