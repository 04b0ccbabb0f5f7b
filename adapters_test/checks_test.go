package adapters_test

// The checks of the matrix, by the names they have in docs/providers.md.
const (
	happy       = "happy call"
	schedule    = "schedule"
	reask       = "reask"
	twice       = "two reasks"
	interleaved = "transient between"
	prefill     = "prefill"
	system      = "system first"
	images      = "image"
	parts       = "two texts"
	tools       = "tool calls"
	strict      = "strict server"
	statuses    = "statuses"
	gone        = "refused, dropped"
	cutBody     = "cut body"
	page        = "no JSON"
	bare        = "empty body"
	nothing     = "no choices"
	cancel      = "cancelled"
	deadline    = "deadline"
	stream      = "stream"
	early       = "stream fails before"
	late        = "stream fails after"
	endless     = "stream without end"
	resetting   = "stream reset"
)

// cells says which checks a dialect cannot pass, and why. The check then holds it against what it does instead, where
// there is anything to hold.
type cells map[string]string
