package provider

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/cases"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Config says which provider is asked. Keys come from the environment variables that langchaingo's clients read
// themselves: OPENAI_API_KEY, which may be missing with a BaseURL, and ANTHROPIC_API_KEY.
type Config struct {
	Provider string // openai, anthropic, ollama
	Model    string
	Bigger   string        // "" = there is none
	BaseURL  string        // "" = the provider's own; with openai, that of anything compatible
	Timeout  time.Duration // of one request
}

// Remote is a provider that is asked over HTTP. Close it.
type Remote struct {
	config Config
	client *http.Client
	models [2]llms.Model // by Size
}

// ErrConfig is what every complaint about a Config matches.
var ErrConfig = errors.New("invalid provider")

// Open makes the clients. It asks nothing yet.
func Open(c Config) (*Remote, error) {
	// The Transport tells the decorators what langchaingo's clients leave out of their errors: status and Retry-After.
	r := &Remote{config: c, client: &http.Client{Transport: llmretry.NewTransport(manyIdle()), Timeout: c.Timeout}}
	if c.Model == "" {
		return nil, fmt.Errorf("%w: no model is named", ErrConfig)
	}
	for size, name := range []string{Main: c.Model, Bigger: c.Bigger} {
		if name == "" {
			continue
		}
		model, err := r.open(name)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrConfig, err)
		}
		r.models[size] = model
	}
	return r, nil
}

// manyIdle is the default transport for many workers who ask one host: it keeps a connection for each.
func manyIdle() http.RoundTripper {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport // somebody's own, who knows why
	}
	t = t.Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 0, 1000
	return t
}

func (r *Remote) open(name string) (llms.Model, error) {
	switch r.config.Provider {
	case "openai":
		opts := []openai.Option{openai.WithModel(name), openai.WithHTTPClient(r.client)}
		if r.config.BaseURL != "" {
			opts = append(opts, openai.WithBaseURL(r.config.BaseURL))
			if os.Getenv("OPENAI_API_KEY") == "" {
				opts = append(opts, openai.WithToken("none")) // the client wants one, a server of one's own often does not
			}
		}
		return openai.New(opts...)
	case "anthropic":
		opts := []anthropic.Option{anthropic.WithModel(name), anthropic.WithHTTPClient(r.client)}
		if r.config.BaseURL != "" {
			opts = append(opts, anthropic.WithBaseURL(r.config.BaseURL))
		}
		return anthropic.New(opts...)
	case "ollama":
		opts := []ollama.Option{ollama.WithModel(name), ollama.WithHTTPClient(r.client)}
		if r.config.BaseURL != "" {
			opts = append(opts, ollama.WithServerURL(r.config.BaseURL))
		}
		return ollama.New(opts...)
	}
	return nil, fmt.Errorf("%q: want openai, anthropic or ollama", r.config.Provider)
}

// Model returns the same model for all cases.
func (r *Remote) Model(size Size, _ *cases.Case) (llms.Model, error) {
	if m := r.models[size]; m != nil {
		return m, nil
	}
	return nil, fmt.Errorf("%w: no bigger model is named", ErrConfig)
}

// Took is what was measured.
func (r *Remote) Took(_ Size, measured time.Duration, _ llmretry.Usage) time.Duration {
	return measured
}

// Identity names provider, models and address.
func (r *Remote) Identity() string {
	s := r.config.Provider + " " + r.config.Model
	if r.config.Bigger != "" {
		s += ", bigger " + r.config.Bigger
	}
	if r.config.BaseURL != "" {
		s += ", at " + shown(r.config.BaseURL)
	}
	return s
}

// shown is an address without what may be secret in it.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address that is none"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// Close lets go of the connections.
func (r *Remote) Close() { r.client.CloseIdleConnections() }
