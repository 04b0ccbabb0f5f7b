package llmretry

import "strings"

// redacted stands where a secret was.
const redacted = "REDACTED"

// secretParameters are the query parameters in which providers take keys: googleai's key, ernie's access_token and
// client_secret, the signatures of presigned URLs.
var secretParameters = [...]string{
	"key", "api_key", "api-key", "apikey", "token", "access_token", "client_secret", "secret", "password", "sig",
	"signature", "X-Amz-Signature", "X-Amz-Security-Token", "X-Goog-Signature",
}

// redact returns text without the secrets that errors are known to quote: net/http puts whole URLs into them, and some
// providers have the key there. Text without one is returned as it is.
func redact(text string) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); i++ {
		var from, to int
		switch text[i] {
		case '?', '&':
			from, to = secretValue(text, i+1)
		case '/':
			from, to = userinfo(text, i)
		case 'B', 'b':
			from, to = bearer(text, i)
		}
		if from < to {
			b.WriteString(text[done:from])
			b.WriteString(redacted)
			done, i = to, to-1
		}
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// secretValue returns where the value of the query parameter at i is, if its name is one of a secret.
func secretValue(text string, i int) (from, to int) {
	for _, name := range secretParameters {
		end := i + len(name)
		if end < len(text) && text[end] == '=' && strings.EqualFold(text[i:end], name) {
			return end + 1, end + 1 + wordLen(text[end+1:], "&#")
		}
	}
	return 0, 0
}

// userinfo returns where name and password are in a URL whose "//" is at i.
func userinfo(text string, i int) (from, to int) {
	if i == 0 || text[i-1] != ':' || !strings.HasPrefix(text[i:], "//") {
		return 0, 0
	}
	authority := text[i+2:]
	authority = authority[:wordLen(authority, "/?#")]
	return i + 2, i + 2 + max(strings.LastIndexByte(authority, '@'), 0)
}

// bearer returns where the token of an Authorization header at i is.
func bearer(text string, i int) (from, to int) {
	const scheme = "Bearer "
	end := i + len(scheme)
	if end >= len(text) || !strings.EqualFold(text[i:end], scheme) {
		return 0, 0
	}
	n := wordLen(text[end:], ",;")
	if n < minToken { // "bearer token" in a sentence
		return 0, 0
	}
	return end, end + n
}

const minToken = 12

// wordLen returns the length of what text begins with up to a space, a quote, an angle bracket or one of ends.
func wordLen(text, ends string) int {
	for i := range len(text) {
		if text[i] <= ' ' || strings.IndexByte("\"'`<>\\", text[i]) >= 0 || strings.IndexByte(ends, text[i]) >= 0 {
			return i
		}
	}
	return len(text)
}
