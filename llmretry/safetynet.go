package llmretry

import (
	"net/http"
	"reflect"
	"slices"

	"github.com/tmc/langchaingo/llms"
)

// The safety net: a provider that rejects, by name, a field that only the schedule set gets the next attempt without
// it. Temperature escalation would otherwise turn a healable call into a 400 on models that take no temperature.
// (Semantics D9.)

// rejection is a field that a model is known to reject. They are kept per decorator, newest last.
type rejection struct {
	model llms.Model
	name  string
	field string // the option's JSON name in llms.CallOptions
}

// maxRejections bounds what a decorator remembers: there are fewer fields than this, times a few models.
const maxRejections = 64

// netted reports whether the failure is a rejection of a field that only the schedule set, and remembers it: the next
// attempt goes without.
func (k *call) netted(o *outcome) bool {
	if k.c.noSafetyNet || k.index == 0 || o.verdict != failed {
		return false
	}
	if status := statusOf(o.err); status != http.StatusBadRequest && status != http.StatusUnprocessableEntity {
		return false // mistral and huggingface say it with a 422
	}
	fields := rejectedFields(messageOf(o.err))
	if fields == nil {
		return false
	}
	r := request{model: k.c.inner, name: k.c.modelName}
	entries := k.entries(&r)
	r.name = nameOf(merged(k.options, entries...), r.name)
	for _, field := range fields {
		if sets(k.options, field) || k.c.below.rejects(r.model, r.name, field) || !slices.ContainsFunc(entries, func(e Override) bool {
			return slices.ContainsFunc(e.Options, func(opt llms.CallOption) bool { return droppable(opt, field) })
		}) {
			continue // the caller's own, left out already, or not ours
		}
		k.c.below.remember(rejection{r.model, r.name, field})
		return true
	}
	return false
}

// withoutRejected removes from entries, which it may write to, the options that set a field the model is known to
// reject, unless the caller sets it too. It returns the names of the fields removed.
func (k *call) withoutRejected(entries []Override, model llms.Model, name string) (dropped []string) {
	known := k.c.below.rejections.Load()
	if k.c.noSafetyNet || known == nil {
		return nil
	}
	name = nameOf(merged(k.options, entries...), name)
	for _, r := range *known {
		if !sameModel(r.model, model) || r.name != name || sets(k.options, r.field) {
			continue
		}
		for i := range entries {
			kept := slices.DeleteFunc(slices.Clone(entries[i].Options), func(opt llms.CallOption) bool { return droppable(opt, r.field) })
			if len(kept) < len(entries[i].Options) {
				entries[i].Options, dropped = kept, append(dropped, r.field)
			}
		}
	}
	slices.Sort(dropped)
	return slices.Compact(dropped)
}

// nameOf is the model name that opts ask for, else fallback.
func nameOf(opts []llms.CallOption, fallback string) string {
	if o, _ := resolve(opts); o.Model != "" {
		return o.Model
	}
	return fallback
}

// sets reports whether any of opts sets the field.
func sets(opts []llms.CallOption, field string) bool {
	_, ok := Attempt{Options: opts}.Sent()[field]
	return ok
}

// droppable reports whether opt sets the field and is not llms.WithOptions, which sets every one.
func droppable(opt llms.CallOption, field string) bool {
	fields := Attempt{Options: []llms.CallOption{opt}}.Sent()
	_, ok := fields[field]
	return ok && len(fields) < reflect.TypeFor[llms.CallOptions]().NumField()/2
}

func (b *below) rejects(model llms.Model, name, field string) bool {
	known := b.rejections.Load()
	return known != nil && slices.ContainsFunc(*known, func(r rejection) bool {
		return r.field == field && r.name == name && sameModel(r.model, model)
	})
}

func (b *below) remember(r rejection) {
	for {
		old := b.rejections.Load()
		var list []rejection
		if old != nil {
			list = slices.Clone((*old)[max(0, len(*old)-maxRejections+1):])
		}
		list = append(list, r)
		if b.rejections.CompareAndSwap(old, &list) {
			return
		}
	}
}

// sameModel compares two models; a dynamic type that cannot be compared is never the same.
func sameModel(a, b llms.Model) bool {
	return reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable() && a == b
}
