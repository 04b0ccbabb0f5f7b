package adapters_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/llmretry/langchaingo-llmretry/reaskprompt"
)

// messageScenarios are about what the next request says.
var messageScenarios = []scenario{
	{"msg-01", "E7", callersMessages},
	{"msg-03", "E13", everyCallAnswered},
	{"msg-07", "F8, E11", emptyReply},
	{"msg-08", "E4, E2", correctionNamesTheFault},
	{"msg-09", "F2, E1", correctionSpeaksSchema},
	{"msg-10", "F1, F5", everyReplyIsValidated},
}

func callersMessages(t *testing.T) {
	for name, s := range map[string]scene{
		"success": {turns: []turn{tells(seven), tells(blue)}},
		"failure": {turns: []turn{tells(seven), tells(seven), tells(seven)}},
		"cancelled": {turns: []turn{tells(seven), {waits: true}}, within: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Second)
		}},
	} {
		messages := make([]llms.MessageContent, 2, 9) // room that an append would write to
		messages[0] = llms.TextParts(llms.ChatMessageTypeSystem, "Answer in JSON.")
		messages[1] = llms.MessageContent{Role: llms.ChatMessageTypeHuman, Parts: append(make([]llms.ContentPart, 0, 4), llms.TextPart("Which colour?"))}
		before := whole(messages)
		s.messages = messages
		c := s.play(t)
		assert.Equal(t, name == "success", c.err == nil, name)
		assert.Len(t, c.asked[1].messages, 4, name)
		assert.Equal(t, before, whole(messages), "%s: with what is behind their end", name)
		assert.Nil(t, messages[1].Parts[:4][1], name)
	}
}

var namedTools = []llms.Tool{
	{Type: "function", Function: &llms.FunctionDefinition{Name: "f", Parameters: object{"type": "object", "properties": object{"name": object{"type": "string", "minLength": 1}}}}},
	{Type: "function", Function: &llms.FunctionDefinition{Name: "g", Parameters: object{"type": "object"}}},
}

// The default is text, in which no call can stay unanswered; natively, each has its answer.
func everyCallAnswered(t *testing.T) {
	call := func(id, name, arguments string) object {
		return object{"id": id, "type": "function", "function": object{"name": name, "arguments": arguments}}
	}
	refused := reply{body: jsonOf(object{"choices": []object{{"index": 0, "finish_reason": "tool_calls", "message": object{
		"role": "assistant", "content": "", "tool_calls": []object{call("t1", "f", `{"name":""}`), call("t2", "g", `{}`)},
	}}}})}
	then := reply{body: chatCompletion(nil, answer{text: blue, in: 1, out: 1})}
	for _, native := range []bool{true, false} {
		r := newRig(t, openaiDialect(), true, inOrder(refused, then))
		opts := []llmretry.Option{llmretry.WithToolValidator(llmretry.Must(outputparser.ToolArguments(namedTools)))}
		if native {
			opts = append(opts, llmretry.WithNativeToolReplay())
		}
		c := scene{client: r.client, opts: opts, call: []llms.CallOption{llms.WithTools(namedTools)}}.play(t)
		require.NoError(t, c.err)
		require.Len(t, r.received(), 2)
		messages := recordedRequest{Body: r.received()[1].Body}.messages()
		var roles, results []any
		for _, m := range messages {
			roles = append(roles, m["role"])
			if m["tool_call_id"] != nil {
				results = append(results, m["tool_call_id"])
			}
		}
		if native {
			assert.Equal(t, []any{"user", "assistant", "tool", "tool"}, roles)
			assert.Equal(t, []any{"t1", "t2"}, results)
			continue
		}
		assert.Equal(t, []any{"user", "assistant", "user"}, roles)
		assert.NotContains(t, messages[1], "tool_calls")
		assert.Contains(t, messages[1]["content"], `"f"`)
		assert.Contains(t, messages[1]["content"], `"g"`)
	}
}

// Nothing was said, so there is nothing to correct: it is a transient failure, and the request is sent again as it was.
func emptyReply(t *testing.T) {
	c := scene{turns: []turn{tells(""), tells(blue)}}.play(t)
	require.NoError(t, c.err)
	assert.Equal(t, blue, c.response.Choices[0].Content)
	require.Len(t, c.asked, 2)
	assert.Equal(t, oneQuestion, c.asked[1].messages)
	assert.Equal(t, []llmretry.ErrorCategory{llmretry.CategoryEmptyResponse, ""}, ways(c.report))
}

func correctionNamesTheFault(t *testing.T) {
	c := scene{turns: []turn{tells(seven), tells(blue)}}.play(t)
	require.NoError(t, c.err)
	second := c.asked[1].messages
	require.Len(t, second, 3)
	assert.Equal(t, llms.TextParts(llms.ChatMessageTypeAI, seven), second[1])
	assert.Equal(t, llms.ChatMessageTypeHuman, second[2].Role)
	said := c.asked[1].text()
	assert.Contains(t, said, "/answer")
	assert.Contains(t, said, "string")
}

// By a schema and by a Go type alike.
func correctionSpeaksSchema(t *testing.T) {
	type status struct {
		Status string `json:"status" jsonschema:"enum=ACTIVE,enum=INACTIVE"`
	}
	bySchema := llmretry.Must(outputparser.FromSchema([]byte(`{"type":"object","properties":{"status":{"enum":["ACTIVE","INACTIVE"]}},"required":["status"]}`)))
	byType := llmretry.Must(outputparser.JSON[status]())
	for name, parser := range map[string]llmretry.Option{"schema": llmretry.WithParser(bySchema), "type": llmretry.WithParser(byType)} {
		for _, refused := range []string{`{"status":"Active"}`, `{"status":1}`} {
			words := llmretry.WithReask(llmretry.Must(reaskprompt.Template("{{issues .}}")))
			c := scene{turns: []turn{tells(refused), tells(`{"status":"ACTIVE"}`)}, opts: []llmretry.Option{parser, words}}.play(t)
			require.NoError(t, c.err, name)
			correction := c.asked[1].messages[2].Parts[0].(llms.TextContent).Text
			for _, word := range []string{"/status", "ACTIVE", "INACTIVE"} {
				assert.Contains(t, correction, word, name)
			}
			for _, word := range []string{"Go ", "struct", "unmarshal", "_test", "json:"} {
				assert.NotContains(t, correction, word, name)
			}
		}
	}
}

func everyReplyIsValidated(t *testing.T) {
	var inputs []string
	validator := llmretry.WithValidator(func(_ context.Context, r *llms.ContentResponse) error {
		inputs = append(inputs, r.Choices[0].Content)
		if strings.Contains(r.Choices[0].Content, "7") {
			return errors.New("/answer: a colour has no number")
		}
		return nil
	})
	anything := llmretry.WithParser(llmretry.ParserFunc[string](func(text string) (string, error) { return text, nil }))
	c := scene{turns: []turn{tells(seven), tells(blue)}, opts: []llmretry.Option{anything, validator}}.play(t)
	require.NoError(t, c.err)
	assert.Equal(t, []string{seven, blue}, inputs)
	assert.Equal(t, blue, c.response.Choices[0].Content)
}
