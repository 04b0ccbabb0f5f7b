package outputparser_test

import (
	"errors"
	"testing"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/stretchr/testify/require"
)

var errTooYoung = errors.New("too young")

func TestCheck(t *testing.T) {
	p := mustJSON[person](t,
		outputparser.Check(func(p person) error {
			if p.Age < 18 {
				return errTooYoung
			}
			return nil
		}),
		outputparser.Check(func(p person) error {
			if p.Name == "" {
				return llmretry.Issues{{Path: "/name", Code: "blank", Message: "/name: is blank"}}
			}
			return nil
		}))
	_, err := p.Parse(`{"name":"Ada","age":36}`)
	require.NoError(t, err)
	v, err := p.Parse(`{"name":"","age":3}`)
	require.Zero(t, v)
	require.EqualError(t, err, "output: too young; /name: is blank")
	require.ErrorIs(t, err, errTooYoung)
	issues := issuesOf(t, err)
	require.Equal(t, "check", issues[0].Code)
	require.Equal(t, "blank", issues[1].Code)

	joined := mustJSON[person](t, outputparser.Check(func(person) error { return errors.Join(errTooYoung, errForeign) }))
	_, err = joined.Parse(`{"name":"","age":3}`)
	require.Len(t, issuesOf(t, err), 2)

	untyped, err := outputparser.FromSchema([]byte(`true`), outputparser.Check(func(v any) error { return errTooYoung }))
	require.NoError(t, err)
	_, err = untyped.Parse(`1`)
	require.ErrorIs(t, err, errTooYoung)
}

type byValue struct {
	From int `json:"from"`
	To   int `json:"to"`
}

func (r byValue) Validate() error {
	if r.From > r.To {
		return errors.New("from is after to")
	}
	return nil
}

type byPointer struct{ byValueFields }

type byValueFields struct {
	From int `json:"from"`
}

func (*byPointer) Validate() error { return errTooYoung }

func TestOwnValidate(t *testing.T) {
	_, err := mustJSON[byValue](t).Parse(`{"from":2,"to":1}`)
	require.EqualError(t, err, "output: from is after to")
	_, err = mustJSON[*byValue](t).Parse(`{"from":2,"to":1}`)
	require.EqualError(t, err, "output: from is after to")
	_, err = mustJSON[byPointer](t).Parse(`{"from":2}`)
	require.ErrorIs(t, err, errTooYoung)
	_, err = mustJSON[*byPointer](t).Parse(`{"from":2}`)
	require.ErrorIs(t, err, errTooYoung)
	v, err := mustJSON[*byValue](t, outputparser.Schema([]byte(`true`))).Parse(`null`)
	require.NoError(t, err)
	require.Nil(t, v)
}

// All issues of a joined error are there.
func TestCheckJoined(t *testing.T) {
	p, err := outputparser.JSON[person](outputparser.Check(func(person) error {
		return errors.Join(llmretry.Issues{{Path: "/a", Code: "one"}}, llmretry.Issues{{Path: "/b", Code: "two"}}, errors.New("three"))
	}))
	require.NoError(t, err)
	_, err = p.Parse(`{"name":"Ada","age":36}`)
	var issues llmretry.Issues
	require.ErrorAs(t, err, &issues)
	require.Len(t, issues, 3)
}
