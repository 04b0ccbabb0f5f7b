package attemptview

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/internal/browser"
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
	b.Resize(t, 1120, int64(browser.Eval[int](t, b, `document.documentElement.scrollHeight`)))
	require.NoError(t, os.WriteFile(file, b.Screenshot(t), 0o644))
}
