package retrytest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// view is a place in a JSON Schema. One without keywords accepts everything.
type view struct {
	root map[string]any
	at   map[string]any
	path string // JSON Pointer of at, for errors
}

// parseSchema reads a schema. Its numbers are kept as they are written.
func parseSchema(raw json.RawMessage) (view, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return view{}, invalid("retrytest: the schema is not JSON: %v", err) // not wrapped: an EOF in it would be taken for one of a connection
	}
	switch v := v.(type) {
	case map[string]any:
		return view{root: v, at: v}.resolved(), nil
	case bool:
		if v {
			return view{}, nil
		}
	}
	return view{}, &UnsupportedSchemaError{Keyword: "false"}
}

// maxRefs bounds a chain of references.
const maxRefs = 32

// resolved follows the references of v within its document. What cannot be followed stays as it is.
func (v view) resolved() view {
	for range maxRefs {
		ref, ok := v.at["$ref"].(string)
		if !ok {
			return v
		}
		next, ok := v.lookup(ref)
		if !ok {
			return v
		}
		v = next
	}
	return v
}

func (v view) lookup(ref string) (view, bool) {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return v, false
	}
	var at any = v.root
	for token := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if path == "" {
			break
		}
		m, ok := at.(map[string]any)
		if !ok {
			return v, false
		}
		at = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(token)]
	}
	m, ok := at.(map[string]any)
	return view{root: v.root, at: m, path: path}, ok
}

// property returns the schema of a member.
func (v view) property(name string) view {
	properties, _ := v.at["properties"].(map[string]any)
	m, _ := properties[name].(map[string]any)
	return view{root: v.root, at: m, path: pointer(v.path+"/properties", name)}.resolved()
}

func (v view) hasProperty(name string) bool {
	properties, _ := v.at["properties"].(map[string]any)
	_, ok := properties[name]
	return ok
}

// items returns the schema of an array's items.
func (v view) items() view {
	m, _ := v.at["items"].(map[string]any)
	return view{root: v.root, at: m, path: v.path + "/items"}.resolved()
}

func (v view) requires(name string) bool {
	list, _ := v.at["required"].([]any)
	return slices.Contains(list, any(name))
}

// closed reports whether an object may have no other members than those listed.
func (v view) closed() bool { return v.at["additionalProperties"] == false }

// types returns the types that are allowed, nil for any.
func (v view) types() []string {
	switch t := v.at["type"].(type) {
	case string:
		return []string{t}
	case []any:
		types := []string{} // an empty list allows none
		for _, name := range t {
			if s, ok := name.(string); ok {
				types = append(types, s)
			}
		}
		return types
	}
	return nil
}

// allows reports whether a value of that type is of an allowed one.
func (v view) allows(k kind) bool {
	types := v.types()
	return types == nil || slices.Contains(types, string(k)) || k == isNumber && slices.Contains(types, "integer")
}

// options returns the values of an enum or of a const.
func (v view) options() []*node {
	list, _ := v.at["enum"].([]any)
	if c, ok := v.at["const"]; ok {
		list = []any{c}
	}
	var nodes []*node
	for _, value := range list {
		if n, err := nodeOf(value); err == nil {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// nodeOf turns a decoded value into a node.
func nodeOf(value any) (*node, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return parseNode(raw)
}

// number returns the number at a keyword.
func (v view) number(keyword string) (float64, bool) {
	n, ok := v.at[keyword].(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

// count returns the number at a keyword that counts something.
func (v view) count(keyword string) (int, bool) {
	f, ok := v.number(keyword)
	return int(f), ok && f >= 0 && f <= maxCount
}

// maxCount bounds the lengths that a schema can ask for.
const maxCount = 10_000

func (v view) keyword(name string) string { s, _ := v.at[name].(string); return s }

func number(f float64) *node { return &node{kind: isNumber, text: strconv.FormatFloat(f, 'f', -1, 64)} }
func text(s string) *node    { return &node{kind: isString, text: s} }
