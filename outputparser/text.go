package outputparser

import (
	"strings"

	"github.com/llmretry/langchaingo-llmretry/internal/extract"
	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// answer returns the part of a reply that a parser of plain text judges: all of it when strict, without reasoning
// blocks and a fence otherwise.
func answer(text string, strict bool, want string) (string, *Error) {
	if strict {
		if s := strings.Trim(text, " \t\r\n"); s != "" {
			return s, nil
		}
		return "", noText("is empty", want, "")
	}
	s, problem := extract.Answer(text)
	switch problem.Reason {
	case extract.None:
		return s, nil
	case extract.OpenReasoning:
		return "", refuse(llmretry.Issue{
			Code: "truncated", Want: want, Got: ending(text),
			Message: "output: ends inside a reasoning block, want " + want + ", got " + ending(text),
		})
	case extract.Empty:
		return "", noText("is empty", want, "")
	}
	return "", noText("holds no answer", want, sampleText(text))
}

func noText(what, want, got string) *Error { return complain("no_value", what, want, got) }

// complain makes an Error of one issue about the whole output.
func complain(code, what, want, got string) *Error {
	issue := llmretry.Issue{Code: code, Want: want, Got: got, Message: "output: " + what}
	if want != "" {
		issue.Message += ", want " + want
	}
	if got != "" {
		issue.Message += ", got " + got
	}
	return refuse(issue)
}

// sampleText quotes the beginning of a text.
func sampleText(text string) string {
	return jsontext.Quote(text[:min(len(text), 4*maxSample)], maxSample)
}
