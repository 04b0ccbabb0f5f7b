package outputparser

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/invopop/jsonschema"
	"github.com/llmretry/langchaingo-llmretry/internal/jsonbind"
)

// generate derives a schema from a Go type.
func generate(t reflect.Type, open bool) (raw []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = invalid("JSON: no schema can be made of %s: %v", t, r)
		}
	}()
	// Both look at the type before the reflector does: it panics on what it does not know, never returns from a struct
	// that embeds itself, and mixes up fields of one name.
	if _, err := jsonbind.Compile(t); err != nil {
		return nil, invalid("JSON: %w", err)
	}
	if err := checkEmbedding(t); err != nil {
		return nil, err
	}
	names := namer{byName: map[string]reflect.Type{}, byType: map[reflect.Type]string{}}
	r := jsonschema.Reflector{Anonymous: true, AllowAdditionalProperties: open, Namer: names.name, Mapper: special}
	s := r.ReflectFromType(t)
	s.Version = ""
	inlineRoot(s)
	raw, err = json.Marshal(s)
	if err != nil {
		return nil, invalid("JSON: no schema can be made of %s: %w", t, err)
	}
	return bytes.ReplaceAll(raw, []byte(unsignedKeys), []byte(signedKeys)), nil
}

// The reflector lets the keys of a map[int]T be digits alone. The text occurs in no string, where its quotes would be
// escaped.
const (
	unsignedKeys = `"patternProperties":{"^[0-9]+$":`
	signedKeys   = `"patternProperties":{"^-?[0-9]+$":`
)

// special are the types whose schema does not follow from their kind. A fresh one each time: the reflector writes
// the field's tags into it.
func special(t reflect.Type) *jsonschema.Schema {
	ptr := reflect.PointerTo(t)
	switch t {
	case reflect.TypeFor[json.Number]():
		return &jsonschema.Schema{Type: "number"}
	case reflect.TypeFor[net.IP]():
		return &jsonschema.Schema{Type: "string", AnyOf: []*jsonschema.Schema{{Format: "ipv4"}, {Format: "ipv6"}}}
	case reflect.TypeFor[time.Time](), reflect.TypeFor[url.URL](), reflect.TypeFor[json.RawMessage]():
		return nil // the reflector knows them
	}
	switch {
	case ownSchema(ptr):
		return nil
	case ptr.Implements(reflect.TypeFor[json.Unmarshaler]()):
		return unknown(t)
	case ptr.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return &jsonschema.Schema{Type: "string"}
	}
	return nil
}

// ownSchema reports a type that says what its schema is.
func ownSchema(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[interface{ JSONSchema() *jsonschema.Schema }]()) ||
		t.Implements(reflect.TypeFor[interface{ JSONSchemaAlias() any }]())
}

// unknown is the schema of a type that reads its own JSON: nil for a struct with properties, which most often sets
// defaults or checks and reads the properties still; any value otherwise. Reading that comes with an embedded type is
// that type's.
func unknown(t reflect.Type) *jsonschema.Schema {
	if t.Kind() != reflect.Struct {
		return &jsonschema.Schema{}
	}
	properties := false
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous && (f.Type == reflect.TypeFor[time.Time]() || f.Type == reflect.TypeFor[*time.Time]()) {
			return &jsonschema.Schema{Type: "string", Format: "date-time"}
		}
		if f.Anonymous && readsItself(f.Type) {
			return &jsonschema.Schema{}
		}
		properties = properties || f.IsExported() && f.Tag.Get("json") != "-"
	}
	if properties {
		return nil
	}
	return &jsonschema.Schema{}
}

func readsItself(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[json.Unmarshaler]()) || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
}

// inlineRoot puts the root's definition in place of the reference to it: models and providers understand an object
// better than a reference. A recursive root keeps its definition for the references inside.
func inlineRoot(s *jsonschema.Schema) {
	defs := s.Definitions
	s.Definitions = nil
	name, ok := strings.CutPrefix(s.Ref, "#/$defs/")
	if def := defs[name]; ok && def != nil {
		ref := s.Ref
		*s = *def
		text, err := json.Marshal(defs)
		if err == nil && !strings.Contains(string(text), fmt.Sprintf("%q:%q", "$ref", ref)) {
			delete(defs, name)
		}
	}
	if len(defs) > 0 {
		s.Definitions = defs
	}
}
