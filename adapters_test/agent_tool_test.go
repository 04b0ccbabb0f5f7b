package adapters_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	toolkit "github.com/tmc/langchaingo/tools"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	llmcompose "github.com/llmretry/langchaingo-llmretry/llmretry/compose"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

// weather is a reply of a remote tool, as an MCP server sends one.
type weather struct {
	City    string `json:"city"`
	Celsius int    `json:"celsius"`
}

// remoteTool asks a server, and asks again while its reply is none: the schema retry needs neither a model nor a
// decorator.
type remoteTool struct {
	server func(request string) (string, error)
	trail  *llmretry.Trail
}

func (remoteTool) Name() string        { return "weather" }
func (remoteTool) Description() string { return "Tells the weather of a city." }

func (r remoteTool) Call(ctx context.Context, input string) (string, error) {
	first, err := r.server(input)
	if err != nil {
		return "", err
	}
	reply, err := llmretry.SchemaRetry[weather]{
		Prompt: input, Step: "weather", Trail: r.trail,
		Validate: llmretry.Must(outputparser.JSON[weather](outputparser.Strict())).Parse,
		AskAgain: func(_ context.Context, request string) (string, error) { return r.server(request) },
		Compose:  llmretry.PreviousErrors("refused because:\n"),
	}.Run(ctx, first)
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(reply)
	return string(data), err
}

// visit runs an agent that asks for the weather in Rome, with a server that gives these replies.
func visit(t *testing.T, replies ...string) (out string, requests []string, asked []asked, trail *llmretry.Trail, err error) {
	t.Helper()
	trail = new(llmretry.Trail)
	tool := remoteTool{trail: trail, server: func(request string) (string, error) {
		requests = append(requests, request)
		if len(requests) > len(replies) {
			return "", errSceneOver
		}
		return replies[len(requests)-1], nil
	}}
	list := []toolkit.Tool{tool}
	inner := &sceneModel{turns: tellAll([]string{"Action: weather\nAction Input: Rome", "Final Answer: 21 degrees"})}
	model := llmretry.Must(llmretry.New(inner, llmretry.WithReask(plainWords), llmretry.WithValidator(llmretry.Must(llmcompose.OneShotStep(list)))))
	out, err = chains.Run(t.Context(), agents.NewExecutor(agents.NewOneShotAgent(model, list)), "Weather?")
	return out, requests, inner.requests(), trail, err
}

// TestAgentToolOutput: a tool's own reply is validated and asked for again before the agent sees it. (Semantics K1 to
// K6.)
func TestAgentToolOutput(t *testing.T) {
	out, requests, asked, trail, err := visit(t, `{"city":"Rome","celsius":"warm"}`, `oops`, `{"city":"Rome","celsius":21}`)
	require.NoError(t, err)
	assert.Equal(t, "21 degrees", out)
	require.Len(t, requests, 3)
	assert.Equal(t, "Rome", requests[0])
	assert.Equal(t, "Rome\n\nrefused because:\n/celsius: want integer, got \"warm\"", requests[1])
	require.Len(t, asked, 2, "no model call was spent on it")
	assert.Contains(t, asked[1].text(), `Observation: {"city":"Rome","celsius":21}`)
	assert.NotContains(t, asked[1].text(), "warm")
	assert.Len(t, trail.Entries(), 2)

	_, requests, asked, _, err = visit(t, `{}`, `[]`, `x`)
	require.ErrorIs(t, err, llmretry.ErrExhausted)
	var exhausted *llmretry.ExhaustedError
	require.ErrorAs(t, err, &exhausted)
	assert.Len(t, exhausted.Trail, 3)
	assert.Len(t, requests, 3)
	assert.Len(t, asked, 1)

	_, requests, _, _, err = visit(t, `{}`)
	require.True(t, errors.Is(err, errSceneOver), "the server's own failure passes through: %v", err)
	assert.Len(t, requests, 2)
}
