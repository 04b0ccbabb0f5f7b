package adapters_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/bedrock"
)

// The six model families of bedrock. Each has a body of its own; errors and streams are AWS's.

// openBedrock makes the client; attempts is the SDK's own, 0 for its default of 3.
func openBedrock(model string, attempts int) func(testing.TB, string, *http.Client) llms.Model {
	return func(t testing.TB, address string, hc *http.Client) llms.Model {
		client := bedrockruntime.New(bedrockruntime.Options{
			Region: "us-east-1", BaseEndpoint: aws.String(address), HTTPClient: hc, RetryMaxAttempts: attempts,
			Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
				return aws.Credentials{AccessKeyID: "AKIAEXAMPLE", SecretAccessKey: secret, SessionToken: secret}, nil
			}),
		})
		m, err := bedrock.New(bedrock.WithClient(client), bedrock.WithModel(model))
		require.NoError(t, err)
		return m
	}
}

func bedrockFailure(status int, message string) reply {
	kind := map[int]string{
		400: "ValidationException", 401: "UnrecognizedClientException", 403: "AccessDeniedException", 404: "ResourceNotFoundException",
		408: "ModelTimeoutException", 429: "ThrottlingException", 500: "InternalServerException", 503: "ServiceUnavailableException",
	}[status]
	r := reply{status: status, body: jsonOf(object{"message": message})}
	if kind != "" {
		r.header = map[string]string{"X-Amzn-Errortype": kind}
	}
	return r
}

func bedrockFamily(name, model string) *dialect {
	const prompt, whole = "the client writes the conversation into one text", "the client does not stream this family"
	return &dialect{
		name: "bedrock " + name, seam: awsClient, stops: true, counts: true, inner: "bedrockruntime.Options{RetryMaxAttempts: 1}",
		open: openBedrock(model, 1), failure: bedrockFailure,
		cells: cells{
			prefill: prompt + ", in which the answer does not go on from the prefill", strict: prompt,
			images: "the client drops what is not text", tools: noTools,
			stream: whole, early: whole, late: whole, endless: whole, resetting: whole,
		},
	}
}

func bedrockDialects() []*dialect {
	claude := bedrockFamily("anthropic", "anthropic.claude-3-haiku-20240307-v1:0")
	claude.full, claude.messages, claude.temp, claude.empty = messagesAnswer, messagesRequest, fieldAt("temperature"), `{"content": []}`
	claude.stream = func(a answer) (frames []string) {
		frame := func(v object) string {
			return eventStreamChunk(jsonOf(object{"bytes": base64.StdEncoding.EncodeToString([]byte(jsonOf(v)))}))
		}
		start := frame(object{"type": "message_start", "message": object{"usage": object{"input_tokens": a.in, "output_tokens": 1}}})
		for _, part := range a.parts {
			frames = append(frames, start+frame(object{"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": part}}))
			start = ""
		}
		return append(frames, frame(object{"type": "message_delta", "delta": object{"stop_reason": or(a.stop, "end_turn")}, "usage": object{"output_tokens": a.out}}))
	}
	claude.cells = cells{
		endless: "the client takes the end of the connection for the end of the answer: a partial text is a success",
	}

	nova := bedrockFamily("nova", "amazon.nova-lite-v1:0")
	nova.full = func(_ *received, a answer) string {
		return jsonOf(object{
			"output":     object{"message": object{"role": "assistant", "content": []object{{"text": a.text}}}},
			"stopReason": or(a.stop, "end_turn"), "usage": object{"inputTokens": a.in, "outputTokens": a.out, "totalTokens": a.in + a.out},
		})
	}
	nova.messages, nova.temp, nova.empty = messagesRequest, fieldAt("inferenceConfig", "temperature"), `{"output": {}}`
	delete(nova.cells, prefill)
	delete(nova.cells, strict)
	delete(nova.cells, images)

	titan := bedrockFamily("titan", "amazon.titan-text-express-v1")
	titan.full = func(_ *received, a answer) string {
		return jsonOf(object{"inputTextTokenCount": a.in, "results": []object{{"tokenCount": a.out, "outputText": a.text, "completionReason": or(a.stop, "FINISH")}}})
	}
	titan.messages, titan.temp, titan.empty = prompt("inputText"), fieldAt("textGenerationConfig", "temperature"), `{"results": []}`

	meta := bedrockFamily("meta", "meta.llama3-8b-instruct-v1:0")
	meta.full = func(_ *received, a answer) string {
		return jsonOf(object{"generation": a.text, "prompt_token_count": a.in, "generation_token_count": a.out, "stop_reason": or(a.stop, "stop")})
	}
	meta.messages, meta.temp, meta.empty = prompt("prompt"), fieldAt("temperature"), `{}`
	meta.cells[nothing] = "an empty answer is a success to the client; with a parser or validator it is an empty response"

	ai21 := bedrockFamily("ai21", "ai21.j2-mid-v1")
	ai21.full = func(_ *received, a answer) string {
		return jsonOf(object{
			"id": 1, "prompt": object{"tokens": make([]object, a.in)},
			"completions": []object{{"data": object{"text": a.text, "tokens": make([]object, a.out)}, "finishReason": object{"reason": or(a.stop, "endoftext")}}},
		})
	}
	ai21.messages, ai21.temp, ai21.empty = prompt("prompt"), fieldAt("temperature"), `{"completions": []}`

	command := bedrockFamily("cohere", "cohere.command-text-v14")
	command.counts = false
	command.full = func(_ *received, a answer) string {
		return jsonOf(object{"id": "g", "generations": []object{{"id": "g1", "text": a.text, "finish_reason": or(a.stop, "COMPLETE")}}})
	}
	command.messages, command.temp, command.empty = prompt("prompt"), fieldAt("temperature"), `{"generations": []}`
	return []*dialect{claude, nova, titan, meta, ai21, command}
}

// eventStreamChunk is one message of AWS's event stream encoding: lengths, their checksum, headers, payload, checksum.
func eventStreamChunk(payload string) string {
	var headers []byte
	for _, h := range [][2]string{{":message-type", "event"}, {":event-type", "chunk"}, {":content-type", "application/json"}} {
		headers = append(headers, byte(len(h[0])))
		headers = append(headers, h[0]...)
		headers = append(headers, 7) // a string
		headers = binary.BigEndian.AppendUint16(headers, uint16(len(h[1])))
		headers = append(headers, h[1]...)
	}
	m := binary.BigEndian.AppendUint32(nil, uint32(4+4+4+len(headers)+len(payload)+4))
	m = binary.BigEndian.AppendUint32(m, uint32(len(headers)))
	m = binary.BigEndian.AppendUint32(m, crc32.ChecksumIEEE(m))
	m = append(append(m, headers...), payload...)
	return string(binary.BigEndian.AppendUint32(m, crc32.ChecksumIEEE(m)))
}
