package llmretry

import (
	"errors"
	"io"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRedact(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "plain": "plain", "a?b&c": "a?b&c", "what is the key=?": "what is the key=?", "monkey=1": "monkey=1",
		`Post "https://generativelanguage.googleapis.com/v1beta/models/g:generateContent?%24alt=json&key=AIzaSyX": dial tcp: refused`: `Post "https://generativelanguage.googleapis.com/v1beta/models/g:generateContent?%24alt=json&key=REDACTED": dial tcp: refused`,
		`Get "https://h/p?key=s1&x=1&access_token=s2#f": EOF`:                                                                         `Get "https://h/p?key=REDACTED&x=1&access_token=REDACTED#f": EOF`,
		`Post "https://h/oauth?client_id=id&client_secret=s": EOF`:                                                                    `Post "https://h/oauth?client_id=id&client_secret=REDACTED": EOF`,
		"https://h/p?KEY=s":     "https://h/p?KEY=REDACTED",
		"https://h/p?key=":      "https://h/p?key=",
		"https://h/p?key=&x=1":  "https://h/p?key=&x=1",
		"https://user:pass@h/p": "https://REDACTED@h/p",
		"http://user:p@ss@h":    "http://REDACTED@h",
		"https://h/p@q":         "https://h/p@q",
		"//user@h":              "//user@h",
		"Authorization: Bearer sk-0123456789abcdef, x": "Authorization: Bearer REDACTED, x",
		"a bearer token is missing":                    "a bearer token is missing",
		"bearer ":                                      "bearer ",
		"?key=a ?key=b":                                "?key=REDACTED ?key=REDACTED",
	} {
		require.Equal(t, want, redact(text))
	}
	require.Zero(t, testing.AllocsPerRun(10, func() { redact("API returned unexpected status code: 503: overloaded") }))
}

// A client's error that quotes a key is shown without it, and is still that error.
func TestDiscreet(t *testing.T) {
	plain, telling := errors.New("plain"), &url.Error{Op: "Post", URL: "https://h/?access_token=s3cr3t", Err: io.EOF}
	require.Same(t, plain, discreet(plain))
	shown := discreet(telling)
	require.NotContains(t, shown.Error(), "s3cr3t")
	require.ErrorIs(t, shown, io.EOF)
	require.Equal(t, Category(telling), Category(shown))
	require.Same(t, shown, discreet(shown))
}
