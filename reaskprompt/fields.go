package reaskprompt

import (
	"errors"
	"fmt"
	"reflect"
	"text/template"
	"text/template/parse"
)

// checkFields finds fields and templates that do not exist, in every branch. Executing a sample alone would leave
// {{if eq .FinishReason "length"}}{{.Outptu}}{{end}} to fail in the night of the first truncated output. Where the
// type of an operand is not known (a function's result, an interface) it says nothing: it never refuses a template
// that could work.
func checkFields(t *template.Template) error {
	if t.Tree == nil || t.Root == nil {
		return errors.New("renders blank text")
	}
	c := checker{set: t, seen: make(map[string]bool)}
	c.body(t.Tree, reflect.TypeFor[view]())
	return errors.Join(c.problems...)
}

// checker walks parse trees with the type of the dot; a nil type is one that is not known.
type checker struct {
	set      *template.Template
	tree     *parse.Tree
	vars     []variable
	seen     map[string]bool // template name and type of its dot
	problems []error
}

type variable struct {
	name string
	t    reflect.Type
}

// body checks one template, whose variables are its own.
func (c *checker) body(tree *parse.Tree, dot reflect.Type) {
	key := fmt.Sprint(tree.Name, "\x00", dot)
	if c.seen[key] {
		return
	}
	c.seen[key] = true
	outer := *c
	c.tree, c.vars = tree, []variable{{"$", dot}}
	c.node(tree.Root, dot)
	c.tree, c.vars = outer.tree, outer.vars
}

func (c *checker) node(n parse.Node, dot reflect.Type) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil { // no {{else}}
			return
		}
		scope := len(c.vars)
		for _, n := range n.Nodes {
			c.node(n, dot)
		}
		c.vars = c.vars[:scope]
	case *parse.ActionNode:
		c.declare(n.Pipe, c.pipe(n.Pipe, dot))
	case *parse.IfNode:
		c.branch(&n.BranchNode, dot, func(reflect.Type) reflect.Type { return dot })
	case *parse.WithNode:
		c.branch(&n.BranchNode, dot, func(t reflect.Type) reflect.Type { return t })
	case *parse.RangeNode:
		c.branch(&n.BranchNode, dot, element)
	case *parse.TemplateNode:
		t := c.pipe(n.Pipe, dot)
		if called := c.set.Lookup(n.Name); called != nil && called.Tree != nil {
			c.body(called.Tree, t)
			return
		}
		c.problem(n, "no template %q", n.Name)
	}
}

// branch checks if, with and range: inside says what their pipe makes of the dot.
func (c *checker) branch(n *parse.BranchNode, dot reflect.Type, inside func(reflect.Type) reflect.Type) {
	scope := len(c.vars)
	t := c.pipe(n.Pipe, dot)
	switch {
	case n.NodeType != parse.NodeRange:
		c.declare(n.Pipe, t)
	case len(n.Pipe.Decl) == 2: // index and element
		c.declare(n.Pipe, nil, element(t))
	default:
		c.declare(n.Pipe, element(t))
	}
	c.node(n.List, inside(t))
	c.node(n.ElseList, dot)
	c.vars = c.vars[:scope]
}

// declare gives the variables of a pipe their types. One that is assigned to again has no known type from there on.
func (c *checker) declare(p *parse.PipeNode, types ...reflect.Type) {
	for n, v := range p.Decl {
		if !p.IsAssign {
			c.vars = append(c.vars, variable{v.Ident[0], types[n]})
			continue
		}
		for i := range c.vars {
			if c.vars[i].name == v.Ident[0] {
				c.vars[i].t = nil
			}
		}
	}
}

func (c *checker) pipe(p *parse.PipeNode, dot reflect.Type) (t reflect.Type) {
	if p == nil {
		return nil
	}
	for i, cmd := range p.Cmds {
		types := make([]reflect.Type, len(cmd.Args))
		for j, arg := range cmd.Args {
			types[j] = c.operand(arg, dot)
		}
		switch {
		case i > 0:
			t = nil // the result of a function
		case len(types) == 1:
			t = types[0]
		case cmd.Args[0].String() == "index":
			t = types[1]
			for range types[2:] {
				t = element(t)
			}
		}
	}
	return t
}

func (c *checker) operand(n parse.Node, dot reflect.Type) reflect.Type {
	switch n := n.(type) {
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		return c.follow(n, dot, n.Ident)
	case *parse.ChainNode:
		return c.follow(n, c.operand(n.Node, dot), n.Field)
	case *parse.PipeNode:
		return c.pipe(n, dot)
	case *parse.VariableNode:
		for i := len(c.vars) - 1; i >= 0; i-- {
			if c.vars[i].name == n.Ident[0] {
				return c.follow(n, c.vars[i].t, n.Ident[1:])
			}
		}
	}
	return nil
}

// follow returns the type of t's field of a field ..., as text/template finds them: methods first.
func (c *checker) follow(n parse.Node, t reflect.Type, names []string) reflect.Type {
	for _, name := range names {
		if t == nil {
			return nil
		}
		if m, ok := method(t, name); ok {
			t = m
			continue
		}
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch t.Kind() {
		case reflect.Interface:
			return nil // depends on what is in it
		case reflect.Map:
			t = t.Elem()
			continue
		case reflect.Struct:
			if f, ok := t.FieldByName(name); ok && f.IsExported() {
				t = f.Type
				continue
			}
		}
		c.problem(n, "no field %s", name)
		return nil
	}
	return t
}

// method returns the type of the first result of t's method.
func method(t reflect.Type, name string) (result reflect.Type, ok bool) {
	m, ok := t.MethodByName(name)
	if !ok && t.Kind() != reflect.Interface && t.Kind() != reflect.Pointer {
		m, ok = reflect.PointerTo(t).MethodByName(name)
	}
	if !ok || m.Type.NumOut() == 0 {
		return nil, ok
	}
	return m.Type.Out(0), true
}

// element is what range and index make of a type.
func element(t reflect.Type) reflect.Type {
	if t == nil {
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return t.Elem()
	}
	return nil
}

func (c *checker) problem(n parse.Node, format string, args ...any) {
	where, what := c.tree.ErrorContext(n)
	c.problems = append(c.problems, fmt.Errorf("%s: %s: %s", where, what, fmt.Sprintf(format, args...)))
}
