package adapters_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	wx "github.com/IBM/watsonx-go/pkg/models"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/cohere"
	"github.com/tmc/langchaingo/llms/ernie"
	"github.com/tmc/langchaingo/llms/huggingface"
	"github.com/tmc/langchaingo/llms/watsonx"
)

// Clients that send one text, the first part of the first message: cohere, huggingface, watsonx, ernie.

const lostMessage = "the client drops the provider's message, so a 429 about a quota looks like any other"

// singleCells is what all of them cannot do.
func singleCells(more ...cells) cells {
	const whole, text = "the client never calls the stream function", "the client sends one text"
	c := cells{
		prefill: "a flattened transcript has no assistant message", images: text, parts: text, tools: text, strict: text,
		stream: whole, early: whole, late: whole, endless: whole, resetting: whole,
	}
	for _, m := range more {
		maps.Copy(c, m)
	}
	return c
}

func cohereDialect() *dialect {
	return &dialect{
		name: "cohere", seam: defaultClient, single: true,
		open: func(t testing.TB, address string, _ *http.Client) llms.Model {
			m, err := cohere.New(cohere.WithToken(secret), cohere.WithBaseURL(address), cohere.WithModel("command"))
			require.NoError(t, err)
			return m
		},
		full: func(_ *received, a answer) string {
			return jsonOf(object{"id": "g", "generations": []object{{"id": "g1", "text": a.text}}})
		},
		failure:  failing(func(_ int, message string) any { return object{"message": message} }),
		messages: prompt("prompt"), temp: fieldAt("temperature"), empty: `{"id": "g", "generations": []}`,
		cells: singleCells(cells{statuses: lostMessage}),
	}
}

func huggingfaceDialect() *dialect {
	return &dialect{
		name: "huggingface", seam: ownClient, single: true,
		open: func(t testing.TB, address string, hc *http.Client) llms.Model {
			m, err := huggingface.New(huggingface.WithToken(secret), huggingface.WithURL(address), huggingface.WithModel("gpt2"), huggingface.WithHTTPClient(hc))
			require.NoError(t, err)
			return m
		},
		full:     func(_ *received, a answer) string { return jsonOf([]object{{"generated_text": a.text}}) },
		failure:  failing(func(_ int, message string) any { return object{"error": message} }),
		messages: prompt("inputs"), temp: fieldAt("parameters", "temperature"), empty: `[]`,
		cells: singleCells(),
	}
}

func watsonxDialect() *dialect {
	return &dialect{
		name: "watsonx", seam: noSeam, single: true,
		open: func(t testing.TB, address string, _ *http.Client) llms.Model {
			m, err := watsonx.New("ibm/granite-13b", wx.WithURL(strings.TrimPrefix(address, "http://")), wx.WithWatsonxAPIKey(secret), wx.WithWatsonxProjectID("p"))
			require.NoError(t, err)
			return m
		},
		full: func(_ *received, a answer) string {
			return jsonOf(object{"model_id": "m", "results": []object{{
				"generated_text": a.text, "generated_token_count": a.out, "input_token_count": a.in, "stop_reason": or(a.stop, "eos_token"),
			}}})
		},
		failure: failing(func(status int, message string) any {
			return object{"errors": []object{{"code": "error", "message": message}}, "trace": "t", "status_code": status}
		}),
		messages: prompt("input"), temp: fieldAt("parameters", "temperature"), empty: `{"results": []}`,
		cells: singleCells(cells{
			cancel:   "the client takes no context; the call returns when the model does, and then as cancelled",
			deadline: "the client takes no context; WithAttemptTimeout leaves the request behind",
		}),
	}
}

func ernieDialect() *dialect {
	body := func(text string, end bool, a answer) object {
		return object{
			"id": "as-1", "object": "chat.completion", "created": 1754667660, "result": text, "is_end": end, "is_truncated": false,
			"usage": object{"prompt_tokens": a.in, "completion_tokens": a.out, "total_tokens": a.in + a.out},
		}
	}
	c := singleCells()
	for _, name := range []string{stream, early, late, resetting} {
		delete(c, name)
	}
	c[endless] = "the client takes the end of the connection for the end of the answer: a partial text is a success"
	c[statuses] = lostMessage
	c[nothing] = "an empty answer is a success to the client; with a parser or validator it is an empty response"
	return &dialect{
		name: "ernie", seam: ownClient, single: true,
		open: func(t testing.TB, _ string, hc *http.Client) llms.Model {
			m, err := ernie.New(ernie.WithAccessToken(secret), ernie.WithModelName(ernie.ModelNameERNIEBot), ernie.WithHTTPClient(hc))
			require.NoError(t, err)
			return m
		},
		full: func(_ *received, a answer) string { return jsonOf(body(a.text, true, a)) },
		stream: func(a answer) (frames []string) {
			for _, part := range a.parts {
				frames = append(frames, "data: "+jsonOf(body(part, false, a))+"\n\n")
			}
			return append(frames, "data: "+jsonOf(body("", true, a))+"\n\n")
		},
		failure:  failing(func(_ int, message string) any { return object{"error_code": 336000, "error_msg": message} }),
		messages: chatMessages, temp: fieldAt("temperature"), empty: `{}`,
		cells: c,
	}
}
