package command

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/page"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/report"
)

// shownCases is how many of the worst cases get pages of their own.
const shownCases = 10

// page writes the page and those of the worst cases beside it.
func (o *options) page(stdout io.Writer, in *inputs, r *report.Result, s *suggestion) error {
	name := o.html
	switch {
	case len(r.Records) == 0 || name == "" && (!o.offline || o.out != ""):
		return nil
	case name == "":
		folder, err := os.MkdirTemp("", "reasklab-")
		if err != nil {
			return err
		}
		name = filepath.Join(folder, "reasklab.html")
	}
	folder := strings.TrimSuffix(name, filepath.Ext(name)) + "-cases"
	worst, err := page.WriteCases(folder, shownCases, r, in.cases, in.set)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	p := &page.Page{Result: r, Offline: o.offline, Worst: worst}
	if s != nil {
		p.Want, p.Reached, p.Suggestion, p.Code = o.want, s.reached, s.text, s.code
	}
	if err := page.Write(&b, p); err != nil {
		return err
	}
	if err := replace(name, b.Bytes()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "\npage: %s\n", name)
	return err
}
