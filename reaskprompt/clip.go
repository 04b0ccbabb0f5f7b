package reaskprompt

import (
	"context"
	"slices"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Clip returns a builder that hands b a failure whose texts are cut to at most max bytes each: OutputContent,
// ErrorMessage, Got and Message of every issue, Error and Raw of every earlier entry. A cut is on a rune's border and
// ends in "...", which counts; a text that fits is left alone. The failure is a copy, the one given is not written to.
// Its Err, Schema and Response are not texts and stay as they are. The transcript is not affected: the model's output
// is replayed in full.
//
// Clip of a nil builder is nil, so that llmretry.WithReask reports it when the decorator is made. With a max below 7,
// which is the mark and one rune of any width, every call of the builder fails with [llmretry.ErrInvalidOption].
func Clip(b llmretry.Builder, max int) llmretry.Builder {
	if b == nil {
		return nil
	}
	if max < minClip {
		err := invalid("Clip(%d): want at least %d bytes", max, minClip)
		return func(context.Context, llmretry.Failure) (string, error) { return "", err }
	}
	return func(ctx context.Context, f llmretry.Failure) (string, error) {
		return b(ctx, clippedFailure(f, max))
	}
}

// clippedFailure cuts the texts of f, which is a copy already but for the two slices.
func clippedFailure(f llmretry.Failure, max int) llmretry.Failure {
	f.OutputContent = clipped(f.OutputContent, max)
	f.ErrorMessage = clipped(f.ErrorMessage, max)
	f.Issues = slices.Clone(f.Issues)
	for n := range f.Issues {
		i := &f.Issues[n]
		i.Got, i.Message = clipped(i.Got, max), clipped(i.Message, max)
	}
	f.Earlier = slices.Clone(f.Earlier)
	for n := range f.Earlier {
		e := &f.Earlier[n]
		e.Error, e.Raw = clipped(e.Error, max), clipped(e.Raw, max)
	}
	return f
}
