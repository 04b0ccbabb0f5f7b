// Package adapters_test drives langchaingo's real provider clients over loopback HTTP. It holds tests only: llmretry
// itself imports no provider.
package adapters_test

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	interceptDefaults()
	goleak.VerifyTestMain(m)
}
