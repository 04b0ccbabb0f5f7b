package retrytest_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/internal/golden"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/llmretry/retrytest"
)

// recorded is the recording of calls with these prompts, answered "0", "1" ...
func recorded(t testing.TB, opts []llms.CallOption, prompts ...string) string {
	t.Helper()
	var steps []retrytest.Step
	for i := range prompts {
		steps = append(steps, retrytest.Reply(fmt.Sprint(i)))
	}
	r, file := record(t, retrytest.NewScript(t, steps...))
	for _, prompt := range prompts {
		_, err := r.Call(context.Background(), prompt, opts...)
		require.NoError(t, err)
	}
	return file.String()
}

// A call that changed says how, in words that fit a terminal.
func TestMismatch(t *testing.T) {
	const long = "Read the mail and answer with one JSON object that satisfies the schema below; "
	r, file := record(t, retrytest.NewScript(t, retrytest.Reply("x")))
	_, err := r.GenerateContent(t.Context(), []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, long+"the priority is low or high."),
		human("Mail."), assistant("No."), human("Again."),
	}, llms.WithTemperature(0), llms.WithMaxTokens(200), llms.WithStopWords([]string{"END"}))
	require.NoError(t, err)

	var all strings.Builder
	for _, test := range []struct {
		name     string
		messages []llms.MessageContent
		opts     []llms.CallOption
	}{
		{"another word, other options", []llms.MessageContent{
			llms.TextParts(llms.ChatMessageTypeSystem, long+"the priority is low, normal or high."),
			human("Mail."), assistant("No."), human("Again."),
		}, []llms.CallOption{llms.WithTemperature(0.7), llms.WithSeed(7), llms.WithStopWords([]string{"STOP"})}},
		{"fewer messages, another role", []llms.MessageContent{
			llms.TextParts(llms.ChatMessageTypeHuman, long+"the priority is low or high."), human("Mail."),
		}, []llms.CallOption{llms.WithTemperature(0), llms.WithMaxTokens(200), llms.WithStopWords([]string{"END"})}},
		{"more messages and parts", []llms.MessageContent{
			llms.TextParts(llms.ChatMessageTypeSystem, long+"the priority is low or high."),
			{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{llms.TextPart("Mail."), llms.ImageURLPart("https://example.com/x.png")}},
			{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{llms.ToolCall{ID: "1"}}}, human("Again."), human("And again."),
		}, []llms.CallOption{llms.WithTemperature(0), llms.WithMaxTokens(200), llms.WithStopWords([]string{"END"})}},
	} {
		p := play(t, file.String())
		_, err := p.GenerateContent(t.Context(), test.messages, test.opts...)
		var mismatch *retrytest.MismatchError
		require.ErrorAs(t, err, &mismatch)
		assert.Equal(t, 0, mismatch.Exchange)
		assert.False(t, llmretry.DefaultClassifier(err, llmretry.State{}), "nobody asks again")
		fmt.Fprintf(&all, "## %s\n\n%v\n\n", test.name, err)
	}
	p := play(t, file.String())
	fmt.Fprintf(&all, "## never asked\n\n%v\n", p.Done())
	golden.Check(t, "mismatch.golden", all.String())
}

func TestMismatchIsBounded(t *testing.T) {
	r, file := record(t, retrytest.NewScript(t, retrytest.Reply("x")))
	var was, is []llms.MessageContent
	for i := range 50 {
		was = append(was, human(fmt.Sprint("was", i)))
		is = append(is, human(strings.Repeat("is", 10_000)))
	}
	_, err := r.GenerateContent(t.Context(), was)
	require.NoError(t, err)
	_, err = play(t, file.String()).GenerateContent(t.Context(), is)
	assert.ErrorContains(t, err, "and 40 more differences")
	assert.Less(t, len(err.Error()), 10_000)
}

// In order a call is the next exchange or none; in any order it is one that was not played yet.
func TestPlayerOrder(t *testing.T) {
	file := recorded(t, nil, "a", "b", "a")
	p := play(t, file)
	_, err := p.Call(t.Context(), "b")
	require.Error(t, err)
	for i, prompt := range []string{"a", "b", "a"} {
		said, err := p.Call(t.Context(), prompt)
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprint(i), said)
	}
	_, err = p.Call(t.Context(), "a")
	assert.ErrorContains(t, err, "nothing more was recorded")
	assert.ErrorContains(t, p.Done(), "differs at byte 0", "also when nobody looked at the error")

	p = play(t, file, retrytest.AnyOrder())
	for _, want := range [][2]string{{"b", "1"}, {"a", "0"}} {
		said, err := p.Call(t.Context(), want[0])
		require.NoError(t, err)
		assert.Equal(t, want[1], said)
	}
	assert.ErrorContains(t, p.Done(), `1 exchange of 3 not played, the first is exchange 2: 1 message, the last human "a"`)
	_, err = p.Call(t.Context(), "c")
	assert.ErrorContains(t, err, "exchange 2")
}

