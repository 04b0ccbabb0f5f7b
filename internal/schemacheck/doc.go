// Package schemacheck judges decoded JSON by a JSON Schema and says what is wrong in the language of the schema.
//
// check.go and rule.go are the only files that know the validator underneath: check.go asks it, rule.go reads what it
// compiled. Everything else works on violation and rule.
package schemacheck
