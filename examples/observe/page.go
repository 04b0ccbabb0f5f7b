package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/llmretry/langchaingo-llmretry/llmretry/attemptview"
)

// page writes the attempts as a page to a file that only its owner can read, since it shows what was said, and tells
// where it is.
func (r *recording) page(w io.Writer, name string) error {
	var page bytes.Buffer
	if err := attemptview.WriteHTML(&page, r.reports, attemptview.Title("Recipes"), attemptview.Redact(unnamed)); err != nil {
		return err
	}
	if err := os.WriteFile(name, page.Bytes(), 0o600); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nThe attempts as a page: %s\n", name)
	return errors.Join(err, os.Chmod(name, 0o600))
}
