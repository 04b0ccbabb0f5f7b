package adapters_test

import (
	"net/http"
	"net/url"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/cloudflare"
	"github.com/tmc/langchaingo/llms/llamafile"
	"github.com/tmc/langchaingo/llms/maritaca"
	"github.com/tmc/langchaingo/llms/ollama"
)

// Clients that take one text per message: ollama, llamafile, maritaca, cloudflare.

func ollamaAnswer(text string, done bool, a answer) object {
	o := object{"model": "m", "created_at": "2025-08-08T15:41:00Z", "message": object{"role": "assistant", "content": text}, "done": done}
	if done {
		o["done_reason"], o["prompt_eval_count"], o["eval_count"] = or(a.stop, "stop"), a.in, a.out
	}
	return o
}

const (
	oneText    = "the client takes one text per message"
	noTools    = "the client drops tools without a word"
	lostStream = "the client returns no text and no error"
)

func ollamaDialect() *dialect {
	return &dialect{
		name: "ollama", seam: ownClient, counts: true,
		open: func(t testing.TB, address string, hc *http.Client) llms.Model {
			m, err := ollama.New(ollama.WithServerURL(address), ollama.WithModel("llama3.2"), ollama.WithHTTPClient(hc))
			require.NoError(t, err)
			return m
		},
		full: func(_ *received, a answer) string { return jsonOf(ollamaAnswer(a.text, true, a)) + "\n" },
		stream: func(a answer) (frames []string) {
			for _, part := range a.parts {
				frames = append(frames, jsonOf(ollamaAnswer(part, false, a))+"\n")
			}
			return append(frames, jsonOf(ollamaAnswer("", true, a))+"\n")
		},
		failure:  failing(func(_ int, message string) any { return object{"error": message} }),
		messages: chatMessages, temp: fieldAt("options", "temperature"), empty: `{"done": true}`,
		cells: cells{
			parts: oneText, tools: noTools,
			endless: lostStream,
			nothing: "an empty answer is a success to the client; with a parser or validator it is an empty response",
			bare:    "an empty body is a success to the client; with a parser or validator it is an empty response",
		},
	}
}

func llamafileDialect() *dialect {
	return &dialect{
		name: "llamafile", seam: defaultClient,
		open: func(t testing.TB, address string, _ *http.Client) llms.Model {
			server, err := url.Parse(address)
			require.NoError(t, err)
			m, err := llamafile.New(edit(llamafile.WithModel(""), func(fields reflect.Value) {
				fields.FieldByName("LlamafileServerURL").Set(reflect.ValueOf(server))
			}))
			require.NoError(t, err)
			return m
		},
		full: func(_ *received, a answer) string {
			return jsonOf(object{"content": a.text, "stop": true, "model": "m"}) + "\n"
		},
		stream: func(a answer) (frames []string) {
			for _, part := range a.parts {
				frames = append(frames, "data: "+jsonOf(object{"content": part, "stop": false})+"\n\n")
			}
			return append(frames, "data: "+jsonOf(object{"content": "", "stop": true})+"\n\n")
		},
		failure:  failing(func(_ int, message string) any { return object{"error": message} }),
		messages: prompt("prompt"), temp: fieldAt("temperature"), empty: `{}`,
		cells: cells{
			prefill: "one prompt in a chat template, in which the answer does not go on from the prefill",
			images:  "the client takes images and does not send them",
			parts:   oneText, tools: noTools,
			endless: "the client takes the end of the connection for the end of the answer: a partial text is a success",
			nothing: "an empty answer is a success to the client; with a parser or validator it is an empty response",
			bare:    "an empty body is a success to the client; with a parser or validator it is an empty response",
			strict:  "one prompt in a chat template: there are no roles on the wire",
		},
	}
}

func maritacaDialect() *dialect {
	return &dialect{
		name: "maritaca", seam: ownClient, counts: true,
		open: func(t testing.TB, _ string, hc *http.Client) llms.Model {
			m, err := maritaca.New(maritaca.WithToken(secret), maritaca.WithModel("sabia-3"), maritaca.WithHTTPClient(hc))
			require.NoError(t, err)
			return m
		},
		full: func(_ *received, a answer) string {
			return jsonOf(object{"answer": a.text, "model": "sabia-3", "usage": object{"prompt_tokens": a.in, "completion_tokens": a.out, "total_tokens": a.in + a.out}}) + "\n"
		},
		stream: func(a answer) (frames []string) {
			for _, part := range a.parts {
				frames = append(frames, "event: message\ndata: "+jsonOf(object{"text": part})+"\n\n")
			}
			return append(frames, "event: end\n")
		},
		failure:  failing(func(_ int, message string) any { return object{"detail": message} }),
		messages: chatMessages, temp: fieldAt("temperature"), empty: `{}`,
		cells: cells{
			images: "the client takes text only", parts: oneText, tools: noTools,
			endless: lostStream,
			nothing: "an empty answer is a success to the client; with a parser or validator it is an empty response",
			bare:    "an empty body is a success to the client; with a parser or validator it is an empty response",
		},
	}
}

func cloudflareDialect() *dialect {
	return &dialect{
		name: "cloudflare", seam: ownClient, live: "raw JSON, one frame at a time",
		open: func(t testing.TB, address string, hc *http.Client) llms.Model {
			m, err := cloudflare.New(cloudflare.WithServerURL(address), cloudflare.WithAccountID("account"), cloudflare.WithToken(secret),
				cloudflare.WithModel("@cf/meta/llama-3.1-8b-instruct"), cloudflare.WithHTTPClient(hc))
			require.NoError(t, err)
			return m
		},
		full: func(_ *received, a answer) string {
			return jsonOf(object{"result": object{"response": a.text}, "success": true, "errors": []any{}, "messages": []any{}})
		},
		stream: func(a answer) (frames []string) {
			for _, part := range a.parts {
				frames = append(frames, "data: "+jsonOf(object{"response": part, "p": "abcdef"})+"\n\n")
			}
			return append(frames, "data: [DONE]\n\n")
		},
		failure: failing(func(_ int, message string) any {
			return object{"result": nil, "success": false, "errors": []object{{"code": 7009, "message": message}}, "messages": []any{}}
		}),
		messages: chatMessages, temp: fieldAt("temperature"), empty: `{"result": {}, "success": true}`,
		cells: cells{
			images: "the client takes text only", parts: oneText, tools: noTools,
			stream:  "the stream function gets raw JSON and the answer is empty",
			endless: lostStream,
			nothing: "an empty answer is a success to the client; with a parser or validator it is an empty response",
		},
	}
}
