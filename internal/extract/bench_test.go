package extract

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// order is a clean reply: n items of a nested object with escapes and text beyond ASCII.
func order(n int) string {
	var b strings.Builder
	b.WriteString(`{"id":"A-1007","status":"open","customer":{"name":"Zoë Müller","email":"zoe@example.com"},"total":129.95,"items":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"sku":"X%d","qty":%d,"note":"handle \"with\" care\nplease"}`, i, i%7+1)
	}
	b.WriteString(`]}`)
	return b.String()
}

func drain(s string) int {
	f := Lenient(s)
	n := 0
	for {
		if _, ok := f.Next(); !ok {
			return n
		}
		n++
	}
}

func BenchmarkLenient(b *testing.B) {
	for _, n := range []int{1, 60, 1600, 16000} {
		clean := order(n)
		for name, text := range map[string]string{
			"clean":  clean,
			"fenced": "Sure, here it is:\n\n```json\n" + clean + "\n```\n\nTell me if you need more.",
		} {
			b.Run(fmt.Sprintf("%s/%dB", name, len(clean)), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					drain(text)
				}
			})
		}
		b.Run(fmt.Sprintf("json.Valid/%dB", len(clean)), func(b *testing.B) {
			raw := []byte(clean)
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				json.Valid(raw)
			}
		})
	}
}

// hostile are replies that models send by accident, each of about n bytes.
func hostile(n int) map[string]string {
	repeat := func(s string) string { return strings.Repeat(s, n/len(s)+1)[:n] }
	return map[string]string{
		"open brackets":     repeat("["),
		"open braces":       repeat("{"),
		"open keys":         repeat(`{"a":`),
		"open spaced":       repeat("{ "),
		"backticks":         repeat("`"),
		"quotes":            repeat(`"`),
		"backslashes":       repeat(`\`),
		"string":            `{"a":"` + repeat("x"),
		"string backslash":  `{"a":"` + repeat(`\\`),
		"digits":            repeat("7"),
		"digits in array":   "[" + repeat("7"),
		"colons":            repeat(":"),
		"commas":            repeat(","),
		"closers":           repeat("}]"),
		"prose braces":      repeat("{a} "),
		"prose":             repeat("use {player} and [note] in f(x){ return } "),
		"fences":            repeat("```json\n"),
		"fences with empty": repeat("```json\n{}\n```\n"),
		"empty objects":     repeat("{}"),
		"arrays of one":     repeat("[1] "),
		"nested closed":     strings.Repeat("[", n/2) + strings.Repeat("]", n/2),
		"spaces":            repeat(" "),
		"nbsp":              repeat("\u00a0"),
		"zero width":        repeat("\u200b"),
		"angles":            repeat("<"),
		"open tags":         repeat("<think>"),
		"closing tags":      repeat("</think>"),
		"closed tags":       repeat("<think></think>"),
		"tags and keys":     repeat(`</think>{"a":"`),
		"tag beginnings":    repeat("<t"),
		"channels":          repeat("<|channel|>"),
		"channel analysis":  repeat("<|channel|>analysis<|end|>"),
		"pipes":             repeat("<|"),
		"block comments":    repeat("{/*"),
		"line comments":     repeat("{//"),
		"comment chain":     repeat("{/**/"),
		"late comment end":  repeat("{/*")[:n-2] + "*/",
		"object comments":   `{"a":1` + repeat("/* */"),
		"hashes":            `{"a":1` + repeat("#\n"),
		"unclosed strings":  repeat(`{"a":"b `),
		"think value":       repeat(`<think>{"a":1}`),
		"value then think":  repeat(`{"a":1}<think>x</think>`),
	}
}

func BenchmarkHostile(b *testing.B) {
	clean := order(16000)
	b.Run("valid", func(b *testing.B) {
		for b.Loop() {
			drain(clean)
		}
	})
	for name, text := range hostile(len(clean)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				drain(text)
			}
		})
	}
}
