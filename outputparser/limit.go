package outputparser

import (
	"fmt"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/llmretry/langchaingo-llmretry/internal/schemacheck"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Limits bound what a parser takes and what it says. Zero is the default of each.
type Limits struct {
	Bytes  int // of an output; default: any size. A longer one is refused unread, with the code too_large.
	Depth  int // of nesting, at most the default, 10 000. A deeper value is refused with the code too_deep.
	Issues int // in one error, at most 1000; default 50. The code more says how many are left out.
}

const maxLimitIssues = 1000

// Limit sets the bounds of a parser made by [JSON] or [FromSchema]. Negative ones, and ones above what Limits allows,
// are errors of the constructor.
func Limit(l Limits) Option {
	return func(c *config) {
		c.use("Limit")
		c.limits = l
		for _, limit := range []struct {
			name   string
			n, max int
		}{{"Bytes", l.Bytes, 1 << 62}, {"Depth", l.Depth, jsontext.MaxDepth}, {"Issues", l.Issues, maxLimitIssues}} {
			if limit.n < 0 || limit.n > limit.max {
				c.errs = append(c.errs, invalid("Limit: %s is %d, want 0 to %d", limit.name, limit.n, limit.max))
			}
		}
	}
}

func tooLarge(n, limit int) llmretry.Issue {
	want := fmt.Sprintf("at most %d bytes", limit)
	return llmretry.Issue{Code: "too_large", Want: want, Message: fmt.Sprintf("output: is %d bytes long, want %s", n, want)}
}

func tooDeep(n, limit int) llmretry.Issue {
	want := fmt.Sprintf("at most %d levels", limit)
	return llmretry.Issue{Code: "too_deep", Want: want, Message: fmt.Sprintf("%s: nested %d levels deep, want %s", schemacheck.Place(""), n, want)}
}
