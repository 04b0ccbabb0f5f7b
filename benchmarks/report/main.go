// Report reads the output of the benchmarks and prints the tables and targets. With -doc it also puts them into a
// document, between the marks.
//
//	go run ./report -doc ../docs/performance.md results...
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
)

const (
	begin = "<!-- benchmarks/run writes from here -->"
	end   = "<!-- to here -->"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("report: ")
	doc := flag.String("doc", "", "the document to write into")
	rounds := flag.String("rounds", "", "how the results were made, for the reader")
	flag.Parse()

	rs, err := read(flag.Args())
	if err != nil {
		log.Fatal(err)
	}
	var text bytes.Buffer
	writeMachine(&text, rs, *rounds)
	writeTargets(&text, rs)
	writeTables(&text, rs)
	fmt.Print(text.String())
	if *doc != "" {
		if err := insert(*doc, text.String()); err != nil {
			log.Fatal(err)
		}
	}
}

// insert replaces what is between the marks of a document.
func insert(name, text string) error {
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	before, rest, ok1 := strings.Cut(string(old), begin+"\n")
	_, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		return fmt.Errorf("%s: no %q ... %q", name, begin, end)
	}
	return os.WriteFile(name, []byte(before+begin+"\n\n"+text+"\n"+end+after), 0o644)
}
