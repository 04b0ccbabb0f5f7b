package schemacheck

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// The names of the resources are absolute: for a relative one the validator would put the working directory into its
// errors. And they are hierarchical: resolved against a URN, "$ref":"other.json" would be the URN itself.
const (
	schemaURL = "schema:///root"
	yesNoURL  = "schema:///yes-no"
)

// checker is a compiled schema. It is immutable and safe for concurrent use.
type checker struct {
	full  *validator.Schema
	yesNo *validator.Schema // {"not": schema}: answers without collecting errors
}

// denied refuses every reference out of the schema: nothing is read and nothing is fetched.
type denied struct{}

func (denied) Load(url string) (any, error) {
	return nil, fmt.Errorf("references out of the schema are not followed: %s", url)
}

func compile(doc any) (c *checker, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("schema cannot be compiled: %v", r)
		}
	}()
	cc := validator.NewCompiler()
	cc.UseLoader(denied{})
	cc.AssertFormat()
	if err := cc.AddResource(schemaURL, doc); err != nil {
		return nil, err
	}
	not := map[string]any{"not": map[string]any{"$ref": schemaURL}}
	if err := cc.AddResource(yesNoURL, not); err != nil {
		return nil, err
	}
	c = new(checker)
	if c.full, err = cc.Compile(schemaURL); err != nil {
		return nil, errors.New(strings.ReplaceAll(err.Error(), schemaURL, ""))
	}
	if c.yesNo, err = cc.Compile(yesNoURL); err != nil {
		return nil, err
	}
	return c, nil
}

// check calls found for every violation, in no stable order, and reports whether the validator could judge at all.
func (c *checker) check(v any, found func(violation)) (judged bool) {
	defer func() {
		if recover() != nil { // a bug below must not take a caller's process down
			judged = false
		}
	}()
	err := c.full.Validate(v)
	var top *validator.ValidationError
	if errors.As(err, &top) {
		walk(top, found)
	}
	return err == nil || top != nil
}

// valid answers without saying why, in memory that does not depend on how much is wrong.
func (c *checker) valid(v any) (valid, judged bool) {
	defer func() {
		if recover() != nil {
			valid, judged = false, false
		}
	}()
	return c.yesNo.Validate(v) != nil, true
}

// walk goes through the tree of errors. Of a union it takes the branch that fits best: what is wrong with the others
// is noise to whoever has to correct the value.
func walk(e *validator.ValidationError, found func(violation)) {
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf:
		walkUnion(e, found)
		return
	case *kind.OneOf:
		if k.Subschemas == nil {
			walkUnion(e, found)
			return
		}
	case *kind.PropertyNames:
		found(violation{path: e.InstanceLocation, code: "property_name", schema: pointer(e), name: k.Property})
		return
	case *kind.ContentSchema, *kind.Contains, *kind.MinContains:
		leaf(e, found)
		return
	}
	if len(e.Causes) == 0 {
		leaf(e, found)
		return
	}
	for _, cause := range e.Causes {
		walk(cause, found)
	}
}

// walkUnion reports the best branch of a union that no branch of fits. When every branch wants another type, the
// types are reported together.
func walkUnion(e *validator.ValidationError, found func(violation)) {
	var types []string
	best, bestScore := -1, 0
	depth := len(e.InstanceLocation)
	for i, cause := range e.Causes {
		t := typesAt(cause, depth)
		for _, name := range t {
			if !slices.Contains(types, name) {
				types = append(types, name)
			}
		}
		if t != nil {
			continue
		}
		if s := misfit(cause, depth); best < 0 || s < bestScore {
			best, bestScore = i, s
		}
	}
	if best >= 0 {
		walk(e.Causes[best], found)
		return
	}
	found(violation{path: e.InstanceLocation, code: "type", schema: pointer(e), options: types})
}

