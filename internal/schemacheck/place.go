package schemacheck

import "github.com/llmretry/langchaingo-llmretry/internal/jsontext"

// A place is at most maxPlace bytes as it is printed, of which maxKeys are of keys that the schema does not know: the
// model's own words.
const (
	maxPlace = 200
	maxKeys  = 100
	maxKey   = maxKeys / 2 // of one, when it has to be cut
	elided   = "/..."
)

// Place is how a message about a value begins.
func Place(pointer string) string {
	if pointer == "" {
		return "output"
	}
	return jsontext.Line(pointer)
}

// Pointer writes the path of a value. One that is too long is cut, keys first and then the middle; it no longer
// resolves then.
func (s *Schema) Pointer(path []string) string {
	return Pointer(path, func(token string) bool { return s.names[token] })
}

// Pointer is [Schema.Pointer] with known telling which keys are the schema's.
func Pointer(path []string, known func(token string) bool) string {
	keys, size := 0, 0
	for _, token := range path {
		n := len(printed(token))
		size += n
		if !known(token) {
			keys += n
		}
	}
	if size <= maxPlace && keys <= maxKeys {
		return jsontext.Pointer(path)
	}
	short := func(i int) (text string, key int) {
		text = jsontext.Clip(printed(path[i]), maxKey)
		if known(path[i]) {
			return text, 0
		}
		return text, len(text)
	}
	last := len(path) - 1
	tail, keys := short(last)
	head := ""
	for i := range last {
		text, key := short(i)
		if keys += key; keys > maxKeys || len(head)+len(text)+len(elided)+len(tail) > maxPlace {
			return head + elided + tail
		}
		head += text
	}
	return head + tail
}

// printed is a token with its slash, as it stands in a message.
func printed(token string) string { return jsontext.Line(jsontext.Pointer([]string{token})) }
