package llmretry

import (
	"unicode/utf8"

	"github.com/tmc/langchaingo/llms"
)

// TranscriptPolicy bounds what reasks append. The zero value is the default: every pair stays, verbatim. With any of
// them a request is no longer a prefix of the next one, so a provider's prompt cache is of less use.
//
// A request then holds the caller's messages and at most min(KeepLast, FreshAfter) pairs of at most ClipEcho bytes and
// a correction each, as far as those are set. MaxBytes counts outputs, corrections and the calls that are replayed; the
// newest pair stays, its output cut to what its correction leaves of MaxBytes. Calls and corrections are never cut.
type TranscriptPolicy struct {
	KeepLast   int // send the last so many pairs only; 0 = all
	FreshAfter int // once so many pairs are there, begin again with the caller's messages and the newest pair; 0 = never
	ClipEcho   int // cut the model's output in a pair to so many bytes, its middle left out; 0 = verbatim
	MaxBytes   int // leave out the oldest pairs while all are longer together; 0 = any length
}

// minEcho leaves room for the mark and something on both sides of it.
const minEcho = 16

// WithTranscriptPolicy bounds the transcript of reasks, whose tokens are paid for with every attempt.
func WithTranscriptPolicy(p TranscriptPolicy) Option {
	return func(c *config) {
		if p.KeepLast < 0 || p.FreshAfter < 0 {
			c.problem("WithTranscriptPolicy: KeepLast %d, FreshAfter %d: want 0 or more", p.KeepLast, p.FreshAfter)
		}
		if p.ClipEcho != 0 && p.ClipEcho < minEcho {
			c.problem("WithTranscriptPolicy: ClipEcho %d: want 0, or at least %d", p.ClipEcho, minEcho)
		}
		if p.MaxBytes != 0 && p.MaxBytes < minEcho {
			c.problem("WithTranscriptPolicy: MaxBytes %d: want 0, or at least %d", p.MaxBytes, minEcho)
		}
		c.transcriptPolicy = p
	}
}

// exchangePair is what one reask appends: the output, or the tool calls when they are replayed natively, and the
// correction.
type exchangePair struct {
	output     string
	calls      []llms.ToolCall
	correction string
}

// push appends a pair as the policy wants it, with room for further ones.
func (t *transcript) push(p exchangePair, policy TranscriptPolicy, further int) {
	if policy.ClipEcho > 0 && p.calls == nil {
		p.output = clipMiddle(p.output, policy.ClipEcho)
	}
	if policy.KeepLast == 0 && policy.FreshAfter == 0 && policy.MaxBytes == 0 {
		t.append(p, further)
		return
	}
	if !t.owned {
		t.caller = t.list
	}
	t.pairs = append(t.pairs, p)
	if n := policy.FreshAfter; n > 0 && len(t.pairs) > n {
		t.pairs = t.pairs[len(t.pairs)-1:]
	}
	if n := policy.KeepLast; n > 0 && len(t.pairs) > n {
		t.pairs = t.pairs[len(t.pairs)-n:]
	}
	if policy.MaxBytes > 0 {
		t.pairs = fitting(t.pairs, policy.MaxBytes)
	}
	t.list, t.owned = t.caller, false
	for i, kept := range t.pairs {
		t.append(kept, len(t.pairs)-1-i)
	}
}

// size is what a pair adds to a request, in bytes of text.
func (p exchangePair) size() int {
	if p.calls == nil {
		return len(p.output) + len(p.correction)
	}
	n := len(p.output)
	for _, call := range p.calls { // each is answered by the correction
		n += len(call.FunctionCall.Name) + len(call.FunctionCall.Arguments) + len(p.correction)
	}
	return n
}

// fitting returns the last pairs that are at most limit bytes together, and the newest whatever it takes, with its output
// cut.
func fitting(pairs []exchangePair, limit int) []exchangePair {
	newest := len(pairs) - 1
	left := limit - pairs[newest].size()
	if left < 0 {
		p := pairs[newest]
		if p.calls == nil {
			p.output = clipMiddle(p.output, max(minEcho, limit-len(p.correction)))
		}
		return []exchangePair{p}
	}
	first := newest
	for first > 0 && pairs[first-1].size() <= left {
		first--
		left -= pairs[first].size()
	}
	return pairs[first:]
}

// clipMiddle cuts s to at most max bytes, on the borders of runes: head and tail stay, since the fault is as often at
// the end as at the beginning.
func clipMiddle(s string, max int) string {
	const mark = "\n...\n"
	if len(s) <= max {
		return s
	}
	head := (max - len(mark)) / 2
	tail := len(s) - (max - len(mark) - head)
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + mark + s[tail:]
}
