package llmretry_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Judged tells attempts that a parser or validator of this decorator decided about from those that nobody did.
// (Semantics F1, F3, F4, F7, F8, B8, H3.)
func TestJudged(t *testing.T) {
	verdict := func(err error) llmretry.Validator {
		return func(context.Context, *llms.ContentResponse) error { return err }
	}
	call := choices(&llms.ContentChoice{StopReason: "tool_calls", ToolCalls: []llms.ToolCall{callsTool("1", "look", "{}")}})
	parser, refusing := llmretry.WithParser(want("good")), llmretry.WithParser(want("other"))
	below := decorate(t, &fixed{says("bad").response}, llmretry.WithParser(want("good")), llmretry.WithMaxAttempts(1))
	for name, tt := range map[string]struct {
		model llms.Model
		opts  []llmretry.Option
		want  bool
	}{
		"accepted by a parser":       {newScript(t, says("good")), []llmretry.Option{parser}, true},
		"refused by a parser":        {newScript(t, says("bad")), []llmretry.Option{parser}, true},
		"accepted by a validator":    {newScript(t, says("good")), []llmretry.Option{llmretry.WithValidator(verdict(nil))}, true},
		"accepted with a warning":    {newScript(t, says("good")), []llmretry.Option{llmretry.WithValidator(verdict(llmretry.Warn(errBad)))}, true},
		"refused by a validator":     {newScript(t, says("good")), []llmretry.Option{llmretry.WithValidator(verdict(errBad))}, true},
		"refused for good":           {newScript(t, says("good")), []llmretry.Option{llmretry.WithValidator(verdict(llmretry.Terminal(errBad)))}, true},
		"a call by a tool validator": {newScript(t, call), []llmretry.Option{llmretry.WithToolValidator(verdict(nil))}, true},
		"truncated": {newScript(t, stops("go", "length")), []llmretry.Option{parser,
			llmretry.WithTruncationOverride(llmretry.Stop())}, true},
		"no parser":                     {newScript(t, says("good")), nil, false},
		"a text under a tool validator": {newScript(t, says("good")), []llmretry.Option{llmretry.WithToolValidator(verdict(nil))}, false},
		"a call under a parser":         {newScript(t, call), []llmretry.Option{parser}, false},
		"filtered":                      {newScript(t, stops("good", "content_filter")), []llmretry.Option{parser}, false},
		"empty":                         {newScript(t, says("")), []llmretry.Option{parser}, false},
		"a provider's failure":          {newScript(t, fails(errBad)), []llmretry.Option{parser}, false},
		"a validator's panic": {newScript(t, says("good")),
			[]llmretry.Option{llmretry.WithValidator(func(context.Context, *llms.ContentResponse) error { panic(errors.New("validator")) })}, false},
		"refused below": {below, []llmretry.Option{refusing}, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, report, _ := ask(t, decorate(t, tt.model, append(tt.opts, llmretry.WithMaxAttempts(1))...))
			assert.Equal(t, tt.want, report.Attempts[0].Judged)
		})
	}
}
