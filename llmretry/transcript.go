package llmretry

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// transcript is the conversation an attempt sends: the caller's messages, then the pairs appended by reasks. It is the
// caller's own slice until the first reask, a private copy of the outer slice after it. Parts are shared, never copied
// and never written to, so a 5 MB image costs nothing per attempt. It only grows, so what an earlier attempt was given
// stays as it was. (Semantics E4 to E8, E11, E12.)
type transcript struct {
	list  []llms.MessageContent
	owned bool

	caller []llms.MessageContent // the caller's, and
	pairs  []exchangePair        // the pairs in use: only with a policy that leaves some out
}

// messages returns what to send. A model that appends to it writes to its own memory.
func (t *transcript) messages() []llms.MessageContent {
	if !t.owned {
		return t.list
	}
	return slices.Clip(t.list)
}

// roomForPairs bounds what is allocated ahead: a caller may allow any number of attempts.
const roomForPairs = 7

// own makes the outer slice private, with room for extra messages.
func (t *transcript) own(extra int) {
	if !t.owned {
		list := make([]llms.MessageContent, len(t.list), len(t.list)+extra)
		copy(list, t.list)
		t.list, t.owned = list, true
	}
}

// append adds a pair, with room for further ones.
func (t *transcript) append(p exchangePair, further int) {
	t.own((2 + len(p.calls)) * (1 + min(max(further, 0), roomForPairs)))
	switch {
	case p.calls != nil:
		t.appendCalls(p)
		return
	case strings.TrimSpace(p.output) == "":
		t.continueUser(p.correction)
		return
	case t.continueAssistant(p.output):
		t.list = append(t.list, text(llms.ChatMessageTypeHuman, p.correction))
		return
	}
	parts := [...]llms.ContentPart{llms.TextContent{Text: p.output}, llms.TextContent{Text: p.correction}}
	t.list = append(t.list,
		llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: parts[:1:1]},
		llms.MessageContent{Role: llms.ChatMessageTypeHuman, Parts: parts[1:]})
}

// continueAssistant concatenates output onto an assistant message that ends the transcript: the caller began the
// answer, the model went on. A prefill that ends in anything but text is left alone. (Semantics E8.)
func (t *transcript) continueAssistant(output string) bool {
	last := len(t.list) - 1
	if last < 0 || t.list[last].Role != llms.ChatMessageTypeAI {
		return false
	}
	return t.extend(last, output)
}

// continueUser puts the correction into a copy of the last user message: an assistant message without text is
// rejected or dropped by providers. (Semantics E11.)
func (t *transcript) continueUser(correction string) {
	last := len(t.list) - 1
	if last >= 0 && t.list[last].Role == llms.ChatMessageTypeHuman && t.extend(last, "\n\n"+correction) {
		return
	}
	t.list = append(t.list, text(llms.ChatMessageTypeHuman, correction))
}

// extend replaces message i by one whose last text part goes on with s. The parts of the old one are not touched.
func (t *transcript) extend(i int, s string) bool {
	m := t.list[i]
	if len(m.Parts) == 0 {
		return false
	}
	end := len(m.Parts) - 1
	part, ok := m.Parts[end].(llms.TextContent)
	if !ok {
		return false
	}
	m.Parts = slices.Clone(m.Parts)
	m.Parts[end] = llms.TextContent{Text: part.Text + s}
	t.list = slices.Clone(t.list) // an earlier attempt may be looking at the old one
	t.list[i] = m
	return true
}

// appendCalls replays refused tool calls natively: the calls, then one answer per call in order, one message each.
// Arguments that are not a JSON object become {}, since clients and servers reject others. (Semantics E13.)
func (t *transcript) appendCalls(p exchangePair) {
	m := llms.MessageContent{Role: llms.ChatMessageTypeAI}
	for _, call := range p.calls {
		f := *call.FunctionCall
		if !isObject(f.Arguments) {
			f.Arguments = "{}"
		}
		call.FunctionCall = &f
		m.Parts = append(m.Parts, call)
	}
	if strings.TrimSpace(p.output) != "" { // last: one client sends the first part only, and the answers need their calls
		m.Parts = append(m.Parts, llms.TextContent{Text: p.output})
	}
	t.list = append(t.list, m)
	for _, call := range p.calls {
		t.list = append(t.list, llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{
			llms.ToolCallResponse{ToolCallID: call.ID, Name: call.FunctionCall.Name, Content: p.correction},
		}})
	}
}

func isObject(s string) bool {
	return strings.HasPrefix(strings.TrimSpace(s), "{") && json.Valid([]byte(s))
}

// text is a message with one text part; several providers reject or ignore a second one. (Semantics E12.)
func text(role llms.ChatMessageType, s string) llms.MessageContent {
	return llms.MessageContent{Role: role, Parts: []llms.ContentPart{llms.TextContent{Text: s}}}
}

// flattened returns the conversation as one human message: the rendered text, then the parts that are not text.
// (Semantics E14.)
func flattened(messages []llms.MessageContent, render func([]llms.MessageContent) string) []llms.MessageContent {
	if len(messages) == 0 {
		return messages // nothing to say: the client knows best what it makes of that
	}
	m := text(llms.ChatMessageTypeHuman, render(messages))
	for _, message := range messages {
		for _, part := range message.Parts {
			switch part.(type) {
			case llms.TextContent, llms.ToolCall, llms.ToolCallResponse: // render's business
			default:
				m.Parts = append(m.Parts, part)
			}
		}
	}
	return []llms.MessageContent{m}
}

// joinTexts is the rendering when the caller gave none: the texts, without labels of ours.
func joinTexts(messages []llms.MessageContent) string {
	var texts []string
	for _, m := range messages {
		for _, part := range m.Parts {
			switch p := part.(type) {
			case llms.TextContent:
				texts = append(texts, p.Text)
			case llms.ToolCallResponse:
				texts = append(texts, p.Content)
			}
		}
	}
	return strings.Join(texts, "\n\n")
}
