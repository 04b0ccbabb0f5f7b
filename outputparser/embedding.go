package outputparser

import (
	"reflect"
	"slices"
	"strings"

	"github.com/llmretry/langchaingo-llmretry/internal/jsonbind"
)

// checkEmbedding looks at every struct in a type for what the schema and the decoding would see differently, so that
// no value could be accepted, or one would be lost without a word.
func checkEmbedding(t reflect.Type) error {
	seen := map[reflect.Type]bool{}
	var visit func(t reflect.Type) error
	visit = func(t reflect.Type) error {
		if seen[t] {
			return nil
		}
		seen[t] = true
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			return visit(t.Elem())
		case reflect.Struct:
		default:
			return nil
		}
		if embeds(t, map[reflect.Type]bool{}) {
			return invalid("JSON: type %s embeds itself", t)
		}
		if special(t) == nil && !ownSchema(reflect.PointerTo(t)) {
			if err := checkNames(t); err != nil {
				return err
			}
		}
		if special(t) != nil || ownSchema(reflect.PointerTo(t)) {
			return nil // it reads itself
		}
		for i := range t.NumField() {
			if f := t.Field(i); !f.IsExported() && !f.Anonymous || f.Tag.Get("json") == "-" {
				continue // never read
			}
			if err := visit(t.Field(i).Type); err != nil {
				return err
			}
		}
		return nil
	}
	return visit(t)
}

// embeds reports a cycle among the embedded structs of t; open are those on the way to it.
func embeds(t reflect.Type, open map[reflect.Type]bool) bool {
	if open[t] {
		return true
	}
	open[t] = true
	defer delete(open, t)
	for i := range t.NumField() {
		if inner, ok := embedded(t.Field(i)); ok && embeds(inner, open) {
			return true
		}
	}
	return false
}

// embedded returns the struct whose fields are those of the outer one.
func embedded(f reflect.StructField) (reflect.Type, bool) {
	inner := f.Type
	if inner.Kind() == reflect.Pointer {
		inner = inner.Elem()
	}
	return inner, f.Anonymous && inner.Kind() == reflect.Struct
}

// claim is a field that wants a property's name.
type claim struct {
	index    []int
	required bool
}

// checkNames compares the fields that the reflector takes, the last of a name and required when any of them is, with
// those that are decoded, the shallowest of a name.
func checkNames(t reflect.Type) error {
	claims := map[string][]claim{}
	var names []string
	var collect func(t reflect.Type, index []int) error
	collect = func(t reflect.Type, index []int) error {
		for i := range t.NumField() {
			f := t.Field(i)
			tag := strings.Split(f.Tag.Get("json"), ",")
			here := append(slices.Clone(index), i)
			inner, isEmbedded := embedded(f)
			switch {
			case f.Tag.Get("json") == "-":
				continue
			case tag[0] == "-":
				return invalid("JSON: type %s: the schema would leave out %s, whose property is named -: give the schema by the option Schema", t, f.Name)
			case isEmbedded && tag[0] == "":
				if err := collect(inner, here); err != nil {
					return err
				}
				continue
			case !f.IsExported():
				continue
			case slices.Contains(tag[1:], "inline"):
				return invalid("JSON: type %s: the json tag of %s says inline, which encoding/json does not know: embed it", t, f.Name)
			}
			name := tag[0]
			if name == "" {
				name = f.Name
			}
			if claims[name] == nil {
				names = append(names, name)
			}
			optional := slices.Contains(tag[1:], "omitempty") || slices.Contains(tag[1:], "omitzero")
			forced := slices.Contains(strings.Split(f.Tag.Get("jsonschema"), ","), "required")
			claims[name] = append(claims[name], claim{here, !optional || forced})
		}
		return nil
	}
	if err := collect(t, nil); err != nil {
		return err
	}
	for _, name := range names {
		all := claims[name]
		if len(all) == 1 {
			continue
		}
		last := all[len(all)-1]
		_, index, _ := jsonbind.Field(t, name)
		required := slices.ContainsFunc(all, func(c claim) bool { return c.required })
		if !slices.Equal(index, last.index) || required != last.required {
			return invalid("JSON: type %s: an embedded struct has the property %q too, and the schema would follow that one: "+
				"put the field after it, required as it is, or give the schema by the option Schema", t, name)
		}
	}
	return nil
}
