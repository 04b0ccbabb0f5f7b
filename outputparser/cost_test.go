package outputparser_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/stretchr/testify/require"
)

var hostilePieces = []string{
	"[", "{", `{"a":`, "`", `"`, `\`, "7", ":", "}", "]", "{a} ", "```json\n", "{}", "[1] ", `{"a":1}`, `{"name":"x","age":1}`, "<think>", "</think>",
	"<think></think>", "<|channel|>analysis", "{/*", "{//\n", "<", "\u200b", `{"a":"`, `{"a":1,`, "[[1],", "1e5,", `{"name":`,
}

// TestHostileRepliesEnd parses replies that models send by accident. The bound is generous, for slow machines; what
// is quadratic takes minutes here.
func TestHostileRepliesEnd(t *testing.T) {
	const n = 300_000
	p := mustJSON[person](t)
	open, err := outputparser.FromSchema([]byte(`true`))
	require.NoError(t, err)
	begin := time.Now()
	for _, piece := range hostilePieces {
		text := strings.Repeat(piece, n/len(piece))
		_, _ = p.Parse(text)
		_, _ = open.Parse(text)
	}
	require.Less(t, time.Since(begin), 30*time.Second)
}

func TestOneMegabyteOfNothingAllocatesLittle(t *testing.T) {
	p := mustJSON[person](t)
	for _, piece := range []string{"[", `{"a":`, "`", `"`, `\`, "7", ":", "}]", "{a} ", "```json\n", "prose {x} and [y] "} {
		text := strings.Repeat(piece, (1<<20)/len(piece))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := p.Parse(text)
		runtime.ReadMemStats(&after)
		require.Error(t, err)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<10), piece)
	}
}

// TestAllocations holds the parser against the same work by hand.
func TestAllocations(t *testing.T) {
	p := mustJSON[benchOrder](t)
	hand := byHand(t, p.Schema())
	ours := testing.AllocsPerRun(50, func() { _, _ = p.Parse(benchReply) })
	theirs := testing.AllocsPerRun(50, func() { _, _ = hand(benchReply) })
	require.LessOrEqual(t, ours, 0.85*theirs)
}
