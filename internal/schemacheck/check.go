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
	rule  *rule             // accepts most of what is right, sooner
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
	c.rule = rules{}.of(c.full)
	return c, nil
}

// accepts reports whether v certainly fits; what it does not accept may fit too.
func (c *checker) accepts(v any, nodes int) (ok bool) {
	defer func() {
		if recover() != nil { // of a format or a pattern; the validator will meet it again
			ok = false
		}
	}()
	return c.rule.accepts(v, nodes)
}

// check calls found for every violation, in no stable order, and reports whether the validator could judge at all. tags
// gives the tags of a union, by the pointer of the schema that has it.
func (c *checker) check(v any, tags func(union, keyword string) []tag, found func(violation)) (judged bool) {
	defer func() {
		if recover() != nil { // a bug below must not take a caller's process down
			judged = false
		}
	}()
	err := c.full.Validate(v)
	var top *validator.ValidationError
	if errors.As(err, &top) {
		faults{tags, found}.walk(top)
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

// faults goes through the tree of errors. Of a union it takes the branch that fits best: what is wrong with the others
// is noise to whoever has to correct the value.
type faults struct {
	tags  func(union, keyword string) []tag
	found func(violation)
}

func (f faults) walk(e *validator.ValidationError) {
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf:
		f.union(e, "anyOf")
		return
	case *kind.OneOf:
		if k.Subschemas == nil {
			f.union(e, "oneOf")
			return
		}
	case *kind.PropertyNames:
		f.found(violation{path: e.InstanceLocation, code: "property_name", schema: pointer(e), name: k.Property})
		return
	case *kind.ContentSchema, *kind.Contains, *kind.MinContains:
		leaf(e, f.found)
		return
	}
	if len(e.Causes) == 0 {
		leaf(e, f.found)
		return
	}
	for _, cause := range e.Causes {
		f.walk(cause)
	}
}

// union reports the best branch of a union that no branch of fits. When every branch wants another value altogether,
// or another tag, what they want is reported together.
func (f faults) union(e *validator.ValidationError, keyword string) {
	depth := len(e.InstanceLocation)
	if wants, whole := wholeValue(e, depth); whole {
		v := violation{path: e.InstanceLocation, code: "type", schema: pointer(e), options: wants}
		if len(wants) == 0 {
			v.code = "enum"
		}
		f.found(v)
		return
	}
	tags := f.tags(pointer(e), keyword)
	for _, t := range tags {
		if missing, all := untagged(e, t.name, depth); all {
			v := violation{path: e.InstanceLocation, code: "required", schema: pointer(e), name: t.name, allowed: t.allowed}
			if !missing {
				v.code, v.path = "enum", append(slices.Clone(e.InstanceLocation), t.name)
			}
			f.found(v)
			return
		}
	}
	best, bestScore := -1, 0
	for i, cause := range e.Causes {
		if _, whole := wholeValue(cause, depth); whole {
			continue
		}
		if s := misfit(cause, tags, depth); best < 0 || s < bestScore {
			best, bestScore = i, s
		}
	}
	f.walk(e.Causes[max(best, 0)])
}

// wholeValue reports whether all that a branch says is that the value itself is another one than it wants: of another
// type, in which case wants has the types, or none of its fixed values.
func wholeValue(e *validator.ValidationError, depth int) (wants []string, whole bool) {
	if len(e.InstanceLocation) != depth {
		return nil, false
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		return k.Want, true
	case *kind.Const, *kind.Enum:
		return nil, true
	case *kind.AnyOf, *kind.OneOf:
		if len(e.Causes) == 0 {
			return nil, false
		}
		fixed := false
		for _, cause := range e.Causes {
			types, ok := wholeValue(cause, depth)
			if !ok {
				return nil, false
			}
			fixed = fixed || types == nil
			for _, name := range types {
				if !slices.Contains(wants, name) {
					wants = append(wants, name)
				}
			}
		}
		if fixed {
			return nil, true
		}
		return wants, true
	}
	if len(e.Causes) == 1 {
		return wholeValue(e.Causes[0], depth)
	}
	return nil, false
}

// untagged reports whether every branch of a union misses the tag or finds another value there than its own. Branches
// that want another value altogether have no say.
func untagged(e *validator.ValidationError, name string, depth int) (missing, all bool) {
	for _, cause := range e.Causes {
		if _, whole := wholeValue(cause, depth); whole {
			continue
		}
		lacks, differs := tagFault(cause, name, depth)
		if !lacks && !differs {
			return false, false
		}
		missing = missing || lacks
	}
	return missing, true
}

func tagFault(e *validator.ValidationError, name string, depth int) (lacks, differs bool) {
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		lacks = len(e.InstanceLocation) == depth && slices.Contains(k.Missing, name)
	case *kind.Const, *kind.Enum:
		differs = len(e.InstanceLocation) == depth+1 && e.InstanceLocation[depth] == name
	}
	for _, cause := range e.Causes {
		l, d := tagFault(cause, name, depth)
		lacks, differs = lacks || l, differs || d
	}
	return lacks, differs
}

// misfit scores a branch: another tag, or another value altogether, weighs more than anything a chosen branch may
// still lack.
func misfit(e *validator.ValidationError, tags []tag, depth int) int {
	const other, fault = 1000, 1
	switch k := e.ErrorKind.(type) {
	case *kind.Const, *kind.Enum:
		at := len(e.InstanceLocation)
		if at == depth || at == depth+1 && isTag(tags, e.InstanceLocation[depth]) {
			return other
		}
	case *kind.Required:
		return fault * len(k.Missing)
	case *kind.AdditionalProperties:
		return fault * len(k.Properties)
	}
	if len(e.Causes) == 0 {
		return fault
	}
	sum := 0
	for _, cause := range e.Causes {
		sum += misfit(cause, tags, depth)
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