func TestPlayerConcurrently(t *testing.T) {
	var prompts []string
	for i := range 30 {
		prompts = append(prompts, fmt.Sprint("prompt ", i))
	}
	p := play(t, recorded(t, nil, prompts...), retrytest.AnyOrder())
	var wg sync.WaitGroup
	for i, prompt := range prompts {
		wg.Go(func() {
			said, err := p.Call(context.Background(), prompt)
			assert.NoError(t, err)
			assert.Equal(t, fmt.Sprint(i), said)
		})
	}
	wg.Wait()
	assert.NoError(t, p.Done())
}

// A call under a dead context plays nothing.
func TestPlayerCanceled(t *testing.T) {
	p := play(t, recorded(t, nil, "a"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.Call(ctx, "a")
	assert.ErrorIs(t, err, context.Canceled)
	_, err = p.Call(t.Context(), "a", nil)
	assert.ErrorContains(t, err, "option 0 is nil")
	_, err = p.Call(t.Context(), "a")
	require.NoError(t, err)
	assert.NoError(t, p.Done())
}

func TestNewPlayerRefuses(t *testing.T) {
	heading, _, _ := strings.Cut(recorded(t, nil), "\n")
	for name, test := range map[string]struct{ file, want string }{
		"empty":            {"", "not a recording"},
		"something else":   {"{}\n", "not a recording"},
		"no JSON":          {heading + "\n{", "line 2: not an exchange"},
		"two":              {heading + "\n{} {}", "something follows"},
		"unknown field":    {heading + "\n" + `{"massages":[]}`, "unknown field"},
		"no kind":          {heading + "\n" + `{"messages":[{"role":"human","parts":[{}]}]}`, "message 0, part 0: is of 0 kinds"},
		"two kinds":        {heading + "\n" + `{"messages":[{"parts":[{"text":"x","image":{"url":""}}]}]}`, "is of 2 kinds"},
		"stray chunk":      {heading + "\n" + `{"messages":[],"chunks":[{"text":"x"}]}`, "chunk 0"},
		"stray thought":    {heading + "\n" + `{"messages":[],"stream":true,"chunks":[{"thinks":true}]}`, "chunk 0"},
		"null call":        {heading + "\n" + `{"messages":[],"response":{"choices":[{"content":"","tool_calls":[null]}]}}`, "a tool call is null"},
		"unknown type":     {heading + "\n" + `{"messages":[],"response":{"choices":[{"content":"","info":{"x":{"$complex":"1"}}}]}}`, `unknown type "$complex"`},
		"a number beyond":  {heading + "\n" + `{"messages":[],"response":{"choices":[{"content":"","info":{"x":{"$int8":"300"}}}]}}`, "out of range"},
		"a line too long":  {heading + "\n" + strings.Repeat(" ", 9<<20), "too long"},
		"too many of them": {heading + "\n" + strings.Repeat("{\"messages\":[]}\n", 10_001), "more than 10000"},
	} {
		_, err := retrytest.NewPlayer(strings.NewReader(test.file))
		assert.ErrorContains(t, err, test.want, name)
	}
}

// Whatever the file holds, reading it ends well or in an error, and what was read can be played.
func FuzzNewPlayer(f *testing.F) {
	f.Add(recorded(f, []llms.CallOption{llms.WithTemperature(0)}, "a", "b"))
	heading, _, _ := strings.Cut(recorded(f, nil), "\n")
	f.Add(heading + "\n" + `{"messages":[{"role":"ai","parts":[{"cached":{"part":{"text":{"base64":"/w=="}}}}]}],"stream":true,"chunks":[{"text":"x"}],"error":{"text":"x","category":"canceled","deadline":true}}`)
	f.Add(heading + "\n" + `{"messages":null,"response":{"choices":[null,{"content":"","info":{"a":{"$map":{"$x":1.5}},"b":{"$strings":["x"]},"c":{"$float32":"0.5"}}}]}}`)
	f.Fuzz(func(t *testing.T, file string) {
		p, err := retrytest.NewPlayer(strings.NewReader(file))
		if err != nil {
			return
		}
		for range 3 {
			_, _ = p.GenerateContent(context.Background(), nil)
			_, _ = p.GenerateContent(context.Background(), nil, llms.WithStreamingFunc(func(context.Context, []byte) error { return nil }))
			_, _ = p.Call(context.Background(), "a", llms.WithTemperature(0))
		}
		_ = p.Done()
	})
}
