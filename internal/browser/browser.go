// Package browser opens pages in a headless Chromium, for tests of what this project draws. Without one those tests are
// skipped and say so.
package browser

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// Find returns the path of the browser to test with, that in CHROMIUM or one in PATH; without one it skips the test.
func Find(t testing.TB) string {
	t.Helper()
	names := []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}
	if name := os.Getenv("CHROMIUM"); name != "" {
		names = []string{name}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skipf("no browser: none of %s is there; set CHROMIUM to the path of one", strings.Join(names, ", "))
	return ""
}

// Page is a page in a headless browser of its own, with everything it said and asked for.
type Page struct {
	URL string

	ctx context.Context

	mu       sync.Mutex
	said     []string
	requests []string
}

// Open serves files on loopback and shows the one at path, which begins with a slash, in a window of that width. All of
// it ends with the test.
func Open(t testing.TB, files http.Handler, path string, width int64) *Page {
	t.Helper()
	executable := Find(t) // first: it may skip
	server := httptest.NewServer(files)
	t.Cleanup(server.Close)

	var flags []chromedp.ExecAllocatorOption
	for _, flag := range []string{"headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking",
		"disable-component-update", "disable-sync", "hide-scrollbars", "no-default-browser-check", "disable-extensions"} {
		flags = append(flags, chromedp.Flag(flag, true))
	}
	flags = append(flags, chromedp.ExecPath(executable), chromedp.UserDataDir(profile(t)))
	limited, stop := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(stop)
	allocator, kill := chromedp.NewExecAllocator(limited, flags...)
	t.Cleanup(kill)
	ctx, _ := chromedp.NewContext(allocator)
	t.Cleanup(func() { require.NoError(t, chromedp.Cancel(ctx)) }) // waits until the browser is gone

	p := &Page{URL: server.URL + path, ctx: ctx}
	p.Do(t, chromedp.Navigate("about:blank"))
	require.NoError(t, chromedp.Listen(ctx, p.listen))
	call(t, p, network.Enable, network.EnableParams{})
	call(t, p, log.Enable, cdp.Empty{})
	p.Resize(t, width, 800)
	p.Do(t, chromedp.Navigate(p.URL))
	return p
}

// profile is a fresh folder for a browser, whose processes may still write into it for a moment after they are told to
// go.
func profile(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "browser-")
	require.NoError(t, err)
	t.Cleanup(func() {
		require.Eventually(t, func() bool { return os.RemoveAll(dir) == nil }, 10*time.Second, 50*time.Millisecond)
	})
	return dir
}

// Said returns what the page has said: on the console, by scripts, by its policy.
func (p *Page) Said() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.said)
}

// Requests returns the addresses that were asked for, that of the page itself among them.
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// Screenshot returns what the window shows, as a PNG.
func (p *Page) Screenshot(t testing.TB) []byte {
	t.Helper()
	picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	require.NoError(t, err)
	return picture
}

func (p *Page) listen(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *log.EventEntryAdded:
		p.said = append(p.said, e.Entry.Text)
	case *runtime.EventConsoleAPICalled:
		for _, arg := range e.Args {
			p.said = append(p.said, string(arg.Value))
		}
	case *runtime.EventExceptionThrown:
		p.said = append(p.said, e.ExceptionDetails.Text)
	}
}

// Do runs the steps; a step that fails ends the test.
func (p *Page) Do(t testing.TB, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	require.NoError(t, chromedp.Do(p.ctx, steps...))
}

// Resize makes the window that large; one less than 600 wide is a phone.
func (p *Page) Resize(t testing.TB, width, height int64) {
	t.Helper()
	call(t, p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 600,
	})
}

// Prefer sets what the user prefers: "color-scheme" is "dark", and the like.
func (p *Page) Prefer(t testing.TB, what, value string) {
	t.Helper()
	call(t, p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-" + what, Value: value}},
	})
}

func call[P, R any](t testing.TB, p *Page, command cdp.Command[P, R], params P) R {
	t.Helper()
	result, err := chromedp.Call(p.ctx, command, params)
	require.NoError(t, err)
	return result
}

// Eval returns what a script makes of the page. It runs as the developer tools' does, where the page's policy does not
// reach.
func Eval[T any](t testing.TB, p *Page, script string) T {
	t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](script))
	require.NoError(t, err)
	return v
}
