package schemacheck

import (
	"encoding/json"
	"slices"
)

// tag is a property by which the branches of a union are told apart: at least two of them fix it, each to other values.
type tag struct {
	name    string
	allowed []any // by the branches together, in their order
}

func isTag(tags []tag, name string) bool {
	for _, t := range tags {
		if t.name == name {
			return true
		}
	}
	return false
}

// tagsOnce returns a function that gives the tags of a union and looks for them once: a list of tagged values may be
// wrong in each of its items.
func (s *Schema) tagsOnce() func(union, keyword string) []tag {
	known := map[[2]string][]tag{}
	return func(union, keyword string) []tag {
		key := [2]string{union, keyword}
		tags, ok := known[key]
		if !ok {
			branches, _ := s.at(union)[keyword].([]any)
			tags = s.tags(branches)
			known[key] = tags
		}
		return tags
	}
}

func (s *Schema) tags(branches []any) []tag {
	var order []string
	fixed := map[string]*tag{}
	taken := map[string]map[any]bool{} // by earlier branches
	count := map[string]int{}
	for _, branch := range branches {
		values := map[string][]any{}
		s.fixedBy(branch, values, 0)
		for name, list := range values {
			if fixed[name] == nil {
				fixed[name], taken[name] = &tag{name: name}, map[any]bool{}
				order = append(order, name)
			}
			count[name]++
			for _, v := range list {
				if taken[name][v] {
					count[name] = -len(branches) // shared by two branches: it does not tell them apart
				}
			}
			for _, v := range list {
				taken[name][v] = true
			}
			fixed[name].allowed = append(fixed[name].allowed, list...)
		}
	}
	var tags []tag
	slices.Sort(order)
	for _, name := range order {
		if count[name] >= 2 {
			tags = append(tags, *fixed[name])
		}
	}
	return tags
}

// fixedBy collects the properties for which a branch allows only certain values.
func (s *Schema) fixedBy(schema any, values map[string][]any, depth int) {
	m, ok := schema.(map[string]any)
	if !ok || depth > maxDescribeDepth {
		return
	}
	if target, ok := s.resolve(m); ok {
		s.fixedBy(target, values, depth+1)
	}
	if all, ok := m["allOf"].([]any); ok {
		for _, part := range all {
			s.fixedBy(part, values, depth+1)
		}
	}
	props, _ := m["properties"].(map[string]any)
	for name, prop := range props {
		if list := s.fixedValues(prop, 0); list != nil {
			values[name] = list
		}
	}
}

// fixedValues returns the scalars that are all a schema allows; nil when it allows more.
func (s *Schema) fixedValues(schema any, depth int) []any {
	m, ok := schema.(map[string]any)
	if !ok || depth > maxDescribeDepth {
		return nil
	}
	list, _ := m["enum"].([]any)
	if c, ok := m["const"]; ok {
		list = []any{c}
	}
	for _, v := range list {
		switch v.(type) {
		case nil, bool, string, json.Number:
		default:
			return nil
		}
	}
	if target, ok := s.resolve(m); ok && list == nil {
		return s.fixedValues(target, depth+1)
	}
	return list
}
