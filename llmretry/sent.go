package llmretry

import (
	"math"
	"reflect"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// Sent returns the call options in effect in this attempt by their JSON names, only those that were set: an explicit
// zero is there, a field left to the provider's default is not. Stream functions have no JSON name. It writes to
// nothing of the caller's; the values are shared, read-only. nil when an option is nil or panics.
//
// A field was set if two scratches that began with different values in it end with the same one.
func (a Attempt) Sent() map[string]any {
	first, ok1 := resolveOn(marked(0), a.Options)
	second, ok2 := resolveOn(marked(1), a.Options)
	if !ok1 || !ok2 {
		return nil
	}
	sent := make(map[string]any)
	v1, v2 := reflect.ValueOf(first), reflect.ValueOf(second)
	for i := range v1.NumField() {
		name, _, _ := strings.Cut(v1.Type().Field(i).Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		f1, f2 := v1.Field(i), v2.Field(i)
		switch f1.Kind() {
		case reflect.Map: // options add keys to it, so the marks never meet
			if f1.Len() > 0 {
				sent[name] = f1.Interface()
			}
		default:
			if x := f1.Interface(); same(x, f2.Interface()) {
				sent[name] = x
			}
		}
	}
	return sent
}

// same compares values that may not be comparable (ToolChoice is any).
func same(x, y any) bool {
	if reflect.TypeOf(x) != reflect.TypeOf(y) {
		return false
	}
	return reflect.DeepEqual(x, y)
}

// marks are the two values of every field; they differ, and no caller sets them.
var marks = [2]struct {
	text   string
	number float64
}{{"\x00llmretry 1", -math.MaxFloat64}, {"\x00llmretry 2", -math.MaxFloat64 / 2}}

// marked returns options with the n-th mark in every field.
func marked(n int) llms.CallOptions {
	var o llms.CallOptions
	v := reflect.ValueOf(&o).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString(marks[n].text)
		case reflect.Int:
			f.SetInt(math.MinInt64 + int64(n))
		case reflect.Float64:
			f.SetFloat(marks[n].number)
		case reflect.Bool:
			f.SetBool(n == 1)
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), n+1, n+1))
		case reflect.Interface:
			f.Set(reflect.ValueOf(n))
		}
	}
	return o
}
