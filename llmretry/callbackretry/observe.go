package callbackretry

import (
	"fmt"
	"reflect"

	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Observe returns the observer to give to llmretry.New or llmretry.NewContext. models are those that will be called: the
// one to be decorated and those of overrides. It is an error, matching llmretry.ErrInvalidOption, when one of them has
// the bare handler, which would be told of each attempt twice: give the client the [Handler] instead, or nothing.
func (h *Handler) Observe(models ...llms.Model) (llmretry.Observer, error) {
	own := leaves(h.Handler)
	for _, model := range models {
		for _, theirs := range leaves(handlerOf(model)) {
			for _, ours := range own {
				if same(ours, theirs) {
					return llmretry.Observer{}, fmt.Errorf("%w: %T has the handler %T itself, which would be told of each attempt twice: "+
						"give the client the callbackretry.Handler, or none", llmretry.ErrInvalidOption, model, theirs)
				}
			}
		}
	}
	return h.observer(), nil
}

// maxWrapping bounds how many wrappers are looked through.
const maxWrapping = 10

// handlerOf returns the handler that a client fires by itself. All of langchaingo's clients have it in a field of this
// name; wrappers are looked through when they have an Unwrap method, as the decorator has.
func handlerOf(model llms.Model) callbacks.Handler {
	for range maxWrapping {
		if h := handlerField(model); h != nil {
			return h
		}
		wrapper, ok := model.(interface{ Unwrap() llms.Model })
		if !ok {
			return nil
		}
		model = wrapper.Unwrap()
	}
	return nil
}

func handlerField(model llms.Model) callbacks.Handler {
	v := reflect.ValueOf(model)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return nil
	}
	field, ok := v.Type().FieldByName("CallbacksHandler")
	if !ok || !field.IsExported() {
		return nil
	}
	at, err := v.FieldByIndexErr(field.Index)
	if err != nil || !at.CanInterface() {
		return nil
	}
	h, _ := at.Interface().(callbacks.Handler)
	return h
}

// leaves returns the handlers that are told in the end. Those that do nothing are left out: one client has such a one
// when it is given none.
func leaves(h callbacks.Handler) []callbacks.Handler {
	var all callbacks.CombiningHandler
	switch h := h.(type) {
	case nil, callbacks.SimpleHandler, *callbacks.SimpleHandler:
		return nil
	case callbacks.CombiningHandler:
		all = h
	case *callbacks.CombiningHandler:
		all = *h
	default:
		return []callbacks.Handler{h}
	}
	var list []callbacks.Handler
	for _, each := range all.Callbacks {
		list = append(list, leaves(each)...)
	}
	return list
}

// same compares handlers that may not be comparable: those are different ones.
func same(a, b callbacks.Handler) bool {
	va, vb := reflect.ValueOf(a), reflect.ValueOf(b)
	return va.Type() == vb.Type() && va.Comparable() && vb.Comparable() && a == b
}
