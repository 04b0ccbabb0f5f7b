package attemptview

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// usage writes the counters that were reported, "" when none was.
func usage(u llmretry.Usage) string {
	var parts []string
	if u.Input.Known || u.Output.Known {
		parts = append(parts, number(u.Input)+" in", number(u.Output)+" out")
	}
	if u.Total.Known {
		parts = append(parts, number(u.Total)+" tokens")
	}
	return strings.Join(parts, ", ")
}

func number(c llmretry.Count) string {
	if !c.Known {
		return "?"
	}
	return grouped(c.N)
}

// grouped writes a number with a thin space between its thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

func count(n int, noun string) string {
	switch noun {
	case "accepted", "failed":
	default:
		if n != 1 {
			noun += "s"
		}
	}
	return grouped(n) + " " + noun
}

func duration(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.0f ms", d.Seconds()*1000)
	case d > 0:
		return fmt.Sprintf("%.2f ms", d.Seconds()*1000)
	}
	return "0 s"
}

// errorText is err's text. The method may panic, as that of a nil pointer does.
func errorText(err error) (s string) {
	defer func() {
		if v := recover(); v != nil {
			s = fmt.Sprintf("%T, whose Error method panics: %v", err, v)
		}
	}()
	return err.Error()
}
