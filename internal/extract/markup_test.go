package extract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryMarkIsFound(t *testing.T) {
	find := func(text string) marker {
		m := markAt("x"+text+" y", 1)
		require.NotNil(t, m, text)
		return m.kind
	}
	for _, text := range toolMarks {
		require.Equal(t, toolMarkup, find(text))
		require.Equal(t, toolMarkup, find(strings.ToUpper(text)))
	}
	for _, p := range thinkPairs {
		require.Equal(t, opensThink, find(p[0]))
		require.Equal(t, closesThink, find(p[1]))
	}
	for _, name := range thinkNames {
		require.Equal(t, opensThink, find("<"+name+">"))
		require.Equal(t, closesThink, find("</"+strings.ToUpper(name)+">"))
	}
	require.Equal(t, finalBegins, find(finalMark))
	require.Equal(t, opensThink, find("<|channel|>analysis"))
}

func TestNoMark(t *testing.T) {
	for _, text := range []string{"", "<", "<t", "<th", "<thi", "<think", "<think ", "<thinks>", "</", "<>", "[", "[t]", "```", "```json", "<|x|>", "\xe2\x97", "think>"} {
		if text != "" {
			require.Nil(t, markAt(text, 0), text)
		}
		require.Nil(t, markAt(text, len(text)), text)
	}
}

func TestBlockEnd(t *testing.T) {
	for _, tc := range []struct {
		text    string
		closers []string
		end     int
	}{
		{"a</think>b", []string{"</think>"}, 9},
		{"a</THINK>b", []string{"</think>"}, 9},
		{"a</thinkb", []string{"</think>"}, -1},
		{"", []string{"</think>"}, -1},
		{"a<|end|>b<|start|>", channelEnds, 8},
		{"a<|channel|>b<|end|>", channelEnds, 1},
	} {
		end, closed := blockEnd(tc.text, 0, tc.closers)
		require.Equal(t, tc.end >= 0, closed, tc.text)
		if closed {
			require.Equal(t, tc.end, end, tc.text)
		}
	}
}
