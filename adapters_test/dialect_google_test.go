package adapters_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/httputil"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/googleai"
	"github.com/tmc/langchaingo/llms/googleai/vertex"
	"google.golang.org/api/option"
)

// Gemini's generateContent: googleai, and vertex over REST.

func geminiAnswer(a answer, text, stop string) object {
	part := object{"text": text}
	if a.call != nil {
		part = object{"functionCall": object{"name": a.call.Name, "args": arguments(a.call)}}
	}
	candidate := object{"content": object{"role": "model", "parts": []object{part}}, "index": 0}
	if stop != "" {
		candidate["finishReason"] = stop
	}
	return object{
		"candidates":    []object{candidate},
		"usageMetadata": object{"promptTokenCount": a.in, "candidatesTokenCount": a.out, "totalTokenCount": a.in + a.out},
	}
}

// geminiBody is a list where the client asked for a stream, which it does for a conversation of several messages.
func geminiBody(r *received, body string) string {
	if strings.Contains(r.Path, ":streamGenerateContent") {
		return "[" + body + "]"
	}
	return body
}

func geminiRequest(r *received) []wireMessage {
	var out []wireMessage
	if system := textOf(field(r.Body, "systemInstruction", "parts")); system != "" {
		out = append(out, wireMessage{"system", system})
	}
	list, _ := r.Body["contents"].([]any)
	for _, c := range list {
		role, _ := field(c, "role").(string)
		if role == "model" {
			role = "assistant"
		}
		out = append(out, wireMessage{role, textOf(field(c, "parts"))})
	}
	return out
}

func geminiError(status int, message string) any {
	kind := map[int]string{
		400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED",
		500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
	}[status]
	return object{"error": object{"code": status, "message": message, "status": or(kind, "UNKNOWN")}}
}

// patient stands above a Transport of ours and makes an error of a 503: google's SDK would ask again, for ten minutes,
// and does not after an error. The Transport has seen the status.
type patient struct{ base http.RoundTripper }

func (p patient) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := p.base.RoundTrip(r)
	if err == nil && response.StatusCode == http.StatusServiceUnavailable {
		_ = response.Body.Close()
		return nil, errors.New(response.Status)
	}
	return response, err
}

func googleOptions(address string, base http.RoundTripper) []googleai.Option {
	hc := &http.Client{Transport: &httputil.ApiKeyTransport{APIKey: secret, Transport: base}}
	return []googleai.Option{googleai.WithHTTPClient(hc), googleai.WithDefaultModel("gemini-2.0-flash"), func(o *googleai.Options) {
		o.ClientOptions = append(o.ClientOptions, option.WithEndpoint(address), option.WithoutAuthentication())
	}}
}

func googleDialect() *dialect {
	return &dialect{
		name: "googleai", seam: googleClient, stops: true, counts: true, inner: "a RoundTripper above the Transport that makes an error of a 503, see below",
		open: func(t testing.TB, address string, hc *http.Client) llms.Model {
			m, err := googleai.New(t.Context(), googleOptions(address, patient{hc.Transport})...)
			require.NoError(t, err)
			t.Cleanup(func() {
				_ = m.Close()
				closeHidden(t, m, "client", "cc")
			})
			return m
		},
		full: func(r *received, a answer) string {
			return geminiBody(r, jsonOf(geminiAnswer(a, a.text, or(a.stop, "STOP"))))
		},
		stream: func(a answer) (frames []string) {
			open := "["
			for _, part := range a.parts {
				frames = append(frames, open+jsonOf(geminiAnswer(a, part, "")))
				open = ",\r\n"
			}
			return append(frames, ",\r\n"+jsonOf(geminiAnswer(a, "", or(a.stop, "STOP")))+"]")
		},
		failure: failing(geminiError), messages: geminiRequest, temp: fieldAt("generationConfig", "temperature"),
		empty: `{"candidates": []}`,
		cells: cells{
			prefill: "the client sends the last message as the user's, whatever its role",
			endless: "the client takes the end of the connection for the end of the answer: a partial text is a success",
		},
	}
}

func vertexDialect() *dialect {
	d := googleDialect()
	d.name, d.inner = "vertex", ""
	d.open = func(t testing.TB, address string, hc *http.Client) llms.Model {
		opts := append(googleOptions(address, hc.Transport), googleai.WithRest(), googleai.WithCloudProject("p"), googleai.WithCloudLocation("l"))
		m, err := vertex.New(t.Context(), opts...)
		require.NoError(t, err)
		t.Cleanup(func() {
			_ = m.Close()
			closeHidden(t, m, "palmClient", "client")
		})
		return m
	}
	return d
}
