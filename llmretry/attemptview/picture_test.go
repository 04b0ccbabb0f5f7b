package attemptview

import (
	"os"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// TestPicture takes the picture in docs/attempt_page.md anew: ATTEMPTVIEW_PICTURE=../../docs/attempt_page.png. Fonts
// differ from one computer to the next, so it is not compared.
func TestPicture(t *testing.T) {
	file := os.Getenv("ATTEMPTVIEW_PICTURE")
	if file == "" {
		t.Skip("ATTEMPTVIEW_PICTURE is not set: no picture is wanted")
	}
	b := open(t, pageOf(t, []*llmretry.Report{healed()}, Title("Invoice 2024-0117")), 1120)
	b.resize(t, 1120, int64(eval[int](t, b, `document.documentElement.scrollHeight`)))
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, picture, 0o644))
}
