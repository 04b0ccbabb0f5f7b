package command

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

// browser is a page in a headless browser of its own, with what it said on its console and what it asked for.
type browser struct {
	ctx context.Context
	url string

	mu       sync.Mutex
	said     []string
	requests []string
}

// browse shows a file of a folder in a window of that width.
func browse(t *testing.T, folder, file string, width int64) *browser {
	t.Helper()
	path := chromium(t)
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(server.Close)
	profile, err := os.MkdirTemp("", "reasklab-browser-")
	require.NoError(t, err)
	t.Cleanup(func() { // its processes may write for a moment after they are told to go
		require.Eventually(t, func() bool { return os.RemoveAll(profile) == nil }, 10*time.Second, 50*time.Millisecond)
	})
	flags := []chromedp.ExecAllocatorOption{chromedp.ExecPath(path), chromedp.UserDataDir(profile)}
	for _, flag := range []string{"headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking",
		"disable-component-update", "disable-sync", "hide-scrollbars"} {
		flags = append(flags, chromedp.Flag(flag, true))
	}
	limited, stop := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(stop)
	allocator, kill := chromedp.NewExecAllocator(limited, flags...)
	t.Cleanup(kill)
	ctx, _ := chromedp.NewContext(allocator)
	t.Cleanup(func() { require.NoError(t, chromedp.Cancel(ctx)) }) // waits until the browser is gone

	b := &browser{ctx: ctx, url: server.URL + "/" + file}
	b.do(t, chromedp.Navigate("about:blank"))
	require.NoError(t, chromedp.Listen(ctx, b.listen))
	call(t, b, network.Enable, network.EnableParams{})
	call(t, b, log.Enable, cdp.Empty{})
	b.resize(t, width)
	b.do(t, chromedp.Navigate(b.url))
	return b
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

func (b *browser) resize(t *testing.T, width int64) {
	t.Helper()
	call(t, b, emulation.SetDeviceMetricsOverride,
		emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 800, DeviceScaleFactor: 1, Mobile: width < 600})
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
