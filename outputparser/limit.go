package outputparser

import (
	"fmt"
	"math"
	"slices"

	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/llmretry/langchaingo-llmretry/internal/schemacheck"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Limits bound what a parser takes and what it says. Zero is the default of each.
type Limits struct {
	Bytes  int // of an output; default: any size. A longer one is refused unread, with the code too_large.
	Depth  int // of nesting, at most the default, 10 000. A deeper value is refused with the code too_deep.
	Issues int // in one error, at most 1000; default 50. The code more says how many are left out.
	Text   int // bytes of one issue's Message, and of its Want, 40 at least; default: 1000 of Want, which Message repeats.
}

const (
	maxLimitIssues = 1000
	minLimitText   = 40
)

// Limit sets the bounds of a parser made by [JSON] or [FromSchema]. Negative ones, and ones above what Limits allows,
// are errors of the constructor.
func Limit(l Limits) Option {
	return func(c *config) {
		c.use("Limit")
		c.limits = l
		for _, limit := range []struct {
			name   string
			n, max int
		}{{"Bytes", l.Bytes, math.MaxInt}, {"Depth", l.Depth, jsontext.MaxDepth}, {"Issues", l.Issues, maxLimitIssues}} {
			if limit.n < 0 || limit.n > limit.max {
				c.errs = append(c.errs, invalid("Limit: %s is %d, want 0 to %d", limit.name, limit.n, limit.max))
			}
		}
		if l.Text != 0 && l.Text < minLimitText {
			c.errs = append(c.errs, invalid("Limit: Text is %d, want 0, or at least %d", l.Text, minLimitText))
		}
	}
}

// cut returns issues with their texts cut to the limit. A check's own issues are its own: they are not written to.
func (l Limits) cut(issues llmretry.Issues) llmretry.Issues {
	if l.Text == 0 {
		return issues
	}
	list := slices.Clone(issues)
	for i := range list {
		list[i].Message, list[i].Want = jsontext.Clip(list[i].Message, l.Text), jsontext.Clip(list[i].Want, l.Text)
	}
	return list
}

func tooLarge(n, limit int) llmretry.Issue {
	want := fmt.Sprintf("at most %d bytes", limit)
	return llmretry.Issue{Code: "too_large", Want: want, Message: fmt.Sprintf("output: is %d bytes long, want %s", n, want)}
}

func tooDeep(n, limit int) llmretry.Issue {
	want := fmt.Sprintf("at most %d levels", limit)
	return llmretry.Issue{Code: "too_deep", Want: want, Message: fmt.Sprintf("%s: nested %d levels deep, want %s", schemacheck.Place(""), n, want)}
}
