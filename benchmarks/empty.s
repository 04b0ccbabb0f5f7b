// Go files that declare functions without bodies (see eino_test.go) need an assembly file next to them.
