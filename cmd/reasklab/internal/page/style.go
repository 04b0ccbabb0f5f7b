package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"strings"
)

//go:embed page.css
var common string

// colors are those of the strategies, on a light and on a dark ground. Strategies beyond them have the colors again, with
// another dash.
var colors = [...]struct{ light, dark string }{
	{"#1a56c4", "#7fb0ff"}, {"#14734a", "#5fd39b"}, {"#c2410c", "#ff9d6b"}, {"#7a2fc0", "#c9a1ff"},
	{"#946200", "#f2c14e"}, {"#0b7285", "#5fd3e6"}, {"#b3175a", "#ff8fbd"}, {"#4a5568", "#b4bfcf"},
}

// dashes tell curves apart for those who cannot by color.
var dashes = [...]string{"none", "7 3", "2 3", "9 3 2 3", "4 2", "12 4", "1 2", "6 2 1 2"}

// styleFor is the style sheet of a page with n strategies: what is common, and a color, a dash and a switch for each.
func styleFor(n int) string {
	var b strings.Builder
	b.WriteString(common)
	for i := range n {
		c := colors[i%len(colors)]
		fmt.Fprintf(&b, ".s%d{--own:%s;--dash:%s}\n", i, c.light, dashes[(i+i/len(colors))%len(dashes)])
		fmt.Fprintf(&b, "main:has(#t%d:not(:checked)) .curve.s%d{display:none}\n", i, i)
	}
	b.WriteString("@media (prefers-color-scheme: dark){\n")
	for i := range n {
		fmt.Fprintf(&b, ".s%d{--own:%s}\n", i, colors[i%len(colors)].dark)
	}
	b.WriteString("}\n")
	return b.String()
}

// policyFor allows this style and nothing else: no script, no request, no form, no base address.
func policyFor(style string) string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; " +
		"img-src data:; base-uri 'none'; form-action 'none'"
}
