// Package benchmarks measures llmretry next to the libraries and frameworks that do part of its work: the same fake
// model, the same messages, the same reply. It is a module of its own, so that none of them enters the library's.
//
// Names are Benchmark<scenario>/<case>/<subject>. ./run makes the table; see README.md.
package benchmarks
