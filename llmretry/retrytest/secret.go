package retrytest

import (
	"regexp"
	"slices"
	"strings"
)

// redacted stands where a secret was.
const redacted = "REDACTED"

// secrets are the forms in which keys are known to get into texts: parameters and user names of URLs, which net/http
// quotes in its errors, headers, and the prefixes of providers' own keys. The first group, where there is one, stays.
var secrets = []*regexp.Regexp{
	regexp.MustCompile(`(?i)([?&](?:key|api[_-]?key|token|access_token|client_secret|secret|password|sig|signature|x-(?:amz|goog)-(?:signature|security-token|credential))=)[^&#\s"'<>\\]+`),
	regexp.MustCompile(`(://)[^/?#@\s"'<>\\]+@`),
	regexp.MustCompile(`(?i)(\bbearer\s+)[A-Za-z0-9._~+/=-]{12,}`),
	regexp.MustCompile(`(?i)(\b(?:x-api-key|api-key|x-goog-api-key|authorization)["']?\s*[:=]\s*["']?)[A-Za-z0-9._~+/=-]{12,}`),
	regexp.MustCompile(`()\b(?:sk-|gsk_|hf_|xai-|pplx-|nvapi-|r8_|tgp_|csk-)[A-Za-z0-9_-]{16,}`),
	regexp.MustCompile(`()\bAIza[A-Za-z0-9_-]{30,}`),
	regexp.MustCompile(`()\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`),
	regexp.MustCompile(`()\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-)[A-Za-z0-9_-]{10,}`),
	regexp.MustCompile(`()\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+`),
}

// secretKeys are the names under which a value is a secret whatever it looks like.
var secretKeys = []string{
	"api_key", "api-key", "apikey", "x-api-key", "authorization", "password", "secret", "client_secret", "access_token", "token",
	"aws_secret_access_key", "aws_session_token",
}

// scrubber takes secrets out of texts: ours first, then the caller's.
type scrubber func(string) string

func (s scrubber) text(t string) string {
	for _, re := range secrets {
		after := redacted
		if strings.HasSuffix(re.String(), "@") {
			after += "@"
		}
		t = re.ReplaceAllString(t, "${1}"+after)
	}
	if s != nil {
		t = s(t)
	}
	return t
}

// value scrubs every string in v, in place where v is a map or a list, and what stands under the name of a secret.
func (s scrubber) value(v any) any {
	switch v := v.(type) {
	case string:
		return s.text(v)
	case exact:
		return exact(s.text(string(v)))
	case []any:
		for i := range v {
			v[i] = s.value(v[i])
		}
	case map[string]any:
		for key := range v {
			switch v[key].(type) {
			case string, exact:
				if slices.Contains(secretKeys, strings.ToLower(key)) {
					v[key] = redacted
					continue
				}
			}
			v[key] = s.value(v[key])
		}
	}
	return v
}

func (s scrubber) exact(e *exact) {
	if e != nil {
		*e = exact(s.text(string(*e)))
	}
}

func (s scrubber) messages(list []wireMessage) {
	for i := range list {
		for j := range list[i].Parts {
			s.part(&list[i].Parts[j])
		}
	}
}

// part leaves binary data alone: no text is looked for in pictures.
func (s scrubber) part(p *wirePart) {
	s.exact(p.Text)
	if p.Image != nil {
		s.exact(&p.Image.URL)
	}
	s.call(p.ToolCall)
	if p.ToolResponse != nil {
		s.exact(&p.ToolResponse.Content)
	}
	if p.Cached != nil {
		s.part(&p.Cached.Part)
	}
}

func (s scrubber) call(c *wireToolCall) {
	if c != nil && c.Function != nil {
		s.exact(&c.Function.Arguments)
	}
}

// chunks scrubs a stream. A secret may be spread over chunks: then the stream is replaced by a single one.
func (s scrubber) chunks(list []wireChunk) []wireChunk {
	var whole, pieces wireChunk
	for i := range list {
		whole.Text, whole.Reasoning = whole.Text+list[i].Text, whole.Reasoning+list[i].Reasoning
		s.exact(&list[i].Text)
		s.exact(&list[i].Reasoning)
		pieces.Text, pieces.Reasoning = pieces.Text+list[i].Text, pieces.Reasoning+list[i].Reasoning
	}
	s.exact(&whole.Text)
	s.exact(&whole.Reasoning)
	if whole == pieces {
		return list
	}
	var scrubbed []wireChunk
	if whole.Reasoning != "" {
		scrubbed = append(scrubbed, wireChunk{Reasoning: whole.Reasoning, Thinks: true})
	}
	if whole.Text != "" {
		scrubbed = append(scrubbed, wireChunk{Text: whole.Text})
	}
	return scrubbed
}
