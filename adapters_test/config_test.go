package adapters_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tmc/langchaingo/llms"
)

// config is the sampling configuration of a call, or one entry of its schedule. A null counts as left out.
type config map[string]any

// samplingField is a field of config: what langchaingo calls it and how its openai client writes it.
type samplingField struct {
	option    func(v any) (llms.CallOption, bool)
	sent      string // JSON name in llms.CallOptions
	wire      string // name in the request's body; "" = this client never sends it
	omitsZero bool   // the client leaves out an explicit 0
}

var samplingFields = map[string]samplingField{
	"temperature":        {option: number(llms.WithTemperature), sent: "temperature", wire: "temperature"},
	"max_tokens":         {option: integer(llms.WithMaxTokens), sent: "max_tokens", wire: "max_completion_tokens", omitsZero: true},
	"seed":               {option: integer(llms.WithSeed), sent: "seed", wire: "seed", omitsZero: true},
	"stop":               {option: words(llms.WithStopWords), sent: "stop_words", wire: "stop", omitsZero: true},
	"frequency_penalty":  {option: number(llms.WithFrequencyPenalty), sent: "frequency_penalty", wire: "frequency_penalty", omitsZero: true},
	"presence_penalty":   {option: number(llms.WithPresencePenalty), sent: "presence_penalty", wire: "presence_penalty", omitsZero: true},
	"n":                  {option: integer(llms.WithN), sent: "n", wire: "n", omitsZero: true},
	"model":              {option: word(llms.WithModel), sent: "model", wire: "model"},
	"top_p":              {option: number(llms.WithTopP), sent: "top_p"},
	"top_k":              {option: integer(llms.WithTopK), sent: "top_k"},
	"repetition_penalty": {option: number(llms.WithRepetitionPenalty), sent: "repetition_penalty"},
}

// aliases are other names of the shape for a field.
var aliases = map[string]string{"stop_sequences": "stop", "stop_words": "stop", "max_completion_tokens": "max_tokens"}

// extras are parameters that providers know and llms.CallOptions does not. They travel as its Metadata. A closed list,
// so that a mistyped field is a failure and not an extra.
var extras = []string{
	"logit_bias", "logprobs", "min_p", "parallel_tool_calls", "prompt_cache_key", "reasoning_effort", "response_format",
	"service_tier", "store", "tool_choice", "top_logprobs", "user", "verbosity",
}

func canonical(name string) string {
	if a, ok := aliases[name]; ok {
		return a
	}
	return name
}

// checkNames refuses names that are neither a field nor an extra.
func checkNames(m map[string]any) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if _, ok := samplingFields[canonical(name)]; !ok && !slices.Contains(extras, name) {
			errs = append(errs, fmt.Errorf("has an unknown key %q", name))
		}
	}
	return errors.Join(errs...)
}

func (c config) check() error {
	_, err := c.options()
	return errors.Join(checkNames(c), err)
}

// fields are the entries that count, by the field's own name, without extras.
func (c config) fields() map[string]any {
	m := map[string]any{}
	for name, v := range c {
		if _, ok := samplingFields[canonical(name)]; ok && v != nil {
			m[canonical(name)] = v
		}
	}
	return m
}

// extras are the other entries that count; nil for none.
func (c config) extras() map[string]any {
	var m map[string]any
	for name, v := range c {
		if v == nil || !slices.Contains(extras, name) {
			continue
		}
		if m == nil {
			m = map[string]any{}
		}
		m[name] = v
	}
	return m
}

// options are the call options that set what c sets, in a fixed order.
func (c config) options() ([]llms.CallOption, error) {
	var list []llms.CallOption
	fields := c.fields()
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		opt, ok := samplingFields[name].option(fields[name])
		if !ok {
			return nil, fmt.Errorf("has %s = %v (%T), which the field cannot hold", name, fields[name], fields[name])
		}
		list = append(list, opt)
	}
	if x := c.extras(); x != nil {
		list = append(list, llms.WithMetadata(x))
	}
	return list, nil
}

func number(option func(float64) llms.CallOption) func(any) (llms.CallOption, bool) {
	return func(v any) (llms.CallOption, bool) {
		switch n := v.(type) {
		case int:
			return option(float64(n)), true
		case float64:
			return option(n), true
		}
		return nil, false
	}
}

func integer(option func(int) llms.CallOption) func(any) (llms.CallOption, bool) {
	return func(v any) (llms.CallOption, bool) {
		n, ok := v.(int)
		return option(n), ok
	}
}

func word(option func(string) llms.CallOption) func(any) (llms.CallOption, bool) {
	return func(v any) (llms.CallOption, bool) {
		s, ok := v.(string)
		return option(s), ok
	}
}

// words takes one text or a list of them.
func words(option func([]string) llms.CallOption) func(any) (llms.CallOption, bool) {
	return func(v any) (llms.CallOption, bool) {
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		all := []string{}
		for _, e := range list {
			s, ok := e.(string)
			if !ok {
				return nil, false
			}
			all = append(all, s)
		}
		return option(all), true
	}
}
