package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"
)

// offlineModel is langchaingo's real openai client, talking to the server in this process.
func offlineModel(s *server, client *http.Client) (llms.Model, error) {
	return openai.New(openai.WithBaseURL(s.URL), openai.WithToken("none"), openai.WithModel("small-q4"), openai.WithHTTPClient(client))
}

// providerModel makes a real provider's client. Keys and addresses come from the environment variables that the client
// reads itself: OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL; ANTHROPIC_API_KEY; OLLAMA_HOST.
func providerModel(provider, name string, client *http.Client) (llms.Model, error) {
	switch provider {
	case "openai":
		opts := []openai.Option{openai.WithHTTPClient(client)}
		if name != "" {
			opts = append(opts, openai.WithModel(name))
		} else if os.Getenv("OPENAI_MODEL") == "" {
			return nil, errors.New("-provider openai needs -model or OPENAI_MODEL")
		}
		return openai.New(opts...)
	case "anthropic":
		if name == "" {
			return nil, errors.New("-provider anthropic needs -model")
		}
		return anthropic.New(anthropic.WithModel(name), anthropic.WithHTTPClient(client))
	case "ollama":
		if name == "" {
			return nil, errors.New("-provider ollama needs -model")
		}
		return ollama.New(ollama.WithModel(name), ollama.WithHTTPClient(client))
	}
	return nil, fmt.Errorf("unknown provider %q: want openai, anthropic or ollama", provider)
}
