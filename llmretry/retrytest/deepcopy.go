package retrytest

import "reflect"

// deepCopy returns v with its own slices, maps and pointers, as far as its fields are exported: what was asked must not
// change when the caller goes on with its values. Functions, channels and what is nested deeper than maxDepth are shared.
func deepCopy[T any](v T) T {
	to := reflect.New(reflect.TypeFor[T]()).Elem()
	copyInto(to, reflect.ValueOf(&v).Elem(), 0)
	return to.Interface().(T)
}

func copyInto(to, from reflect.Value, depth int) {
	to.Set(from)
	if depth > maxDepth {
		return
	}
	switch from.Kind() {
	case reflect.Pointer:
		if !from.IsNil() {
			to.Set(reflect.New(from.Type().Elem()))
			copyInto(to.Elem(), from.Elem(), depth+1)
		}
	case reflect.Interface:
		if !from.IsNil() {
			own := reflect.New(from.Elem().Type()).Elem()
			copyInto(own, from.Elem(), depth+1)
			to.Set(own)
		}
	case reflect.Slice:
		if !from.IsNil() {
			to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
			for i := range from.Len() {
				copyInto(to.Index(i), from.Index(i), depth+1)
			}
		}
	case reflect.Array:
		for i := range from.Len() {
			copyInto(to.Index(i), from.Index(i), depth+1)
		}
	case reflect.Map:
		if !from.IsNil() {
			to.Set(reflect.MakeMapWithSize(from.Type(), from.Len()))
			for entry := from.MapRange(); entry.Next(); {
				own := reflect.New(from.Type().Elem()).Elem()
				copyInto(own, entry.Value(), depth+1)
				to.SetMapIndex(entry.Key(), own)
			}
		}
	case reflect.Struct:
		for i := range from.NumField() {
			if from.Type().Field(i).IsExported() {
				copyInto(to.Field(i), from.Field(i), depth+1)
			}
		}
	}
}
