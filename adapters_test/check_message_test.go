package adapters_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// messageChecks are about the transcript, as it arrives.
func messageChecks() []matrixCheck {
	return []matrixCheck{
		{prefill, checkPrefill}, {system, checkSystem}, {images, checkImages}, {parts, checkParts}, {tools, checkTools},
		{strict, checkStrict},
	}
}

// checkPrefill: the output goes on from the caller's assistant message; no second one is there. (Semantics E8.)
func checkPrefill(t *testing.T, d *dialect) mark {
	if d.cells[prefill] != "" {
		return skipped
	}
	r := newRig(t, d, true, inOrder(d.says(` "Ada", "age": "many"}`)(nil), d.says(` "Ada", "age": 36}`)(nil)))
	inBubble(t, func(t *testing.T) {
		begun := llmretry.ParserFunc[person](func(text string) (person, error) { return personParser.Parse(`{"name":` + text) })
		messages := append([]llms.MessageContent{}, question[0], llms.TextParts(llms.ChatMessageTypeAI, `{"name":`))
		result, err := llmretry.Generate(t.Context(), r.wrap(t, correcting()), begun, messages)
		require.NoError(t, err)
		assert.Equal(t, 36, result.Value.Age)
	})
	assert.Equal(t, "user assistant user", r.roles(1))
	assert.Equal(t, `{"name": "Ada", "age": "many"}`, d.messages(r.received()[1])[1].text)
	return passed
}

// checkSystem: a system message in front reaches the provider with the question and the correction.
func checkSystem(t *testing.T, d *dialect) mark {
	r := newRig(t, d, true, d.heals(0))
	inBubble(t, func(t *testing.T) {
		messages := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeSystem, "Answer in JSON."), question[0]}
		_, err := llmretry.Generate(t.Context(), r.wrap(t, correcting()), personParser, messages)
		require.NoError(t, err)
	})
	for n := range r.received() {
		assert.Contains(t, r.said(n), "Answer in JSON.")
		assert.Contains(t, r.said(n), ask)
	}
	return passed
}

// checkImages: an image stays in every request.
func checkImages(t *testing.T, d *dialect) mark {
	if d.cells[images] != "" {
		return skipped
	}
	picture := []byte("\x89PNG a picture")
	r := newRig(t, d, true, d.heals(0))
	inBubble(t, func(t *testing.T) {
		messages := []llms.MessageContent{{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{
			llms.TextPart(ask), llms.BinaryPart("image/png", picture),
		}}}
		_, err := llmretry.Generate(t.Context(), r.wrap(t, correcting()), personParser, messages)
		require.NoError(t, err)
	})
	require.Len(t, r.received(), 2)
	for _, got := range r.received() {
		assert.Contains(t, string(got.Raw), base64.StdEncoding.EncodeToString(picture))
	}
	return passed
}

// checkParts: two texts in one message of the caller's.
func checkParts(t *testing.T, d *dialect) mark {
	messages := []llms.MessageContent{{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{
		llms.TextPart(ask), llms.TextPart("Short, please."),
	}}}
	r := newRig(t, d, true, d.heals(0))
	if d.single {
		// Flattened, both are there all the same.
		inBubble(t, func(t *testing.T) {
			_, err := llmretry.Generate(t.Context(), r.wrap(t, correcting()), personParser, messages)
			require.NoError(t, err)
		})
		assert.Contains(t, r.said(1), "Short, please.")
		return deviates
	}
	var err error
	inBubble(t, func(t *testing.T) {
		_, err = llmretry.Generate(t.Context(), r.wrap(t, correcting()), personParser, messages)
	})
	if d.cells[parts] != "" {
		assert.Equal(t, llmretry.CategoryUnsupportedContentBlock, llmretry.Category(err))
		assert.Empty(t, r.received())
		return deviates
	}
	require.NoError(t, err)
	require.Len(t, r.received(), 2)
	for n := range 2 {
		assert.Contains(t, r.said(n), ask)
		assert.Contains(t, r.said(n), "Short, please.")
	}
	return passed
}

var emit = llms.Tool{Type: "function", Function: &llms.FunctionDefinition{
	Name: "emit", Description: "Emit the person.",
	Parameters: object{"type": "object", "properties": object{"age": object{"type": "integer"}}, "required": []string{"age"}},
}}

// checkTools: a refused tool call is replayed as text and as calls with answers, and the provider takes both.
// (Semantics E13, F3.)
func checkTools(t *testing.T, d *dialect) mark {
	if d.cells[tools] != "" {
		return skipped
	}
	judge := llmretry.WithToolValidator(func(_ context.Context, r *llms.ContentResponse) error {
		for _, choice := range r.Choices {
			for _, call := range choice.ToolCalls {
				if strings.Contains(call.FunctionCall.Arguments, "many") {
					return errors.New(mention)
				}
			}
		}
		return nil
	})
	for _, native := range []bool{false, true} {
		r := newRig(t, d, true, func(n int, r *received) reply {
			arguments := `{"age":36}`
			if n == 0 {
				arguments = `{"age":"many"}`
			}
			return d.answers(answer{call: &llms.FunctionCall{Name: "emit", Arguments: arguments}})(r)
		})
		inBubble(t, func(t *testing.T) {
			opts := []llmretry.Option{judge, correcting()}
			if native {
				opts = append(opts, llmretry.WithNativeToolReplay())
			}
			response, err := r.wrap(t, opts...).GenerateContent(t.Context(), question, llms.WithTools([]llms.Tool{emit}))
			require.NoError(t, err)
			require.Len(t, response.Choices, 1)
			assert.JSONEq(t, `{"age":36}`, response.Choices[0].ToolCalls[0].FunctionCall.Arguments)
		})
		require.Len(t, r.received(), 2)
		raw := string(r.received()[1].Raw)
		assert.Contains(t, raw, "Correction 0: "+mention, "native: %v", native)
		if !native {
			assert.Contains(t, r.said(1), `{"name": "emit", "arguments": "{\"age\":\"many\"}"}`)
			assert.Equal(t, "user assistant user", r.roles(1))
		}
	}
	return passed
}

// checkStrict: the server refuses what strict providers refuse: roles that do not alternate, a blank message, an end
// that is not the user's. (Semantics E11, E12.)
func checkStrict(t *testing.T, d *dialect) mark {
	if d.cells[strict] != "" {
		return skipped
	}
	r := newRig(t, d, true, func(n int, r *received) reply {
		if problem := strictProblem(d.messages(r)); problem != "" {
			return d.fails(400, problem, "")
		}
		switch n {
		case 0, 2:
			return d.says([]string{worse, "", wrong}[n])(r)
		case 1:
			return d.says(" ")(r) // blank: asked again, nothing appended
		}
		return d.says(right)(r)
	})
	inBubble(t, func(t *testing.T) {
		messages := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeSystem, "Answer in JSON."), question[0]}
		m := r.wrap(t, correcting(), llmretry.WithMaxAttempts(4))
		_, err := llmretry.Generate(t.Context(), m, personParser, messages)
		require.NoError(t, err)
	})
	assert.Equal(t, "system user assistant user assistant user", r.roles(3))
	return passed
}

func strictProblem(messages []wireMessage) string {
	before := ""
	for i, m := range messages {
		switch {
		case strings.TrimSpace(m.text) == "":
			return fmt.Sprintf("message %d is blank", i)
		case m.role == before:
			return fmt.Sprintf("message %d is %s's again", i, m.role)
		}
		before = m.role
	}
	if before != "user" {
		return "the last message is not the user's"
	}
	return ""
}
