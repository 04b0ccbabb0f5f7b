package outputparser

import (
	"errors"
	"testing"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/stretchr/testify/require"
)

func TestError(t *testing.T) {
	cause := errors.New("cause")
	err := error(&Error{issues: llmretry.Issues{{Code: "a", Message: "one"}, {Path: "/b", Code: "b"}}, cause: cause})
	require.EqualError(t, err, "one; /b: b")
	require.ErrorIs(t, err, cause)
	var issues llmretry.Issues
	require.ErrorAs(t, err, &issues)
	require.Len(t, issues, 2)
	var carrier interface{ Issues() llmretry.Issues }
	require.ErrorAs(t, err, &carrier)
	require.NotErrorIs(t, err, errNoParser)

	plain := refuse(llmretry.Issue{Code: "a", Message: "one"})
	require.Nil(t, plain.Schema())
	require.ErrorAs(t, plain, &issues)
	require.ErrorIs(t, errNoParser, llmretry.ErrInvalidOption)
}
