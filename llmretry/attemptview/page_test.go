package attemptview

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/internal/browser"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// everything is a page with all there is, with hostile texts in it.
func everything(t *testing.T) string {
	t.Helper()
	return pageOf(t, []*llmretry.Report{healed(), nested(), hostile()}, Title("All <b>of</b> it"))
}

const unfold = `document.querySelectorAll("details").forEach(d => { d.open = true })`

// open shows html in a window of that width.
func open(t *testing.T, html string, width int64) *browser.Page {
	return browser.Open(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(html))
	}), "/", width)
}

// TestInBrowser opens the page in a real browser, on a phone's width.
func TestInBrowser(t *testing.T) {
	b := open(t, everything(t), 360)

	t.Run("text is text", func(t *testing.T) {
		outputs := browser.Eval[[]string](t, b, `[...document.querySelectorAll(".output pre")].map(e => e.textContent)`)
		want := []string{visible(healed().Attempts[0].Output), healed().Attempts[2].Output, nested().Attempts[1].Output, visible(hostileText)}
		assert.Equal(t, want, outputs)
		assert.Empty(t, browser.Eval[[]string](t, b, `[...document.querySelectorAll("script, img, iframe, object, form, b, style ~ style")].map(e => e.outerHTML)`))
		assert.Equal(t, "All <b>of</b> it", browser.Eval[string](t, b, `document.title`))
		assert.Equal(t, `"><svg onload=alert(4)>`, browser.Eval[string](t, b, `document.querySelector("#c3-a0 .model").textContent`))
		assert.Empty(t, browser.Eval[[]string](t, b, `[...document.querySelectorAll("*")].flatMap(e => [...e.attributes])
			.filter(a => a.name.startsWith("on")).map(a => a.name)`))
	})

	t.Run("marks are at the right text", func(t *testing.T) {
		for link, want := range map[string]string{
			"#c1-a0-m1": `"Germany"`, "#c1-a0-m2": `"forty"`, "#c1-a0-m3": "}", "#c2-a1-m1": `\"very\"`, "#c3-a0-m1": visible("\"</mark>\u202e\""),
		} {
			assert.Equal(t, want, browser.Eval[string](t, b, fmt.Sprintf(`document.querySelector(%q).textContent`, link)), link)
			assert.Equal(t, 1, browser.Eval[int](t, b, fmt.Sprintf(`document.querySelectorAll('.issues a[href=%q]').length`, link)), link)
		}
		before := browser.Eval[string](t, b, `document.querySelector("#c1-a0-m2").previousSibling.textContent`)
		assert.True(t, strings.HasSuffix(before, `"Bolts M8", "quantity": `), before)
	})

	t.Run("nothing is wider than a phone", func(t *testing.T) {
		browser.Eval[chromedp.Void](t, b, unfold)
		assert.Equal(t, 360, browser.Eval[int](t, b, `document.documentElement.scrollWidth`))
		assert.Empty(t, browser.Eval[[]string](t, b, `[...document.querySelectorAll("body *")]
			.filter(e => e.getBoundingClientRect().right > 360).map(e => e.tagName + e.className)`))
	})

	t.Run("the style applies and follows the scheme", func(t *testing.T) {
		background := func(scheme string) string {
			b.Prefer(t, "color-scheme", scheme)
			return browser.Eval[string](t, b, `getComputedStyle(document.body).backgroundColor`)
		}
		assert.Equal(t, "rgb(244, 245, 247)", background("light"))
		assert.Equal(t, "rgb(15, 18, 23)", background("dark"))
		b.Prefer(t, "reduced-motion", "reduce")
		assert.Zero(t, browser.Eval[int](t, b, `[...document.querySelectorAll("summary")]
			.filter(e => parseFloat(getComputedStyle(e, "::before").transitionDuration) > 0).length`), "things that move")
	})

	assert.Empty(t, b.Said(), "the console")
	assert.Len(t, b.Requests(), 1, "the page itself: %v", b.Requests())
}

// Whatever can be used is reached by Tab and shows that it has the focus, and Enter folds a call.
func TestKeyboard(t *testing.T) {
	b := open(t, pageOf(t, []*llmretry.Report{healed(), nested(), hostile(), long()}), 1200)
	browser.Eval[chromedp.Void](t, b, unfold)
	want := browser.Eval[[]string](t, b, `window.all = [...document.querySelectorAll("a[href], summary, [tabindex]")]; all.map((e, i) => i + e.tagName)`)
	require.Greater(t, len(want), 15)
	var got []string
	for range want {
		b.Do(t, chromedp.KeyEvent(kb.Tab))
		got = append(got, browser.Eval[string](t, b, `all.indexOf(document.activeElement) + document.activeElement.tagName`))
		require.NotEqual(t, "none", browser.Eval[string](t, b, `getComputedStyle(document.activeElement).outlineStyle`), "the focus is seen on %s", got[len(got)-1])
	}
	assert.Equal(t, want, got)

	browser.Eval[chromedp.Void](t, b, `document.querySelector("#c1 > summary").focus()`)
	b.Do(t, chromedp.KeyEvent(kb.Enter))
	assert.False(t, browser.Eval[bool](t, b, `document.querySelector("#c1").open`))
}

// Contrast is what WCAG asks of text, 4.5 to 1, in both schemes.
func TestContrast(t *testing.T) {
	b := open(t, everything(t), 1200)
	browser.Eval[chromedp.Void](t, b, unfold)
	for _, scheme := range []string{"light", "dark"} {
		b.Prefer(t, "color-scheme", scheme)
		assert.Empty(t, browser.Eval[[]string](t, b, contrasts), scheme)
	}
}

// contrasts lists the elements with text of their own whose colour is too near to what is behind them.
const contrasts = `(() => {
  const channels = c => c.match(/[\d.]+/g).map(Number);
  const linear = v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const light = c => {
    const [r, g, b] = channels(c).map(v => linear(v / (c.startsWith("color") ? 1 : 255)));
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const opaque = c => channels(c).length < 4 || channels(c)[3] > 0;
  const behind = e => {
    for (; e; e = e.parentElement) {
      const c = getComputedStyle(e).backgroundColor;
      if (opaque(c)) return c;
    }
    return "rgb(255, 255, 255)";
  };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05) };
  const own = e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
  return [...document.querySelectorAll("body *")].filter(e => own(e) && e.tagName !== "title")
    .map(e => [e.tagName + "." + e.className, ratio(getComputedStyle(e).color, behind(e))])
    .filter(x => x[1] < 4.5).map(x => x.join(" "));
})()`
