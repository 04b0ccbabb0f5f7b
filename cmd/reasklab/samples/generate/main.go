// Generate writes the sample cases of the lab. All of it is made up: people, shops, places and mails.
//
//	go generate ./cmd/reasklab/samples
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	for _, s := range []struct {
		name string
		n    int
		one  func(*maker) (text string, expected any)
	}{
		{"extraction", 120, order},
		{"classification", 120, report},
		{"nested", 80, round},
	} {
		if err := write(filepath.Join(dir, s.name+".jsonl"), s.name, s.n, s.one); err != nil {
			fmt.Fprintln(os.Stderr, "generate:", err)
			os.Exit(1)
		}
	}
}

// maker draws. The same seed makes the same cases.
type maker struct{ *rand.Rand }

func newMaker(name string) *maker {
	var seed uint64
	for _, c := range name {
		seed = seed*31 + uint64(c)
	}
	return &maker{rand.New(rand.NewPCG(seed, 1843))}
}

// one picks one of several.
func one[T any](m *maker, of []T) T { return of[m.IntN(len(of))] }

// some picks n different ones, in a random order.
func some[T any](m *maker, n int, of []T) []T {
	picked := make([]T, n)
	for i, at := range m.Perm(len(of))[:n] {
		picked[i] = of[at]
	}
	return picked
}

// day is a day of 2027 or 2028.
func (m *maker) day() time.Time {
	return time.Date(2027, time.January, 4+m.IntN(500), 0, 0, 0, 0, time.UTC)
}

// fill puts values into a text: "{name}" becomes the value after "name".
func fill(text string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		text = strings.ReplaceAll(text, "{"+pairs[i]+"}", pairs[i+1])
	}
	return text
}

func write(file, name string, n int, one func(*maker) (string, any)) error {
	m := newMaker(name)
	seen := make(map[string]bool)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for i := 1; i <= n; i++ {
		text, expected := one(m)
		for seen[text] {
			text, expected = one(m)
		}
		seen[text] = true
		if err := e.Encode(struct {
			ID       string    `json:"id"`
			Messages []message `json:"messages"`
			Expected any       `json:"expected"`
		}{fmt.Sprintf("%s-%03d", name, i), []message{{"system", instructions[name]}, {"user", text}}, expected}); err != nil {
			return err
		}
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

type message struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// instructions stand before each text. They are the samples' own.
var instructions = map[string]string{
	"extraction": "Read the mail and answer with one JSON object: customer, email, order_number, product (one of it: \"oak stool\"), " +
		"quantity, delivery_date (YYYY-MM-DD) and payment (invoice, card or transfer). Answer with the object only.",
	"classification": "Read the message to the town hall and answer with one JSON object: topic (waste, streets, water, noise, parks " +
		"or permits), urgency (low, normal or high), district, and wants_reply (true or false). Answer with the object only.",
	"nested": "Read the driver's note and answer with one JSON object: supplier, date (YYYY-MM-DD), and stops, a list of objects with " +
		"place (without \"the\"), arrival (HH:MM) and items; each item has name, quantity and unit (kg, crate, sack, bottle or box). Answer with the object only.",
}
