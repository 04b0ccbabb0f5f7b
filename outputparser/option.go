package outputparser

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
)

// Option refines a parser. The same type serves all constructors; one that a parser has no use for is an error of its
// constructor, as a nil one is.
type Option func(*config)

type config struct {
	strict       bool
	schema       []byte
	patches      []string
	open         bool
	instructions func(json.RawMessage) string
	tool         string
	limits       Limits
	checks       []any    // func(T) error
	used         []string // names of the options given
	errs         []error
}

// Strict makes the whole text, apart from white space around it, the value. For JSON that is RFC 8259 and a little
// less: no key twice, no half of a surrogate pair, valid UTF-8, numbers that a float64 can hold, and at most 10 000
// levels of nesting.
func Strict() Option {
	return func(c *config) { c.strict = true }
}

// Schema puts a JSON Schema in the place of the one that [JSON] takes from the type. What it accepts must fit T.
func Schema(schema []byte) Option {
	return func(c *config) {
		c.use("Schema")
		if c.schema = bytes.Clone(schema); len(schema) == 0 {
			c.errs = append(c.errs, invalid("Schema: the schema is empty"))
		}
	}
}

// Refine changes the schema by a JSON merge patch (RFC 7396): what the patch names is set, null removes. It is how a
// type's schema gets what tags cannot say. Several patches apply in their order.
func Refine(patch []byte) Option {
	return func(c *config) {
		c.use("Refine")
		if _, ok := jsontext.Members(string(patch)); !ok {
			c.errs = append(c.errs, invalid("Refine: the patch is not a JSON object"))
			return
		}
		c.patches = append(c.patches, string(patch))
	}
}

// AllowAdditional lets objects have properties that the type does not name; they are dropped.
func AllowAdditional() Option {
	return func(c *config) {
		c.use("AllowAdditional")
		c.open = true
	}
}

// Instructions makes GetFormatInstructions the caller's words. f is called once, by the constructor.
func Instructions(f func(schema json.RawMessage) string) Option {
	return func(c *config) {
		c.use("Instructions")
		if c.instructions = f; f == nil {
			c.errs = append(c.errs, invalid("Instructions: the function is nil"))
		}
	}
}

// Check adds a rule that a schema cannot say; it runs on values that the schema accepts. Its error becomes one issue
// with the code "check", or, when it is or carries an [llmretry.Issues], those; errors.Is and errors.As find it behind
// the parser's error. T must be the parser's; any other is an error of the constructor. Several checks all run.
//
// A T with a method Validate() error, on itself or its pointer, needs no Check: it is called before the checks.
func Check[T any](f func(T) error) Option {
	return func(c *config) {
		c.use("Check")
		if f == nil {
			c.errs = append(c.errs, invalid("Check: the function is nil"))
			return
		}
		c.checks = append(c.checks, f)
	}
}

// AsTool declares that the value may also arrive as the arguments of a call of the tool of that name, the one that
// [JSONParser.Tool] makes: a decorator from llmretry then parses those of a response that calls this tool and no other.
// Parse itself takes the arguments as it takes any text.
func AsTool(name string) Option {
	return func(c *config) {
		c.use("AsTool")
		if c.tool = name; strings.TrimSpace(name) == "" {
			c.errs = append(c.errs, invalid("AsTool: the name is blank"))
		}
	}
}

func (c *config) use(name string) { c.used = append(c.used, name) }

// newConfig applies the options; allowed names those beyond Strict that the constructor takes.
func newConfig(constructor string, opts []Option, allowed ...string) (*config, error) {
	c := new(config)
	for i, opt := range opts {
		if opt == nil {
			c.errs = append(c.errs, invalid("%s: option %d is nil", constructor, i))
			continue
		}
		opt(c)
	}
	for _, name := range c.used {
		if !slices.Contains(allowed, name) {
			c.errs = append(c.errs, invalid("%s: %s is not an option of it", constructor, name))
		}
	}
	return c, errors.Join(c.errs...)
}
