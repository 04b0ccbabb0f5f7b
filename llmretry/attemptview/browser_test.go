package attemptview

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
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

// chromium returns the browser to test with: CHROMIUM, or what is in PATH.
func chromium(t *testing.T) string {
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

// browser is a page in a headless browser of its own, with everything it said and asked for.
type browser struct {
	ctx context.Context

	mu       sync.Mutex
	said     []string // on the console, by scripts, by the policy
	requests []string
}

// open shows html in a window of that width.
func open(t *testing.T, html string, width int64) *browser {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(html))
	}))
	t.Cleanup(server.Close)

	var flags []chromedp.ExecAllocatorOption
	for _, flag := range []string{"headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking",
		"disable-component-update", "disable-sync", "hide-scrollbars", "no-default-browser-check", "disable-extensions"} {
		flags = append(flags, chromedp.Flag(flag, true))
	}
	flags = append(flags, chromedp.ExecPath(chromium(t)), chromedp.UserDataDir(profile(t)))
	limited, stop := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(stop)
	allocator, kill := chromedp.NewExecAllocator(limited, flags...)
	t.Cleanup(kill)
	ctx, _ := chromedp.NewContext(allocator)
	t.Cleanup(func() { require.NoError(t, chromedp.Cancel(ctx)) }) // waits until the browser is gone

	b := &browser{ctx: ctx}
	b.do(t, chromedp.Navigate("about:blank"))
	require.NoError(t, chromedp.Listen(ctx, b.listen))
	call(t, b, network.Enable, network.EnableParams{})
	call(t, b, log.Enable, cdp.Empty{})
	b.resize(t, width, 800)
	b.do(t, chromedp.Navigate(server.URL+"/"))
	return b
}

// profile is a fresh folder for a browser, whose processes may still write into it for a moment after they are told to
// go.
func profile(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "attemptview")
	require.NoError(t, err)
	t.Cleanup(func() {
		require.Eventually(t, func() bool { return os.RemoveAll(dir) == nil }, 10*time.Second, 50*time.Millisecond)
	})
	return dir
}

func (b *browser) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *log.EventEntryAdded:
		b.said = append(b.said, e.Entry.Text)
	case *runtime.EventConsoleAPICalled:
		for _, arg := range e.Args {
			b.said = append(b.said, string(arg.Value))
		}
	case *runtime.EventExceptionThrown:
		b.said = append(b.said, e.ExceptionDetails.Text)
	}
}

func (b *browser) do(t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	require.NoError(t, chromedp.Do(b.ctx, steps...))
}

func (b *browser) resize(t *testing.T, width, height int64) {
	t.Helper()
	call(t, b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 600,
	})
}

// prefer sets what the user prefers: "color-scheme" is "dark", and the like.
func (b *browser) prefer(t *testing.T, what, value string) {
	t.Helper()
	call(t, b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-" + what, Value: value}},
	})
}

func call[P, R any](t *testing.T, b *browser, command cdp.Command[P, R], params P) R {
	t.Helper()
	result, err := chromedp.Call(b.ctx, command, params)
	require.NoError(t, err)
	return result
}

// eval returns what a script makes of the page. It runs as the developer tools' does, where the page's policy does not
// reach.
func eval[T any](t *testing.T, b *browser, script string) T {
	t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script))
	require.NoError(t, err)
	return v
}
