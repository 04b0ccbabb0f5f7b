// Package jsontext reads JSON out of a string without copying it: a scanner that finds where a value ends, a decoder
// that turns a scanned value into plain Go values with exact numbers, and writers for short samples and clean text.
//
// Everything here is linear in its input and bounded in depth. The scanner never allocates; the decoder works on
// text the scanner has accepted and so checks no syntax of its own.
package jsontext
