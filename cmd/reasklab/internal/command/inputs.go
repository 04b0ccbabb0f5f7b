package command

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/cases"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/provider"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/runner"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/strategy"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/samples"
)

// inputs are what answers depend on.
type inputs struct {
	cases    []cases.Case
	set      *strategy.Set
	provider provider.Provider
	close    func()
	carry    runner.Carry
}

func (o *options) inputs() (in *inputs, err error) {
	in = &inputs{close: func() {}, carry: runner.Carry{Attempts: o.requests, Backoff: time.Second, MaxWait: o.maxWait}}
	if in.cases, err = o.readCases(); err != nil {
		return nil, err
	}
	if in.set, err = o.readStrategies(); err != nil {
		return nil, err
	}
	if o.offline {
		in.provider = &provider.Offline{Seed: o.seed}
		in.carry.Backoff = time.Millisecond // nobody is relieved by waiting longer
		return in, nil
	}
	if in.set.NeedsBigger() && o.bigger == "" {
		return nil, errors.New("a strategy escalates to a bigger model: name it with -bigger, or leave the strategy out")
	}
	remote, err := provider.Open(provider.Config{
		Provider: o.provider, Model: o.model, Bigger: o.bigger, BaseURL: o.url, Timeout: o.timeout,
	})
	if err != nil {
		return nil, err
	}
	in.provider, in.close = remote, remote.Close
	return in, nil
}

func (o *options) readCases() ([]cases.Case, error) {
	switch {
	case o.cases == "" && o.sample != "":
		return samples.Cases(o.sample)
	case o.cases == "":
		return samples.Cases(samples.Names...)
	}
	var schema json.RawMessage
	if o.schema != "" {
		text, err := os.ReadFile(o.schema)
		if err != nil {
			return nil, err
		}
		schema = text
	}
	file, err := os.Open(o.cases)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	all, err := cases.Read(file, schema)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.cases, err)
	}
	return all, nil
}

func (o *options) readStrategies() (*strategy.Set, error) {
	name, text, err := "the samples", []byte(nil), error(nil)
	if o.strategies == "" {
		text, err = samples.Strategies()
	} else {
		name = o.strategies
		text, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, err
	}
	set, err := strategy.Read(text, o.attempts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if o.only != nil {
		if err := set.Only(o.only...); err != nil {
			return nil, err
		}
	}
	if o.out != "" && len(set.Strategies) != 1 {
		return nil, fmt.Errorf("-out is for one strategy: pick one with -strategy, of %q", set.Names())
	}
	return set, nil
}

// hash binds a journal to what its records depend on: the cases, the strategies and the provider, and not how many run at
// a time, the prices or the ceiling.
func (in *inputs) hash() (string, error) {
	h := sha256.New()
	e := json.NewEncoder(h)
	for i := range in.cases {
		c := &in.cases[i]
		if err := e.Encode([]any{c.ID, c.Messages, c.Expected, c.Schema}); err != nil {
			return "", err
		}
	}
	if err := e.Encode(in.set); err != nil {
		return "", err
	}
	if _, err := io.WriteString(h, in.provider.Identity()); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
