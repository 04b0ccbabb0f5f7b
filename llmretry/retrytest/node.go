package retrytest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// node is a JSON value that keeps the order of its members and the writing of its numbers: a spoiled answer differs
// from the right one in its faults only.
type node struct {
	kind    kind
	text    string // of a string its value; of a number, a boolean and null what stands in JSON
	members []member
	items   []*node
}

type member struct {
	name  string
	value *node
}

// kind is a type of JSON Schema, but for "integer".
type kind string

const (
	isObject  kind = "object"
	isArray   kind = "array"
	isString  kind = "string"
	isNumber  kind = "number"
	isBoolean kind = "boolean"
	isNull    kind = "null"
)

// maxDepth bounds the nesting of values and schemas.
const maxDepth = 100

// parseNode reads exactly one JSON value.
func parseNode(data []byte) (*node, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	n, err := readNode(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more than one JSON value")
	}
	return n, nil
}

func readNode(d *json.Decoder, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case string:
		return &node{kind: isString, text: v}, nil
	case json.Number:
		return &node{kind: isNumber, text: v.String()}, nil
	case bool:
		return &node{kind: isBoolean, text: fmt.Sprint(v)}, nil
	case nil:
		return &node{kind: isNull, text: "null"}, nil
	case json.Delim:
		if v == '{' {
			return readObject(d, depth)
		}
		return readArray(d, depth)
	}
	return nil, fmt.Errorf("unexpected token %v", token)
}

func readObject(d *json.Decoder, depth int) (*node, error) {
	n := &node{kind: isObject}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		value, err := readNode(d, depth+1)
		if err != nil {
			return nil, err
		}
		n.members = append(n.members, member{name.(string), value})
	}
	_, err := d.Token()
	return n, err
}

func readArray(d *json.Decoder, depth int) (*node, error) {
	n := &node{kind: isArray}
	for d.More() {
		item, err := readNode(d, depth+1)
		if err != nil {
			return nil, err
		}
		n.items = append(n.items, item)
	}
	_, err := d.Token()
	return n, err
}

// String returns n as compact JSON.
func (n *node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *node) write(b *strings.Builder) {
	switch n.kind {
	case isObject:
		for i, m := range n.members {
			b.WriteByte("{,"[min(i, 1)])
			b.WriteString(quote(m.name))
			b.WriteByte(':')
			m.value.write(b)
		}
		if len(n.members) == 0 {
			b.WriteByte('{')
		}
		b.WriteByte('}')
	case isArray:
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	case isString:
		b.WriteString(quote(n.text))
	default:
		b.WriteString(n.text)
	}
}

// quote returns s as a JSON string, with the characters that matter to HTML as they are.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil { // never: any string has a JSON form
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// pointer appends a token to a JSON Pointer.
func pointer(path, token string) string {
	return path + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
}
