package command

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/report"
	"github.com/llmretry/langchaingo-llmretry/internal/browser"
)

// run is the program in this process.
func run(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = Run(t.Context(), t.Context(), args, &out, &errs)
	return status, out.String(), errs.String()
}

// point is a point of a curve as the page has it.
type point struct {
	Chart, Strategy string
	X, Valid        int
	Share           float64
	CX, CY          float64
}

const points = `[...document.querySelectorAll("svg.chart circle")].map(c => ({
	Chart: c.closest("svg").id, Strategy: c.closest("g").dataset.strategy, X: +c.dataset.x, Valid: +c.dataset.valid, Share: +c.dataset.share,
	CX: c.cx.baseVal.value, CY: c.cy.baseVal.value,
}))`

// The page in a real browser: it asks for nothing and complains about nothing, its curves are those of the raw records,
// nothing is wider than a phone, and the links lead to the attempts.
func TestPage(t *testing.T) {
	dir := t.TempDir()
	browser.Find(t) // or skip
	status, _, stderr := run(t, "-offline", "-sample", "nested", "-html", filepath.Join(dir, "p.html"), "-json", filepath.Join(dir, "r.json"))
	require.Equal(t, StatusOK, status, stderr)
	var result report.Result
	raw, err := os.ReadFile(filepath.Join(dir, "r.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &result))
	b := browser.Open(t, http.FileServer(http.Dir(dir)), "/p.html", 360)

	t.Run("curves", func(t *testing.T) {
		drawn := browser.Eval[[]point](t, b, points)
		require.Len(t, drawn, len(result.Rows)*(5+41))
		highest := make(map[string]point)
		for _, p := range drawn {
			n, valid := 0, 0
			for i := range result.Records {
				r := &result.Records[i]
				if r.Strategy != p.Strategy {
					continue
				}
				n++
				if r.Valid && (p.Chart == "attempts" && len(r.Attempts) <= p.X || p.Chart == "tokens" && r.Tokens() <= p.X) {
					valid++
				}
			}
			require.Equal(t, 80, n)
			require.Equal(t, valid, p.Valid, "%+v", p)
			require.InDelta(t, float64(valid)/float64(n), p.Share, 1e-12)
			if h, ok := highest[p.Chart]; !ok || p.Share > h.Share {
				highest[p.Chart] = p
			}
		}
		for _, p := range drawn { // drawn where they belong: higher is more
			assert.GreaterOrEqual(t, p.CY, highest[p.Chart].CY)
		}
	})

	t.Run("nothing is wider than a phone", func(t *testing.T) {
		assert.Equal(t, 360, browser.Eval[int](t, b, `document.documentElement.scrollWidth`))
		outside := `[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > 360.5 && !e.closest(".scroll, pre"))`
		assert.Empty(t, browser.Eval[[]string](t, b, outside+`.map(e => e.tagName + " " + e.textContent.slice(0, 40))`))
		clipped := `[...document.querySelectorAll(".chart text")].filter(e => { const r = e.getBoundingClientRect(), s = e.closest("svg").getBoundingClientRect();` +
			` return r.width > 0 && (r.left < s.left - .5 || r.right > s.right + .5) })`
		assert.Empty(t, browser.Eval[[]string](t, b, clipped+`.map(e => e.textContent)`), "labels cut off")
	})

	t.Run("light and dark", func(t *testing.T) {
		background := func(scheme string) string {
			b.Prefer(t, "color-scheme", scheme)
			return browser.Eval[string](t, b, `getComputedStyle(document.body).backgroundColor + getComputedStyle(document.querySelector(".curve.s0 path")).stroke`)
		}
		assert.Equal(t, "rgb(244, 245, 247)rgb(26, 86, 196)", background("light"))
		assert.Equal(t, "rgb(15, 18, 23)rgb(127, 176, 255)", background("dark"))
	})

	t.Run("keyboard", func(t *testing.T) {
		want := browser.Eval[int](t, b, `window.all = [...document.querySelectorAll("a[href], input, [tabindex]")]; all.length`)
		require.Greater(t, want, 20)
		seen := make(map[int]bool)
		for range want {
			b.Do(t, chromedp.KeyEvent(kb.Tab))
			at := browser.Eval[int](t, b, `all.indexOf(document.activeElement)`)
			assert.GreaterOrEqual(t, at, 0)
			seen[at] = true
		}
		assert.Len(t, seen, want, "everything is reached by Tab")
		shown := `getComputedStyle(document.querySelector("#tokens .curve.s0")).display`
		assert.Equal(t, "inline", browser.Eval[string](t, b, shown))
		browser.Eval[chromedp.Void](t, b, `document.querySelector("#t0").focus()`)
		b.Do(t, chromedp.KeyEvent(" "))
		assert.Equal(t, "none", browser.Eval[string](t, b, shown), "a curve can be switched off")
	})

	assert.Empty(t, b.Said(), "the console")
	assert.Equal(t, []string{b.URL}, b.Requests(), "the page itself and nothing else")

	t.Run("worst cases", func(t *testing.T) {
		links := browser.Eval[[]string](t, b, `[...document.querySelectorAll("a.chip")].map(a => a.getAttribute("href"))`)
		require.Len(t, links, 10*len(result.Rows))
		for _, link := range links {
			assert.FileExists(t, filepath.Join(dir, filepath.FromSlash(link)))
		}
		lost := browser.Eval[string](t, b, `document.querySelector("a.chip.lost").href`)
		label := browser.Eval[string](t, b, `document.querySelector("a.chip.lost").textContent`)
		id := browser.Eval[string](t, b, `document.querySelector(".cases h3").textContent`)
		b.Do(t, chromedp.Navigate(lost))
		name, _, _ := strings.Cut(label, ":")
		assert.Equal(t, id+" under "+name, browser.Eval[string](t, b, `document.title`))
		assert.Equal(t, 360, browser.Eval[int](t, b, `document.documentElement.scrollWidth`))
	})
	assert.Empty(t, b.Said(), "the console")
}
