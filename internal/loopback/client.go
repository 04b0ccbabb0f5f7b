package loopback

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Client returns an HTTP client for the server's clients, which tells a decorator above what those leave out of their
// errors. It keeps no connection.
func Client() *http.Client {
	return &http.Client{Transport: llmretry.NewTransport(&http.Transport{DisableKeepAlives: true})}
}

// Print writes requests as a program's user wants to see them: roles and texts.
func Print(w io.Writer, requests []Request) {
	for i, r := range requests {
		fmt.Fprintf(w, "request %d to %s\n", i, r.Model)
		for _, m := range r.Messages {
			said := m.Content
			if m.ToolCalls > 0 {
				said = strings.TrimSpace(fmt.Sprintf("%s (%d tool calls)", said, m.ToolCalls))
			}
			fmt.Fprintf(w, "  %-9s %s\n", m.Role, indented(said))
		}
	}
}

// indented puts the lines of a text below each other, without space at their ends.
func indented(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		if i > 0 && line != "" {
			line = "            " + line
		}
		lines[i] = strings.TrimRight(line, " \t")
	}
	return strings.Join(lines, "\n")
}