// typesAt returns the types that a branch wants when all it says is that the value itself has the wrong one.
func typesAt(e *validator.ValidationError, depth int) []string {
	if k, ok := e.ErrorKind.(*kind.Type); ok && len(e.InstanceLocation) == depth {
		return k.Want
	}
	if len(e.Causes) == 1 {
		return typesAt(e.Causes[0], depth)
	}
	var all []string
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		for _, cause := range e.Causes {
			t := typesAt(cause, depth)
			if t == nil {
				return nil
			}
			all = append(all, t...)
		}
	}
	return all
}

// misfit scores a branch: a fixed value that differs, as the tag of a tagged union, weighs more than anything a
// chosen branch may still lack.
func misfit(e *validator.ValidationError, depth int) int {
	const tag, fault = 1000, 1
	switch e.ErrorKind.(type) {
	case *kind.Const, *kind.Enum:
		if len(e.InstanceLocation) <= depth+1 {
			return tag
		}
	}
	if len(e.Causes) == 0 {
		if k, ok := e.ErrorKind.(*kind.Required); ok {
			return fault * len(k.Missing)
		}
		if k, ok := e.ErrorKind.(*kind.AdditionalProperties); ok {
			return fault * len(k.Properties)
		}
		return fault
	}
	sum := 0
	for _, cause := range e.Causes {
		sum += misfit(cause, depth)
	}
	return sum
}

func pointer(e *validator.ValidationError) string {
	_, fragment, _ := strings.Cut(e.SchemaURL, "#")
	return fragment
}

func leaf(e *validator.ValidationError, found func(violation)) {
	v := violation{path: e.InstanceLocation, schema: pointer(e)}
	each := func(code string, names []string) {
		v.code = code
		for _, v.name = range names {
			found(v)
		}
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		each("required", k.Missing)
		return
	case *kind.DependentRequired:
		each("required", k.Missing)
		return
	case *kind.Dependency:
		each("required", k.Missing)
		return
	case *kind.AdditionalProperties:
		each("additional", k.Properties)
		return
	case *kind.Type:
		v.code, v.options = "type", k.Want
	case *kind.Enum:
		v.code = "enum"
	case *kind.Const:
		v.code = "const"
	case *kind.Format:
		v.code, v.limit = "format", k.Want
	case *kind.Pattern:
		v.code, v.limit = "pattern", k.Want
	case *kind.Minimum:
		v.code = "minimum"
	case *kind.Maximum:
		v.code = "maximum"
	case *kind.ExclusiveMinimum:
		v.code = "exclusive_minimum"
	case *kind.ExclusiveMaximum:
		v.code = "exclusive_maximum"
	case *kind.MultipleOf:
		v.code = "multiple_of"
	case *kind.MinLength:
		v.code = "min_length"
	case *kind.MaxLength:
		v.code = "max_length"
	case *kind.MinItems:
		v.code = "min_items"
	case *kind.MaxItems:
		v.code = "max_items"
	case *kind.UniqueItems:
		v.code = "unique_items"
		v.name = fmt.Sprintf("%d and %d", k.Duplicates[0], k.Duplicates[1])
	case *kind.AdditionalItems:
		v.code = "additional_items"
	case *kind.MinProperties:
		v.code = "min_properties"
	case *kind.MaxProperties:
		v.code = "max_properties"
	case *kind.Contains, *kind.MinContains:
		v.code = "contains"
	case *kind.MaxContains:
		v.code = "max_contains"
	case *kind.Not:
		v.code = "not"
	case *kind.OneOf:
		v.code = "one_of"
	case *kind.FalseSchema:
		v.code = "not_allowed"
		if n := len(v.path) - 1; n >= 0 && strings.HasSuffix(v.schema, "/unevaluatedProperties") {
			v.code, v.path, v.name = "additional", v.path[:n], v.path[n]
		}
	case *kind.ContentEncoding, *kind.ContentMediaType, *kind.ContentSchema:
		v.code = "content"
	case *kind.RefCycle:
		v.code = "schema_loop"
	default:
		v.code = "schema"
	}
	found(v)
}
