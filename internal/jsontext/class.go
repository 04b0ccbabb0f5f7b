package jsontext

// The classes of a byte, for the inner loops.
const (
	gap     = 1 << iota // may begin space: white space, a comment, a no-break space
	digit               // 0 to 9
	special             // ends a run of plain bytes in a string
)

var byteClass = func() (t [256]uint8) {
	for _, c := range []byte{' ', '\t', '\n', '\r', '/', '#', 0xc2} {
		t[c] |= gap
	}
	for c := '0'; c <= '9'; c++ {
		t[c] |= digit
	}
	for c := range 256 {
		if c < ' ' || c == '"' || c == '\\' || c >= 0x80 {
			t[c] |= special
		}
	}
	return t
}()
