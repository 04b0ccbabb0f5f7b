package adapters_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/huggingface"
	"github.com/tmc/langchaingo/llms/mistral"
	"github.com/tmc/langchaingo/llms/openai"
)

// The chat completions format: openai, azure, mistral, huggingface's router.

func chatCompletion(_ *received, a answer) string {
	message := object{"role": "assistant", "content": a.text}
	if a.call != nil {
		message["content"] = nil
		message["tool_calls"] = []object{{"id": "call_1", "type": "function", "function": object{"name": a.call.Name, "arguments": a.call.Arguments}}}
		a.stop = or(a.stop, "tool_calls")
	}
	return jsonOf(object{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1754667660, "model": "m",
		"choices": []object{{"index": 0, "message": message, "finish_reason": or(a.stop, "stop")}},
		"usage":   object{"prompt_tokens": a.in, "completion_tokens": a.out, "total_tokens": a.in + a.out},
	})
}

func chatCompletionChunks(a answer) []string {
	frame := func(delta object, stop any, usage any) string {
		return "data: " + jsonOf(object{
			"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1754667660, "model": "m",
			"choices": []object{{"index": 0, "delta": delta, "finish_reason": stop}}, "usage": usage,
		}) + "\n\n"
	}
	usage := object{"prompt_tokens": a.in, "completion_tokens": a.out, "total_tokens": a.in + a.out}
	var frames []string
	for _, part := range a.parts {
		frames = append(frames, frame(object{"role": "assistant", "content": part}, nil, nil))
	}
	return append(frames, frame(object{}, or(a.stop, "stop"), usage)+"data: [DONE]\n\n")
}

func openaiError(status int, message string) any {
	return object{"error": object{"message": message, "type": "error", "param": nil, "code": nil}}
}

func openaiDialect() *dialect {
	return &dialect{
		name: "openai", seam: ownClient, stops: true, counts: true,
		open: func(t testing.TB, address string, hc *http.Client) llms.Model {
			m, err := openai.New(openai.WithBaseURL(address+"/v1"), openai.WithToken(secret), openai.WithModel("gpt-4o"), openai.WithHTTPClient(hc))
			require.NoError(t, err)
			return m
		},
		full: chatCompletion, stream: chatCompletionChunks, failure: failing(openaiError),
		messages: chatMessages, temp: fieldAt("temperature"), empty: `{"choices": []}`,
		cells: cells{
			endless: "the client takes the end of the connection for the end of the answer: a partial text is a success",
		},
	}
}

func azureDialect() *dialect {
	d := openaiDialect()
	d.name = "azure"
	d.open = func(t testing.TB, address string, hc *http.Client) llms.Model {
		m, err := openai.New(openai.WithAPIType(openai.APITypeAzure), openai.WithBaseURL(address), openai.WithToken(secret),
			openai.WithModel("gpt-4o"), openai.WithEmbeddingModel("e"), openai.WithHTTPClient(hc))
		require.NoError(t, err)
		return m
	}
	d.failure = failing(func(status int, message string) any {
		return object{"error": object{"code": "error", "message": message}}
	})
	return d
}

func mistralDialect() *dialect {
	return &dialect{
		name: "mistral", seam: noSeam, stops: true, counts: true, inner: "mistral.WithMaxRetries(1)",
		open: func(t testing.TB, address string, _ *http.Client) llms.Model {
			m, err := mistral.New(mistral.WithEndpoint(address), mistral.WithAPIKey(secret), mistral.WithMaxRetries(1))
			require.NoError(t, err)
			return m
		},
		full: chatCompletion, stream: chatCompletionChunks,
		failure: failing(func(_ int, message string) any {
			return object{"object": "error", "message": message, "type": "error", "code": "1000"}
		}),
		messages: chatMessages, temp: fieldAt("temperature"), empty: `{"choices": []}`,
		cells: cells{
			images:   "the client takes text only",
			endless:  "the client takes the end of the connection for the end of the answer: a partial text is a success",
			cancel:   "the client drops the context; the call returns when the model does, and then as cancelled",
			deadline: "the client drops the context; WithAttemptTimeout leaves the request behind",
		},
	}
}

func routerDialect() *dialect {
	return &dialect{
		name: "huggingface router", seam: ownClient, single: true,
		open: func(t testing.TB, _ string, hc *http.Client) llms.Model {
			m, err := huggingface.New(huggingface.WithToken(secret), huggingface.WithModel("m"), huggingface.WithInferenceProvider("hyperbolic"), huggingface.WithHTTPClient(hc))
			require.NoError(t, err)
			return m
		},
		full: chatCompletion, failure: failing(func(_ int, message string) any { return object{"error": message} }),
		messages: chatMessages, temp: fieldAt("temperature"), empty: `{"choices": []}`,
		cells: singleCells(),
	}
}
