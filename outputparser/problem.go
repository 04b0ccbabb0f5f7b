package outputparser

import (
	"strconv"
	"strings"

	"github.com/llmretry/langchaingo-llmretry/internal/extract"
	"github.com/llmretry/langchaingo-llmretry/internal/jsontext"
	"github.com/llmretry/langchaingo-llmretry/internal/schemacheck"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// maxSample bounds the model's own words in one issue.
const maxSample = 120

// explain words why a text gives no value.
func (r reader) explain(text string, p extract.Problem) llmretry.Issues {
	want := r.wanted()
	issue := llmretry.Issue{Want: want}
	switch p.Reason {
	case extract.Empty:
		issue.Code, issue.Message = "no_value", "output: is empty, want "+want
	case extract.ExtraText:
		issue.Code, issue.Got = "extra_text", around(text, p.Offset)
		issue.Message = "output: has text around the value, want the value alone, got " + issue.Got
	case extract.OpenReasoning:
		issue.Code, issue.Got = "truncated", around(text, p.Offset)
		issue.Message = "output: ends inside a reasoning block, want " + want + ", got " + issue.Got
	case extract.ToolCall:
		issue.Code, issue.Got = "tool_call", around(text, p.Offset)
		issue.Message = "output: is a tool call in text, want " + want + ", got " + issue.Got
	case extract.Faulty:
		return llmretry.Issues{faulty(text, p.Fault, want)}
	default:
		return llmretry.Issues{r.noValue(text, "")}
	}
	return llmretry.Issues{issue}
}

func (r reader) wanted() string {
	if want := r.schema.Wanted(); want != "" {
		return "a JSON value: " + want
	}
	return "a JSON value"
}

// noValue is the issue of a text without a candidate; instead names what it holds when that is known.
func (r reader) noValue(text, instead string) llmretry.Issue {
	issue := llmretry.Issue{Code: "no_value", Want: r.wanted(), Got: jsontext.Quote(text[:min(len(text), 4*maxSample)], maxSample)}
	issue.Message = "output: holds no JSON value"
	if instead != "" {
		issue.Message = "output: holds " + instead
	}
	issue.Message += ", want " + issue.Want + ", got " + issue.Got
	return issue
}

// faulty words a value that begins and is broken.
func faulty(text string, f jsontext.Fault, want string) llmretry.Issue {
	at := " at byte " + strconv.Itoa(f.Offset)
	issue := llmretry.Issue{Code: "syntax", Want: want, Got: around(text, f.Offset)}
	if f.Kind == jsontext.Syntax && strings.HasPrefix(strings.TrimLeft(text[f.Offset:], " \t\r\n"), "```") {
		f.Kind = jsontext.Truncated // the fence was closed, the value was not
	}
	var what string
	switch f.Kind {
	case jsontext.Truncated:
		issue.Code, issue.Got = "truncated", ending(text)
		what = "ends inside the JSON value"
	case jsontext.TooDeep:
		issue.Code = "too_deep"
		what = "JSON nests deeper than " + strconv.Itoa(jsontext.MaxDepth) + " levels"
	case jsontext.NumberRange:
		issue.Code = "number"
		what = "number" + at + " is out of range"
	case jsontext.InvalidUTF8:
		issue.Code = "encoding"
		what = "string is not UTF-8" + at
	case jsontext.LoneSurrogate:
		issue.Code = "encoding"
		what = "string holds half of a surrogate pair" + at
	default:
		what = "is not valid JSON" + at
	}
	issue.Message = "output: " + what + ", got " + issue.Got
	return issue
}

// around quotes the text at an offset, with a little of what is before it.
func around(text string, offset int) string {
	const before, after = 20, 60
	from := max(0, min(offset, len(text))-before)
	return quoteFrom(text, from, from+before+after)
}

// ending quotes the end of a text.
func ending(text string) string { return quoteFrom(text, max(0, len(text)-60), len(text)) }

func quoteFrom(text string, from, to int) string {
	for from > 0 && text[from]&0xc0 == 0x80 {
		from--
	}
	piece := text[from:min(to, len(text))]
	if from > 0 {
		return "..." + jsontext.Quote(piece, maxSample)
	}
	return jsontext.Quote(piece, maxSample)
}

func duplicateKey(d *jsontext.Duplicate, mode jsontext.Mode) llmretry.Issue {
	issue := llmretry.Issue{
		Path: schemacheck.Pointer(d.Path, func(string) bool { return false }), Code: "duplicate_key", Want: "every key once", Got: jsontext.Quote(d.Key, maxSample),
	}
	issue.Message = schemacheck.Place(issue.Path) + ": key occurs twice"
	if mode == jsontext.Tolerant {
		issue.Message += " with different values"
	}
	issue.Message += ", got " + issue.Got
	return issue
}

func ambiguous(a, b reading) llmretry.Issues {
	const each = maxSample / 2
	got := jsontext.Sample(a.tree, each) + " and " + jsontext.Sample(b.tree, each)
	return llmretry.Issues{{
		Code: "ambiguous", Want: "one value", Got: got,
		Message: "output: holds two different values that fit, want one, got " + got,
	}}
}

func tooMany() llmretry.Issues {
	return llmretry.Issues{{
		Code: "ambiguous", Want: "one value",
		Message: "output: holds more than " + strconv.Itoa(maxCandidates) + " values, want one",
	}}
}
