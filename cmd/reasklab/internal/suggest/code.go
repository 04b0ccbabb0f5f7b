package suggest

import (
	"fmt"
	"go/format"
	"strconv"
	"strings"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/strategy"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Code returns the candidate as a Go file that compiles: a package with one function, New.
func Code(c Candidate, set *strategy.Set) (string, error) {
	s := c.Strategy
	schedule := s.Schedule[:min(len(s.Schedule), c.Attempts-1)]
	reasks, replays := c.Attempts > 1 && s.OnRefusal == strategy.Reask, c.Attempts > 1 && s.OnRefusal == strategy.Replay
	bigger := false
	for _, e := range schedule {
		bigger = bigger || e.Bigger
	}
	base := callOptions(set.Temperature, set.MaxTokens)
	entries := entriesOf(schedule)

	var b strings.Builder
	w := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	w("// Package healing holds what reasklab suggests.")
	w("package healing\n\nimport (")
	if replays {
		w("%q\n", "errors")
	}
	w("%q\n", "github.com/tmc/langchaingo/llms")
	w("%q", "github.com/llmretry/langchaingo-llmretry/llmretry")
	if reasks {
		w("%q", "github.com/llmretry/langchaingo-llmretry/reaskprompt")
	}
	w(")\n")
	if reasks {
		w("const correction = %s\n", literal(s.Correction))
	}
	w("%s", comment("New decorates inner. Measured: "+c.String()+"."))
	w("//\n// Attempts are shared with the failures of the provider, which the lab counted apart: allow for those you expect.")
	params := "inner llms.Model"
	if bigger {
		params = "inner, bigger llms.Model"
	}
	w("func New(%s) (*llmretry.Model, error) {", params)
	if reasks {
		w("builder, err := reaskprompt.Template(correction)\nif err != nil {\nreturn nil, err\n}")
	}
	w("return llmretry.New(inner,\nllmretry.WithMaxAttempts(%d),", c.Attempts)
	if base != "" {
		w("llmretry.WithCallOptions(%s),", base)
	}
	if reasks {
		w("llmretry.WithReask(builder),")
	}
	if replays {
		w("llmretry.WithClassifier(func(err error, s llmretry.State) bool {")
		w("return errors.Is(err, llmretry.ErrStructuredOutputInvalid) || llmretry.DefaultClassifier(err, s)\n}),")
	}
	if len(entries) > 0 {
		w("llmretry.WithPerAttemptOverride(\n%s,\n),", strings.Join(entries, ",\n"))
	}
	if reasks && s.Transcript != (llmretry.TranscriptPolicy{}) {
		w("llmretry.WithTranscriptPolicy(llmretry.TranscriptPolicy{%s}),", policy(s.Transcript))
	}
	w(")\n}")
	code, err := format.Source([]byte(b.String()))
	return string(code), err
}

// policy writes the fields that are set.
func policy(p llmretry.TranscriptPolicy) string {
	var fields []string
	for _, f := range []struct {
		name string
		n    int
	}{{"KeepLast", p.KeepLast}, {"FreshAfter", p.FreshAfter}, {"ClipEcho", p.ClipEcho}, {"MaxBytes", p.MaxBytes}} {
		if f.n != 0 {
			fields = append(fields, fmt.Sprintf("%s: %d", f.name, f.n))
		}
	}
	return strings.Join(fields, ", ")
}

// entriesOf writes a schedule. An entry that sets nothing keeps its place.
func entriesOf(schedule []strategy.Entry) (entries []string) {
	for _, e := range schedule {
		options := callOptions(e.Temperature, e.MaxTokens)
		switch {
		case e.Bigger && options != "":
			entries = append(entries, "llmretry.Use(bigger, "+options+")")
		case e.Bigger:
			entries = append(entries, "llmretry.Use(bigger)")
		default:
			entries = append(entries, "llmretry.Set("+options+")")
		}
	}
	return entries
}

func callOptions(temperature *float64, maxTokens int) string {
	var options []string
	if temperature != nil {
		options = append(options, fmt.Sprintf("llms.WithTemperature(%v)", *temperature))
	}
	if maxTokens > 0 {
		options = append(options, fmt.Sprintf("llms.WithMaxTokens(%d)", maxTokens))
	}
	return strings.Join(options, ", ")
}

// literal is a string literal that is easy to read if it can be.
func literal(text string) string {
	if strings.ContainsAny(text, "`\r\x00\ufeff") {
		return strconv.Quote(text)
	}
	return "`" + text + "`"
}

// comment breaks a text into lines of a comment. Nothing in the text, which has a name of the caller's in it, ends it.
func comment(text string) string {
	const width = 110
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		if column == 0 || column+len(word) > width {
			if column > 0 {
				b.WriteByte('\n')
			}
			b.WriteString("//")
			column = 2
		}
		b.WriteString(" " + word)
		column += 1 + len(word)
	}
	return b.String()
}
