package attemptview

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// FuzzPage: whatever a model says and wherever issues point, the page is HTML whose text is what was said, made visible,
// with no element that is not the page's own; a mark holds the text of its place.
func FuzzPage(f *testing.F) {
	for _, seed := range []struct{ output, path string }{
		{hostileText, "/a"}, {`{"a": {"b": [1, "x"]}}`, "/a/b/1"}, {"\n\n<pre>", ""}, {"```json\n[1,2,]\n```", "/7"}, {"{\"a\":", ""},
		{"\xf0\x9f", "/~"}, {healed().Attempts[0].Output, "/lines/0/quantity"}, {nested().Attempts[1].Output, "/urgency"},
	} {
		f.Add(seed.output, seed.path, 5000)
		f.Add(seed.output, seed.path, 20)
	}
	own := elements(f, pageOf(f, []*llmretry.Report{healed(), nested(), long()}))
	f.Fuzz(func(t *testing.T, output, path string, limit int) {
		err := refusal(output, llmretry.Issue{Path: path, Message: output}, llmretry.Issue{Code: path, Got: output})
		r := &llmretry.Report{Err: err, Attempts: []llmretry.Attempt{{
			Category: llmretry.CategoryStructuredOutputInvalid, Err: err, Output: output, Response: replied(output), Model: path, Messages: messages(output, path),
		}}}
		page := pageOf(t, []*llmretry.Report{r}, MaxText(limit), Title(path))
		doc, parseErr := html.Parse(strings.NewReader(page))
		require.NoError(t, parseErr)
		for name := range elements(t, page) {
			require.Contains(t, own, name)
		}
		if shown := find(doc, "output"); shown != nil && max(1, limit) >= len(output) {
			require.Equal(t, visible(output), content(find(doc, "output").FirstChild))
		}
		places, ok := locate(output, err.Issues)
		for i, p := range places {
			require.True(t, !ok[i] || 0 <= p.start && p.start < p.end && p.end <= len(output), "%v of %d", p, len(output))
		}
		if m := byID(doc, "c1-a0-m1"); ok[0] && max(1, limit) >= len(output) {
			require.Equal(t, visible(output[places[0].start:places[0].end]), content(m))
		}
	})
}

// elements returns the names of the elements of a page.
func elements(t testing.TB, page string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	doc, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode {
			names[n.Data] = true
		}
	}
	return names
}

func find(doc *html.Node, class string) *html.Node {
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Div && attribute(n, "class") == class {
			return n
		}
	}
	return nil
}

func byID(doc *html.Node, id string) *html.Node {
	for n := range doc.Descendants() {
		if attribute(n, "id") == id {
			return n
		}
	}
	return nil
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func content(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}
