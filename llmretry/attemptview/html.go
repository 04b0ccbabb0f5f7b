package attemptview

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

//go:embed page.css
var style string

//go:embed page.html
var source string

// policy allows this page's own style and nothing else: no script, no request, no form, no base address.
var policy = "default-src 'none'; style-src 'sha256-" + hash(style) + "'; img-src data:; base-uri 'none'; form-action 'none'"

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"style":  func() template.CSS { return template.CSS(style) },
	"policy": func() string { return policy },
	"size":   size,
	"long":   func(t *text) bool { return t.Bytes-t.Cut > longText },
}).Parse(source))

// longText is the number of bytes from which a text scrolls by itself.
const longText = 1500

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// WriteHTML writes the page that shows reports, one after the other; nil ones are left out. It reads the reports and
// changes nothing in them. Errors are those of w.
func WriteHTML(w io.Writer, reports []*llmretry.Report, opts ...Option) error {
	c := newConfig(opts)
	b := builder{config: c, left: c.maxPage}
	out := bufio.NewWriter(w)
	if err := page.Execute(out, b.page(reports)); err != nil {
		return err
	}
	return out.Flush()
}
