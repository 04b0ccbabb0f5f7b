package command

import (
	"fmt"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/report"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/suggest"
)

// suggestion is the cheapest schedule that reached what is wanted, in words and as Go; or the closest, in words.
type suggestion struct {
	reached    bool
	text, code string
}

func (o *options) suggestion(in *inputs, r *report.Result) (*suggestion, error) {
	list := suggest.Candidates(in.set, r.Records, o.prices)
	c, reached := suggest.Cheapest(list, o.want)
	if !reached {
		return &suggestion{text: fmt.Sprintf("Closest is %s.", suggest.Best(list))}, nil
	}
	text := c.String() + "."
	if r.Priced {
		text = fmt.Sprintf("%s, at %.6f a case.", c, c.Cost)
	}
	if c.Valid.Interval.Low < o.want {
		text += fmt.Sprintf(" The interval begins below %.3g %%: with more cases it may turn out to be less.", 100*o.want)
	}
	code, err := suggest.Code(c, in.set)
	return &suggestion{reached: true, text: text, code: code}, err
}

// print is what the terminal shows.
func (s *suggestion) print(want float64) string {
	if !s.reached {
		return fmt.Sprintf("\nNothing reaches %.3g %%. %s\n", 100*want, s.text)
	}
	return fmt.Sprintf("\nThe cheapest that reaches %.3g %%: %s\n\n%s", 100*want, s.text, s.code)
}
