package extract

// marker is a piece of text that is markup to a chat template: outside a value it is never part of an answer.
type marker uint8

const (
	opensThink  marker = iota // a reasoning block begins
	closesThink               // a reasoning block ends
	toolMarkup                // a tool call, in the text of the reply
	finalBegins               // the answer proper begins: whatever came before is not it
)

// mark is one known marker: its text in lower case, what it means, and what ends the block that it opens.
type mark struct {
	text   string
	kind   marker
	closes []string
}

// thinkNames are the element names of reasoning blocks, <name> to </name>, in any case.
var thinkNames = []string{
	"think", "thinking", "thought", "thoughts", "reason", "reasoning", "reflection", "analysis", "scratchpad",
	"chain_of_thought", "inner_thoughts", "inner_monologue", "antthinking", "antml:thinking", "seed:think",
	"seed:cot_budget_reflect",
}

// thinkPairs are the reasoning blocks with delimiters of their own.
var thinkPairs = [][2]string{
	{"[think]", "[/think]"},
	{"<|begin_of_thought|>", "<|end_of_thought|>"},
	{"<|start_thinking|>", "<|end_thinking|>"},
	{"<|think|>", "<|/think|>"},
	{"◁think▷", "◁/think▷"},
	{"<unused94>", "<unused95>"},
}

// toolMarks are the beginnings of tool-call markup. A message on the commentary channel is a tool call too.
var toolMarks = []string{
	"<tool_call", "</tool_call", "<toolcall>", "<tool_use", "<function=", "<function_call", "<start_function_call",
	"<invoke", "<parameter=", "<parameter name=", "<|tool_call", "<｜tool▁call", "<minimax:tool_call", "<seed:tool_call", "<longcat_tool_call", "<tool_code>", "<function name=", "<tool name=",
	"<|toolcall|>", "<|start_action|>", "<｜dsml｜", "<|python_tag|>", "<|action_start|>", "<|channel|>commentary",
	"[tool_call", "[tool_request]", "```tool_code", "```tool_call", "✿function✿",
}

// finalMark begins the message of the final channel; its header ends with headerEnd.
const (
	finalMark = "<|channel|>final"
	headerEnd = "<|message|>"
	maxHeader = 80
)

// channelEnds end a message of the analysis channel; the next header does when the model left the end mark out.
var channelEnds = []string{"<|end|>", "<|return|>", "<|start|>", "<|channel|>"}

// marks are all markers by their first two bytes, so that a run of the first one costs a table look-up per byte.
var marks = func() (table [256]*[256][]mark) {
	add := func(m mark) {
		a, b := m.text[0], m.text[1]
		if table[a] == nil {
			table[a] = new([256][]mark)
		}
		table[a][b] = append(table[a][b], m)
		if 'a' <= b && b <= 'z' {
			table[a][b-'a'+'A'] = table[a][b]
		}
	}
	add(mark{text: finalMark, kind: finalBegins})
	for _, text := range toolMarks {
		add(mark{text: text, kind: toolMarkup})
	}
	for _, p := range thinkPairs {
		add(mark{p[0], opensThink, p[1:]})
		add(mark{text: p[1], kind: closesThink})
	}
	for _, name := range thinkNames {
		closer := "</" + name + ">"
		add(mark{"<" + name + ">", opensThink, []string{closer}})
		add(mark{text: closer, kind: closesThink})
	}
	add(mark{"<|channel|>analysis", opensThink, channelEnds})
	return table
}()

// markAt returns the marker at s[i], nil when there is none.
func markAt(s string, i int) *mark {
	if i+3 >= len(s) || marks[s[i]] == nil {
		return nil
	}
	table := marks[s[i]]
	list := table[s[i+1]]
	if list == nil {
		return nil
	}
	third, fourth := lower(s[i+2]), lower(s[i+3])
	for k := range list {
		if m := &list[k]; m.text[2] == third && m.text[3] == fourth && hasFold(s[i:], m.text) {
			return m
		}
	}
	return nil
}

// blockEnd returns the end of the reasoning block whose contents begin at s[i]. One pass for all closers, which
// begin with one byte: a pass for each would go to the end of the text for those that never come.
func blockEnd(s string, i int, closers []string) (end int, closed bool) {
	for first := closers[0][0]; i < len(s); i++ {
		if s[i] != first {
			continue
		}
		for _, closer := range closers {
			if !hasFold(s[i:], closer) {
				continue
			}
			if closer == "<|channel|>" || closer == "<|start|>" { // the next message begins with it
				return i, true
			}
			return i + len(closer), true
		}
	}
	return 0, false
}

// hasFold is strings.HasPrefix with ASCII letters of s taken in lower case.
func hasFold(s, text string) bool {
	if len(s) < len(text) {
		return false
	}
	for i := range len(text) {
		if lower(s[i]) != text[i] {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
