package adapters_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

// recording is one exchange that langchaingo's own tests recorded with a real provider. They are read where the module
// is; nothing of them is copied.
type recording struct {
	name     string
	request  *received
	response reply
}

// recordings are all exchanges of the module's *.httprr files.
func recordings(t *testing.T) (list []recording, files int) {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/tmc/langchaingo").Output()
	require.NoError(t, err)
	root := strings.TrimSpace(string(dir))
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".httprr" {
			return err
		}
		files++
		name, err := filepath.Rel(root, path)
		require.NoError(t, err)
		exchanges, err := readRecording(path)
		require.NoError(t, err, name)
		for i, e := range exchanges {
			e.name = fmt.Sprintf("%s#%d", filepath.ToSlash(name), i)
			list = append(list, e)
		}
		return nil
	}))
	return list, files
}

// readRecording reads a file: a line, then per exchange the lengths of a request and of a response, and both.
func readRecording(path string) (list []recording, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	_, rest, found := bytes.Cut(data, []byte("httprr trace v1\n"))
	if !found {
		return nil, fmt.Errorf("%s is no trace", path)
	}
	for len(rest) > 0 {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		var n, m int
		if _, err := fmt.Sscan(string(line), &n, &m); err != nil || n+m > len(after) {
			return nil, fmt.Errorf("%s: lengths %q: %w", path, line, err)
		}
		e, err := readExchange(after[:n], after[n:n+m])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list, rest = append(list, e), after[n+m:]
	}
	return list, nil
}

func readExchange(request, response []byte) (e recording, err error) {
	q, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(request)))
	if err != nil {
		return e, err
	}
	e.request = &received{Path: q.URL.RequestURI(), Header: q.Header}
	if e.request.Raw, err = io.ReadAll(q.Body); err != nil {
		return e, err
	}
	_ = json.Unmarshal(e.request.Raw, &e.request.Body)
	p, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(response)), q)
	if err != nil {
		return e, err
	}
	defer p.Body.Close()
	body, err := io.ReadAll(p.Body)
	if err != nil {
		return e, err
	}
	e.response = reply{status: p.StatusCode, body: string(body), header: map[string]string{}}
	for name := range p.Header {
		switch name {
		case "Content-Length", "Content-Encoding", "Transfer-Encoding", "Connection", "Date": // of the transfer, not of the answer
		default:
			e.response.header[name] = p.Header.Get(name)
		}
	}
	return e, nil
}

// speaker returns the dialect a recorded request is in; nil when it is no call of a model.
func (e *recording) speaker() *dialect {
	path, _, _ := strings.Cut(e.request.Path, "?")
	switch {
	case strings.HasSuffix(path, "/chat/completions") && strings.Contains(path, "hyperbolic"):
		return routerDialect()
	case strings.HasSuffix(path, "/chat/completions"):
		return openaiDialect()
	case strings.HasSuffix(path, "/v1/messages"):
		return anthropicDialect()
	case path == "/api/chat":
		return ollamaDialect()
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		return googleDialect()
	case path == "/v1/generate":
		return cohereDialect()
	case strings.HasPrefix(path, "/model/") && strings.HasSuffix(path, "/invoke"):
		for _, d := range bedrockDialects() {
			if _, family, _ := strings.Cut(d.name, " "); strings.Contains(path, family) || family == "titan" && strings.Contains(path, "amazon.") {
				return d
			}
		}
	case strings.HasPrefix(path, "/models/"):
		return huggingfaceDialect()
	}
	return nil
}

// call makes messages and options of a recorded request: the texts with their roles, and what decides how the client
// reads the answer.
func (e *recording) call(d *dialect) (messages []llms.MessageContent, streamed bool, opts []llms.CallOption) {
	for _, m := range d.messages(e.request) {
		role := map[string]llms.ChatMessageType{"system": llms.ChatMessageTypeSystem, "assistant": llms.ChatMessageTypeAI}[m.role]
		if role == "" {
			role = llms.ChatMessageTypeHuman
		}
		messages = append(messages, llms.TextParts(role, or(m.text, "?")))
	}
	if temperature, ok := d.temp(e.request).(float64); ok {
		opts = append(opts, llms.WithTemperature(temperature))
	}
	if limit, ok := e.request.Body["max_tokens"].(float64); ok {
		opts = append(opts, llms.WithMaxTokens(int(limit)))
	}
	streamed, _ = e.request.Body["stream"].(bool)
	if strings.Contains(e.request.Path, ":streamGenerateContent") && len(messages) == 1 {
		streamed = true
	}
	return messages, streamed, opts
}
