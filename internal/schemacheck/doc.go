// Package schemacheck judges decoded JSON by a JSON Schema and says what is wrong in the language of the schema.
//
// check.go is the only file that knows the validator underneath; everything else works on violation.
package schemacheck
