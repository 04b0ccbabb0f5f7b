package outputparser

import (
	"fmt"
	"reflect"
	"strings"
)

// namer names the definitions of a schema: types of one name from two packages must not share one, and a name has to
// be plain enough to stand in a reference.
type namer struct {
	byName map[string]reflect.Type
	byType map[reflect.Type]string
}

func (n namer) name(t reflect.Type) string {
	if t.Name() == "" {
		return ""
	}
	if name, ok := n.byType[t]; ok {
		return name
	}
	base := strings.Trim(strings.Map(plainRune, shortName(t)), "_")
	if base == "" {
		base = "Type"
	}
	name := base
	for i := 2; n.byName[name] != nil; i++ {
		name = fmt.Sprint(base, "_", i)
	}
	n.byName[name], n.byType[t] = t, name
	return name
}

func plainRune(r rune) rune {
	if r == '_' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' {
		return r
	}
	return '_'
}

// shortName drops the package paths from the arguments of a generic type.
func shortName(t reflect.Type) string {
	name, args, generic := strings.Cut(t.Name(), "[")
	if !generic {
		return name
	}
	for _, arg := range strings.FieldsFunc(args, func(r rune) bool { return strings.ContainsRune("[],*", r) }) {
		name += "_" + arg[strings.LastIndexAny(arg, "/.")+1:]
	}
	return name
}
