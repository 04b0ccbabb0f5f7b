package llmretry

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/tmc/langchaingo/llms"
)

// Options are only ever sent as the functions they are, in order. Resolving them into a struct and sending that would
// replace the defaults that several provider clients fill in before they apply options (langchaingo issue 626).

// thinkingKey is where langchaingo keeps a *llms.ThinkingConfig that its options edit in place.
const thinkingKey = "thinking_config"

// cloneMetadata makes what follows it in an option list write to a fresh map: many langchaingo options write into the
// map that an earlier WithMetadata stored, which is the caller's own. (Semantics D7.)
func cloneMetadata(o *llms.CallOptions) {
	if o.Metadata == nil {
		return
	}
	o.Metadata = maps.Clone(o.Metadata)
	for key, value := range o.Metadata {
		switch v := value.(type) {
		case *llms.ThinkingConfig:
			if v != nil && key == thinkingKey {
				config := *v
				o.Metadata[key] = &config
			}
		case []string: // anthropic.WithBetaHeader appends to it
			o.Metadata[key] = slices.Clip(v)
		case []any:
			o.Metadata[key] = slices.Clip(v)
		}
	}
}

// isolated returns opts with a cloning step after each, so that applying the list any number of times, at once even,
// writes to nothing of the caller's.
func isolated(opts []llms.CallOption) []llms.CallOption {
	list := make([]llms.CallOption, 0, 2*len(opts)+1)
	for _, opt := range opts {
		list = append(list, opt, cloneMetadata)
	}
	return list
}

// keepingModel is opt without its effect on the model name. (Semantics D5.)
func keepingModel(opt llms.CallOption) llms.CallOption {
	return func(o *llms.CallOptions) {
		name := o.Model
		opt(o)
		o.Model = name
	}
}

// entryOption is an option of a schedule's entry as it is sent: it can set a field to zero but clear none, so what it
// leaves nil - stream functions, tools, stop words - is inherited, metadata key by key; and it writes to fresh maps
// only. (Semantics D4.)
func entryOption(opt llms.CallOption) llms.CallOption {
	return func(o *llms.CallOptions) {
		before := *o
		cloneMetadata(o)
		opt(o)
		if before.Metadata != nil {
			merged := maps.Clone(before.Metadata)
			maps.Copy(merged, o.Metadata)
			o.Metadata = merged
		}
		cloneMetadata(o)
		if o.StreamingFunc == nil {
			o.StreamingFunc = before.StreamingFunc
		}
		if o.StreamingReasoningFunc == nil {
			o.StreamingReasoningFunc = before.StreamingReasoningFunc
		}
		if o.StopWords == nil {
			o.StopWords = before.StopWords
		}
		if o.Tools == nil {
			o.Tools = before.Tools
		}
		if o.ToolChoice == nil {
			o.ToolChoice = before.ToolChoice
		}
		if o.Functions == nil {
			o.Functions = before.Functions
		}
	}
}

// merged returns what an attempt sends: base, then the options of the entries, later ones winning field by field. Names
// of models that are set before an entry with a model of its own are not sent to that one.
func merged(base []llms.CallOption, entries ...Override) []llms.CallOption {
	n, owner := 2*len(base)+1, -1 // one more for a stream function
	for i, e := range entries {
		n += len(e.Options)
		if e.Model != nil {
			owner = i
		}
	}
	if n == 1 {
		return nil
	}
	list := make([]llms.CallOption, 0, n)
	for _, opt := range base {
		if owner >= 0 && opt != nil {
			opt = keepingModel(opt)
		}
		list = append(list, opt, cloneMetadata)
	}
	for i, e := range entries {
		for _, opt := range e.Options {
			if i < owner {
				opt = keepingModel(opt)
			}
			list = append(list, entryOption(opt))
		}
	}
	return list
}

// sighting is what a decorator must know of the options before it sends them.
type sighting struct {
	model     string
	metadata  bool
	text      func(ctx context.Context, chunk []byte) error
	reasoning func(ctx context.Context, reasoning, chunk []byte) error
}

// glance is resolve for that alone, on the way of every call. Options that cannot be applied are not seen.
func glance(opts []llms.CallOption) (s sighting) {
	scratch := scratches.Get().(*llms.CallOptions)
	defer func() {
		if recover() != nil {
			s = sighting{}
		}
		*scratch = llms.CallOptions{}
		scratches.Put(scratch)
	}()
	for _, opt := range opts {
		opt(scratch)
		if scratch.Metadata != nil {
			cloneMetadata(scratch)
		}
	}
	return sighting{scratch.Model, scratch.Metadata != nil, scratch.StreamingFunc, scratch.StreamingReasoningFunc}
}

var scratches = sync.Pool{New: func() any { return new(llms.CallOptions) }}

// resolve applies opts to a scratch, without writing to anything of the caller's. ok is false when an option is nil or
// panics: the provider will find out for itself, as it would without a decorator.
func resolve(opts []llms.CallOption) (o llms.CallOptions, ok bool) {
	if len(opts) == 0 {
		return o, true
	}
	return resolveOn(llms.CallOptions{}, opts)
}

func resolveOn(start llms.CallOptions, opts []llms.CallOption) (o llms.CallOptions, ok bool) {
	scratch := scratches.Get().(*llms.CallOptions)
	*scratch = start
	defer func() {
		if recover() != nil {
			o, ok = llms.CallOptions{}, false
		}
		*scratch = llms.CallOptions{}
		scratches.Put(scratch)
	}()
	for _, opt := range opts {
		opt(scratch)
		cloneMetadata(scratch)
	}
	return *scratch, true
}
