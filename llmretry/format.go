package llmretry

import (
	"fmt"
	"strconv"
	"strings"
)

// What %v and %+v print. Neither ever prints a prompt or an output: error reporters and loggers print values with %+v
// without asking, so what they get must be fit for a log. Contents are in the fields, in the JSON and on the page of
// package attemptview. (Semantics H2.)

// Format prints a report: %v in one line, %+v with one further line per attempt, those of decorators below indented.
func (r *Report) Format(f fmt.State, verb rune) {
	format(f, verb, r.brief, func(w *strings.Builder) { r.describe(w, "  ", maxNesting) })
}

// Format prints an attempt: %v and %+v in one line, %+v followed by its issues and by the attempts of decorators below.
func (a Attempt) Format(f fmt.State, verb rune) {
	format(f, verb, a.brief, func(w *strings.Builder) { a.describe(w, "  ", maxNesting) })
}

// Format prints a failure in one line; %+v adds its issues, one a line.
func (f Failure) Format(s fmt.State, verb rune) {
	format(s, verb, f.brief, func(w *strings.Builder) { f.Issues.describe(w, "  ") })
}

// Format prints the text of Error; %+v adds the answer's figures and its issues, one a line.
func (e *StructuredOutputError) Format(f fmt.State, verb rune) {
	format(f, verb, errorText(e), func(w *strings.Builder) {
		w.WriteString("\n  " + e.Failure.figures())
		e.Issues.describe(w, "  ")
	})
}

// Format prints the text of Error; %+v adds one line per attempt.
func (e *AttemptsError) Format(f fmt.State, verb rune) {
	format(f, verb, errorText(e), func(w *strings.Builder) {
		if e.Report != nil {
			e.Report.describe(w, "  ", maxNesting)
		}
	})
}

// Format prints the text of Error; %+v adds the type of the error it annotates.
func (e *ProviderError) Format(f fmt.State, verb rune) {
	format(f, verb, errorText(e), func(w *strings.Builder) {
		if e.Err != nil {
			fmt.Fprintf(w, "\n  %T", e.Err)
		}
	})
}

// Format prints the text of Error; %+v adds the stack.
func (e *PanicError) Format(f fmt.State, verb rune) {
	format(f, verb, errorText(e), func(w *strings.Builder) {
		for line := range strings.Lines(clip(string(e.Stack), maxStack)) {
			w.WriteString("\n  " + strings.TrimRight(line, "\n"))
		}
	})
}

// Format prints the text of Error; %+v adds one line per entry of the trail, the last ones of many.
func (e *ExhaustedError) Format(f fmt.State, verb rune) {
	format(f, verb, errorText(e), func(w *strings.Builder) {
		entries := e.Trail
		if left := len(entries) - maxListed; left > 0 {
			entries = entries[left:]
			w.WriteString("\n  the last " + strconv.Itoa(maxListed) + " of " + strconv.Itoa(len(e.Trail)) + " entries")
		}
		for _, entry := range entries {
			w.WriteString("\n  " + entry.brief())
		}
	})
}

// Format prints the issues in one line; %+v puts each on a line of its own.
func (is Issues) Format(f fmt.State, verb rune) {
	if verb == 'v' && f.Flag('+') {
		format(f, verb, func() string { return plural(len(is), "issue") }, func(w *strings.Builder) { is.describe(w, "  ") })
		return
	}
	format(f, verb, is.Error, nil)
}

// Format prints an entry of a trail in one line, with the lengths of its texts.
func (e TrailEntry) Format(f fmt.State, verb rune) { format(f, verb, e.brief, nil) }

const (
	maxNesting = 8       // decorators in each other that are looked into
	maxListed  = 20      // lines of one list
	maxStack   = 8 << 10 // bytes
)

// format prints what a verb asks for, with its width and precision. %#v is %+v: Go syntax would be the contents.
func format(f fmt.State, verb rune, brief func() string, more func(*strings.Builder)) {
	text := brief()
	if verb == 'v' {
		verb = 's'
		if (f.Flag('+') || f.Flag('#')) && more != nil {
			var b strings.Builder
			b.WriteString(text)
			more(&b)
			text = b.String()
		}
	}
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), text) // a Formatter has nowhere to report a failed writer
}

// errorText is e.Error as a function that survives a nil e, as fmt does.
func errorText[E interface {
	comparable
	error
}](e E) func() string {
	return func() string {
		var none E
		if e == none {
			return "<nil>"
		}
		return e.Error()
	}
}
